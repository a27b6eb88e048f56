"""Shares of wrong rows: Gaussian tails with few rows, counts with many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student_t

from kinspan.risk.tails import Shares, wrong_shares


def two_classes(margins: Any, t: Any, c: Any, weights: Any = None) -> Shares:
    """Scores of which the margin of every row is that."""
    signed = np.where(c == 1, margins, -margins) / 2
    weights = np.ones(len(margins)) if weights is None else weights
    scores = np.column_stack([-signed, signed])
    return wrong_shares(scores, t, c, weights, np.full((t.max() + 1, 2), 0.5))


def naive(margins: Any, t: Any, c: Any) -> Any:
    """Straight from eq. (39), cell by cell."""
    k = t.max() + 1
    scatter, n = np.zeros((k, 2)), np.zeros((k, 2))
    for task in range(k):
        for cls in range(2):
            own = margins[(t == task) & (c == cls)]
            scatter[task, cls], n[task, cls] = ((own - own.mean()) ** 2).sum(), len(own)
    common = scatter.sum(axis=0) / (n - 1).sum(axis=0)
    deviations = np.sqrt((scatter + 2 * common) / (n - 1 + 2))
    middle = np.ones(2)
    for cls in range(2):
        cells = [margins[(t == task) & (c == cls)] for task in range(k)]
        away = [
            np.abs(own - own.mean()) / deviations[task, cls] * np.sqrt(len(own) / (len(own) - 1))
            for task, own in enumerate(cells)
        ]
        rows = n[:, cls].sum()
        middle[cls] = min(np.median(np.concatenate(away)) / 0.6745, 1) ** (rows / (rows + 100))
    shares = np.zeros((k, 2))
    for task in range(k):
        for cls in range(2):
            own = margins[(t == task) & (c == cls)]
            size, deviation = len(own), deviations[task, cls]
            h = size**-0.2 * middle[cls]
            centres = own.mean() + np.sqrt(1 - h**2) * (own - own.mean())
            shares[task, cls] = norm.sf(centres / (h * deviation)).mean()
    return shares


def random_margins(seed: int, n: int, k: int = 3) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    t, c = np.repeat(np.arange(k), 2 * n), np.tile(np.repeat([0, 1], n), k)
    return 1.0 + rng.normal(size=len(c)) * np.where(c == 1, 3.0, 1.0), t, c


@pytest.mark.parametrize("n", [2, 7])
def test_the_smoothed_share_is_a_kernel_around_every_margin(n: int) -> None:
    rows = random_margins(0, n)
    np.testing.assert_allclose(two_classes(*rows).smoothed, naive(*rows))


def test_a_few_rows_far_away_do_not_blur_the_others() -> None:
    """Student's distribution with 2.5 degrees of freedom: the kernel is that of the middle."""
    rng = np.random.default_rng(0)
    k, n, freedom = 100, 50, 2.5
    t, c = np.repeat(np.arange(k), 2 * n), np.tile(np.repeat([0, 1], n), k)
    found = two_classes(1.5 + rng.standard_t(freedom, size=len(t)), t, c).smoothed.mean()
    truth = student_t.sf(1.5, freedom)
    assert truth < found < truth + 0.02  # .033 more with kernels of the deviation


def test_two_single_rows_say_nothing_of_the_middle() -> None:
    """Nor do other orders of the rows change it, where half of them lie on either side."""
    margins, t, c = random_margins(0, 4)
    once = two_classes(margins, t, c).smoothed
    order = np.random.default_rng(0).permutation(len(t))
    again = two_classes(margins[order], t[order], c[order]).smoothed
    np.testing.assert_allclose(once, again, rtol=1e-12)
    single = two_classes(np.array([1.0, 2.0]), np.zeros(2, int), np.array([0, 1]))
    assert np.isfinite(single.smoothed).all()


def test_margins_are_those_of_rules_of_one_size() -> None:
    """A rule four times as long for one row: its margin is no tail. Counts are the same."""
    margins, t, c = random_margins(0, 40, k=1)
    longer = np.where(np.arange(len(t)) % 2 == 0, 4.0, 1.0)
    plain = two_classes(margins, t, c)
    signed = np.where(c == 1, margins, -margins)[:, None] * np.array([-0.5, 0.5])
    ones, halves = np.ones(len(t)), np.full((1, 2), 0.5)
    found = wrong_shares(longer[:, None] * signed, t, c, ones, halves, signed)
    for of, expected in zip(found, plain, strict=True):
        np.testing.assert_allclose(of, expected)
    apart = wrong_shares(longer[:, None] * signed, t, c, ones, halves)
    assert (np.abs(apart.smoothed - plain.smoothed) > 0.005).any()


def test_classes_have_their_own_spread_and_many_rows_decide_by_count() -> None:
    """One class three times as wide as the other, and a tenth of it on the far side."""
    margins, t, c = random_margins(0, 40_000, k=1)
    far = (c == 1) & (np.random.default_rng(1).uniform(size=len(c)) < 0.1)
    margins[far] -= 20.0
    found = two_classes(margins, t, c)
    truth = [norm.sf(1.0), 0.1 + 0.9 * norm.sf(1.0 / 3.0)]
    np.testing.assert_allclose(found.counted[0], truth, atol=4 * np.sqrt(0.25 / 40_000))
    np.testing.assert_allclose(found.smoothed, found.counted, atol=0.01)


def test_units_of_scores_do_not_matter() -> None:
    margins, t, c = random_margins(0, 5)
    np.testing.assert_allclose(
        two_classes(margins, t, c).smoothed, two_classes(1e6 * margins, t, c).smoothed
    )


def test_a_weight_is_so_many_rows() -> None:
    margins, t, c = random_margins(0, 4)
    weights = np.random.default_rng(1).integers(1, 4, len(t))
    once = two_classes(margins, t, c, weights.astype(float))
    again = np.repeat(np.arange(len(t)), weights)
    for found, expected in zip(once, two_classes(margins[again], t[again], c[again]), strict=True):
        np.testing.assert_allclose(found, expected)


def test_absent_classes_cannot_win_and_rows_that_were_not_left_out_do_not_count() -> None:
    scores = np.array([[3.0, 1, 9], [1, 2, 9], [2, 1, 9], [0, 5, 9], [np.nan] * 3])
    t, c = np.zeros(5, int), np.array([0, 0, 1, 1, 1])
    found = wrong_shares(scores, t, c, np.ones(5), np.array([[0.5, 0.5, 0.0]]))
    np.testing.assert_array_equal(found.rows, [[2, 2, 0]])
    np.testing.assert_array_equal(found.counted, [[0.5, 0.5, 0.0]])


def test_scores_that_differ_by_rounding_are_counted_as_one_answer() -> None:
    """Whether a row counted as wrong hung on the order of sums: forecasts moved by a whole row."""
    scores = np.array([[1.0, 1.0, 0.0], [1.0, 1.0 + 1e-15, 0.0], [1.0 + 1e-15, 1.0, 0.0]])
    t, c = np.zeros(3, dtype=np.intp), np.zeros(3, dtype=np.intp)
    found = wrong_shares(scores, t, c, np.ones(3), np.full((1, 3), 1 / 3))
    assert found.counted[0, 0] == 0.0
