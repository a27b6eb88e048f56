"""Labels are spoiled as often as is said, and all columns of the table are measured."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.wrong_labels import Line, Rows, by_own_regression, by_regression, spoiled, table


def rows(n: int = 40) -> Rows:
    rng = np.random.default_rng(0)
    y, task = np.tile(np.repeat([0, 1, 2], n), 2), np.repeat([0, 1], 3 * n)
    return Rows(np.eye(3)[y] * 4 + rng.normal(size=(6 * n, 3)), y, task)


@pytest.mark.parametrize(("wrong", "shares"), [("20 %", (0.2, 0.2)), ("one class 30 %", (0.3, 0))])
def test_the_share_of_wrong_labels(wrong: str, shares: tuple[float, float]) -> None:
    of = rows()
    is_wrong = spoiled(of, wrong, 0) != of.y
    assert is_wrong[of.y == 0].mean() == pytest.approx(shares[0])
    assert is_wrong[of.y == 1].mean() == pytest.approx(shares[1])
    assert set(spoiled(of, wrong, 0)) == {0, 1, 2}
    assert not (spoiled(of, "0 %", 0) != of.y).any()


def test_regressions_rank_wrong_labels_last() -> None:
    of = rows()
    noisy = of._replace(y=spoiled(of, "20 %", 0))
    is_wrong = noisy.y != of.y
    for quality in (by_regression(noisy), by_own_regression(noisy)):
        assert quality[is_wrong].mean() < quality[~is_wrong].mean() - 0.2


def test_the_table_has_means_over_draws() -> None:
    numbers = [90.0, 1.0, 3.0, 10.0, 1.0, 0.99, 0.2, 0.21, 0.01, 0.9, 0.8, 0.7]
    other = [92.0, -0.5, *numbers[2:5], 0.5, *numbers[6:]]
    lines = table([Line("digits", "20 %", 0, *numbers), Line("digits", "20 %", 1, *other)])
    cells = [cell.strip() for cell in lines.splitlines()[2].split("|")[1:-1]]
    assert cells[:5] == ["digits", "20 %", "91.0", "+0.25 ± 0.75", "-0.5"]
    assert cells[8] == "1 of 2"
    assert len(cells) == len(lines.splitlines()[0].split("|")) - 2
