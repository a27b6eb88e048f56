"""Rows that are equal in several classes: as unsure as they are, and no better or worse for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.risk import LeftOutRows, with_doubt


def copies_of_one_row(n: Any, one: float = 0.01) -> LeftOutRows:
    """Left-out scores of a rule that counts: the score of a class is its number of copies."""
    n = np.asarray(n, dtype=np.float64)
    scores = one * (np.tile(n, (len(n), 1)) - np.eye(len(n)))
    zeros = np.zeros(len(n), dtype=np.intp)
    priors = np.zeros((1, len(n)))
    return LeftOutRows(scores, zeros, np.arange(len(n)), n, priors, np.zeros(len(n)), np.zeros(1))


def share_of_wrong(rows: LeftOutRows) -> float:
    """Ties are wrong for one half, as if another hair had decided."""
    own = rows.scores[np.arange(len(rows.classes)), rows.classes]
    above = (rows.scores > own[:, None] + 1e-9).any(axis=1)
    level = (np.abs(rows.scores - own[:, None]) < 1e-9).sum(axis=1) > 1
    return float(
        rows.weights @ np.where(above, 1.0, np.where(level, 0.5, 0.0)) / rows.weights.sum()
    )


def doubted(n: Any) -> float:
    rows = copies_of_one_row(n)
    return share_of_wrong(with_doubt(rows, np.zeros(len(rows.classes), dtype=np.uint64)))


@pytest.mark.parametrize("m", [2, 3])
def test_near_a_tie_as_many_are_wrong_as_by_guessing(m: int) -> None:
    """Left out, every copy of an even number is wrong: that is what counts said."""
    even = np.full(m, 150)
    assert share_of_wrong(copies_of_one_row(even)) == 1.0
    assert doubted(even) == pytest.approx(1 - 1 / m, abs=0.06)  # of 32 draws


def test_what_is_sure_stays_sure() -> None:
    n = [200, 100]
    assert doubted(n) == pytest.approx(share_of_wrong(copies_of_one_row(n)), abs=1e-12)


@pytest.mark.parametrize("total", [3, 10, 40, 160])
def test_on_average_counts_are_right_and_steadier(total: int) -> None:
    """Without signal half of all rows are wrong; the copies' labels are coins."""
    rng, n_draws = np.random.default_rng(total), 400
    first = rng.binomial(total, 0.5, n_draws)
    drawn = [(a, total - a) for a in first if 0 < a < total]
    alone = n_draws - len(drawn)  # of one class only: none is wrong
    plain = np.array([0.0] * alone + [share_of_wrong(copies_of_one_row(n)) for n in drawn])
    found = np.array([0.0] * alone + [doubted(n) for n in drawn])
    assert abs(found.mean() - 0.5) < 4 * found.std() / np.sqrt(n_draws) + 0.01  # of 32 draws
    assert found.std() < plain.std()


def test_other_rows_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    t, c = np.repeat([0, 1], 4), np.tile([0, 1], 4)
    scores, eight = rng.normal(size=(8, 2)), np.arange(8.0)
    rows = LeftOutRows(scores, t, c, np.ones(8), np.zeros((2, 2)), eight, np.zeros(2))
    keys = np.array([1, 2, 3, 4, 1, 2, 3, 4], dtype=np.uint64)  # equal rows of other tasks
    assert with_doubt(rows, keys) is rows
    keys[1] = 1
    found = with_doubt(rows, keys)
    assert len(found.classes) == 6 + 2 * 32
    np.testing.assert_array_equal(found.resized, np.repeat(eight, [32, 32, 1, 1, 1, 1, 1, 1]))
    for task in (0, 1):
        for k in (0, 1):
            weights = [part.weights[(part.tasks == task) & (part.classes == k)].sum()
                       for part in (rows, found)]  # fmt: skip
            assert weights[0] == pytest.approx(weights[1])
    mean = np.average(found.scores[:32], axis=0, weights=found.weights[:32])
    np.testing.assert_allclose(mean, rows.scores[0])


@pytest.mark.parametrize("fill", [1.0, 5.0])
def test_forecasts_with_a_row_that_most_rows_are_have_no_jumps(fill: float) -> None:
    """60 % of both classes are one row: single forecasts were .06 too high where it was a tie."""
    gaps = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        means = 0.35 * rng.normal(size=(2, 20))

        def draw(n: int, rng: Any = rng, means: Any = means) -> tuple[Any, Any, Any]:
            y, task = rng.integers(0, 2, n), rng.integers(0, 3, n)
            X = rng.normal(size=(n, 20)) + means[y]
            X[rng.uniform(size=n) < 0.6] = fill
            return X, y, task

        X, y, task = draw(1500)
        clf = MultiTaskSPCA().fit(X, y, task=task)
        new, new_y, new_task = draw(20_000)
        wrong = clf.predict(new, task=new_task) != new_y
        true = [wrong[new_task == t].mean() for t in range(3)]
        gaps.append(clf.forecast_error_ - true)
    assert np.abs(np.mean(gaps)) < 4 * np.std(np.mean(gaps, axis=1)) / np.sqrt(12)
    assert np.abs(gaps).max() < 0.08
