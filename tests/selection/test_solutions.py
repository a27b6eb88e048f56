"""Rules for given weights: thresholds without bias, and calibration weights that are fair."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, RowSample
from kinspan._validation.labelled_rows import CheckedRows
from kinspan.metric import ScaledMoments
from kinspan.risk import LeftOut
from kinspan.selection import prepared
from kinspan.selection.candidates import _balanced, _of_whole_tasks
from kinspan.selection.decisions import SHARES
from kinspan.selection.outcome import _energies
from kinspan.selection.solutions import Problem, solve


def test_offsets_have_no_bias_from_the_noise_of_cells() -> None:
    """Classes of 2, 50 and 50 rows: without its correction the first would win too seldom."""
    rng = np.random.default_rng(0)
    n_draws, p, counts = 4000, 20, np.array([2.0, 50.0, 50.0])
    true = rng.normal(size=(3, p)) * 4.0
    true -= true.mean(axis=0)
    means = true + rng.normal(size=(n_draws, 3, p)) / np.sqrt(counts)[:, None]
    scaled = ScaledMoments(
        np.ones((1, p)),
        means,
        np.tile(counts, (n_draws, 1)),
        np.tile(p / counts, (n_draws, 1)),
        np.ones(n_draws),
        float(p),
    )
    solution = solve(Problem(scaled, "shared"), "single", np.zeros((n_draws, 3)))
    coef, offset = solution.rules
    at_centre = offset - np.einsum("tlp,tp->tl", coef, scaled.centres)  # the true centre is zero
    factor = np.einsum("tll->tl", solution.own) * 3.0 / 2.0
    excess = at_centre + 0.5 * factor**2 * (true**2).sum(axis=1)
    error = excess.std(axis=0) / np.sqrt(n_draws)
    np.testing.assert_array_less(np.abs(excess.mean(axis=0)), 4.0 * error)


def test_every_class_of_every_task_counts_as_much_for_the_calibration() -> None:
    rng = np.random.default_rng(0)
    tasks, classes = rng.integers(0, 3, 200), (rng.random(200) < 0.2).astype(int)
    rows: Any = SimpleNamespace(tasks=tasks, classes=classes, weights=rng.integers(1, 4, 200) * 1.0)
    scores = np.where(rng.random((200, 1)) < 0.1, np.nan, rng.normal(size=(200, 2)))
    left_out: Any = SimpleNamespace(scores=scores)
    usable = ~np.isnan(scores[:, 0])
    found = _balanced(left_out, rows, (3, 2))
    totals = np.bincount((tasks * 2 + classes)[usable], found[usable])
    np.testing.assert_allclose(totals, rows.weights[usable].sum() / 6)


def test_only_tasks_that_can_leave_out_rows_of_all_their_classes_are_judged() -> None:
    """Of the second task one class has a single row, of the third a class is missing."""
    counts = np.array([[2.0, 2.0], [2.0, 1.0], [3.0, 0.0]])
    scores = np.ones((10, 2))
    scores[6] = np.nan  # the single row, without which its class would be empty
    rows: Any = SimpleNamespace(
        tasks=np.repeat([0, 1, 2], [4, 3, 3]), classes=np.array([0, 0, 1, 1, 0, 0, 1, 0, 0, 0])
    )
    scaled: Any = SimpleNamespace(counts=counts, present=counts > 0)
    kept = _of_whole_tasks(LeftOut(scores, np.ones(10)), scaled, rows).scores[:, 0]
    assert np.isfinite(kept).tolist() == [True] * 4 + [False] * 3 + [True] * 3


@pytest.mark.parametrize(("largest", "n_scales"), [(1.0999, 1), (1.1001, 2)])
def test_heavy_tails_are_worth_a_second_scale(
    largest: float, n_scales: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    rows = CheckedRows(rng.normal(size=(40, 3)), np.tile([0, 1], 20), np.repeat([0, 1], 20))
    moments, sample = ClassMoments.from_checked(rows), RowSample.from_checked(rows, 100)
    factor = np.array([1.0, 1.05, largest])
    monkeypatch.setattr(prepared, "tail_factor", lambda *_: factor)
    origin, scales = prepared.scalings(moments, sample, "auto")
    assert len(scales) == n_scales
    for scaled, _, kept, residuals in scales:
        assert kept is not None
        own_mean = scaled.means[kept.task_codes, kept.class_codes]
        np.testing.assert_allclose(residuals, (kept.rows - origin) / scaled.scale - own_mean)
    np.testing.assert_array_equal(
        scales[-1].scaled.scale, scales[0].scaled.scale * factor ** (n_scales - 1)
    )
    assert len(prepared.scalings(moments, sample, "pooled")[1]) == 1


@pytest.mark.parametrize(
    ("n_cells", "n_features", "expected"),
    [(2, 10, 1024), (40, 10, 51), (200, 10, 25), (2, 1000, 2000), (400, 1000, 25)],
)
def test_many_cells_use_fewer_rows_of_each(n_cells: int, n_features: int, expected: int) -> None:
    sample: Any = SimpleNamespace(
        cells=np.repeat(np.arange(n_cells), 3), rows=np.zeros((3 * n_cells, n_features))
    )
    assert prepared._rows_per_cell(sample) == expected


def test_fewer_metrics_are_tried_for_one_rule_for_all() -> None:
    none: Any = None
    for shares, fewer in ((SHARES, (0.0, 0.1, 0.4)), ((0.3,), (0.3,))):
        given = prepared.Prepared(none, none, none, none, none, shares, none)
        assert given.fewer_shares == fewer


def test_tasks_alone_know_what_the_limit_of_the_paper_says() -> None:
    """T²/(T + N): nothing is passed on, and the energy is known as well as the noise allows."""
    rng = np.random.default_rng(0)
    counts = np.full((6, 2), 8.0)
    means = rng.normal(size=(6, 2, 30)) * 0.5
    scaled = ScaledMoments(np.ones((1, 30)), means, counts, 30.0 / counts, np.ones(6), 30.0)
    problem = Problem(scaled, "shared")
    found = _energies(solve(problem, "single", np.zeros((6, 2))), problem)
    noise = found.spread.sum(axis=1) / 8.0
    np.testing.assert_allclose(found.known, found.total**2 / (found.total + noise))
