"""What other tasks save a task, and each of them: one number that cannot contradict itself."""

from __future__ import annotations

import numpy as np

from kinspan.risk import LeftOutErrors, Saved, saved
from kinspan.risk.saved import ROWS, ROWS_OF_ONE

HALVES, ONES = np.full(20, 0.5), np.ones(20)


def left_out(rows: float, errors: np.ndarray) -> LeftOutErrors:
    return LeftOutErrors(np.full(20, rows), errors, errors, HALVES, HALVES, ONES)


def test_rules_that_make_the_same_errors_save_nothing() -> None:
    errors = np.random.default_rng(0).binomial(12, 0.2, size=20) / 12
    found = saved(left_out(12.0, errors), left_out(99.0, errors))
    np.testing.assert_array_equal(found.total, 0.0)


def test_many_rows_decide_and_few_are_drawn_to_the_mean_of_all() -> None:
    rng = np.random.default_rng(1)
    errors = rng.binomial(12, 0.2, size=20) / 12
    more = errors + rng.uniform(0.0, 0.3, size=20)
    few, many = (saved(left_out(n, errors), left_out(n, more)).total for n in (12.0, 1e6))
    np.testing.assert_allclose(many, more - errors, atol=1e-3)
    mean = (more - errors).mean()
    assert np.std(few) < 0.3 * np.std(more - errors)
    assert 0.5 * mean < few.mean() < mean


def test_the_formula_is_that_of_the_page() -> None:
    """Eq. (44a), task by task."""
    rng = np.random.default_rng(2)
    n, unit = rng.uniform(1.0, 300.0, size=20), rng.uniform(0.3, 0.6, size=20)
    errors, more = rng.uniform(0.0, 0.3, size=(2, 20))
    before = LeftOutErrors(n, errors, errors, HALVES, unit, ONES)
    found = saved(before, LeftOutErrors(n, more, more, HALVES, unit, ONES))
    ratio = before.ratio()
    assert ratio == 1.0  # counts and margins agree
    g, d = 1 / (1 / ROWS + 1 / n), more - errors
    for t in range(20):
        rest = np.arange(20) != t
        total = ROWS + g[rest].sum()
        expected = unit[t] * (g * d / unit)[rest].sum() / total
        strength = 1 / (1 / ROWS + 1 / total)
        assert np.isclose(found.total[t], (n[t] * d[t] + strength * expected) / (n[t] + strength))


def test_the_only_other_task_saves_what_all_others_save() -> None:
    rng = np.random.default_rng(3)
    total, told = rng.normal(size=(2, 20))
    before = Saved(total, told, rng.uniform(1.0, 1e5, size=20))
    nobody = Saved(np.zeros(20), np.zeros(20), np.ones(20))
    np.testing.assert_allclose(before.lost(nobody, np.ones(20)), total, atol=1e-12)


def test_a_share_of_all_is_what_few_rows_say_and_many_rows_say_what_they_say() -> None:
    told, after = np.full(3, 0.10), np.full(3, 0.04)
    before = Saved(np.full(3, 0.05), told, np.array([1e-6, ROWS_OF_ONE, 1e9]))
    found = before.lost(Saved(after, after, np.ones(3)), np.full(3, 0.2))
    np.testing.assert_allclose(
        found, [0.2 * 0.05, 0.01 + 0.5 * (0.06 - 0.02), 0.06 - 0.01], atol=1e-6
    )


def test_where_nothing_was_left_out_announcements_are_compared() -> None:
    before = Saved(np.array([0.3, 0.2]), np.zeros(2), np.array([0.0, 5.0]))
    after = Saved(np.array([0.1, 0.3]), np.zeros(2), np.array([5.0, 0.0]))
    np.testing.assert_allclose(before.lost(after, np.full(2, 0.5)), [0.2, -0.1])
