"""Rules for given weights: thresholds without bias, directions of the right length."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.metric import ScaledMoments
from kinspan.selection.outcome import _energies
from kinspan.selection.solutions import Problem, problems_of, solve, spectrum


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
    factor = solution.own
    excess = at_centre + 0.5 * factor**2 * (true**2).sum(axis=1)
    error = excess.std(axis=0) / np.sqrt(n_draws)
    np.testing.assert_array_less(np.abs(excess.mean(axis=0)), 4.0 * error)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("labels", ["naive", "spectral"])
def test_copies_of_one_task_have_its_rule_and_not_a_multiple(labels: str, n_classes: int) -> None:
    """Six copies with hardly any noise: directions are the contrast of one, not their sum.

    Scores contain −½ ‖direction‖²: of more than two classes a multiple gives other answers.
    """
    rng = np.random.default_rng(0)
    means = np.tile(3.0 * rng.normal(size=(1, n_classes, 10)), (6, 1, 1))
    counts = np.full((6, n_classes), 1e6)
    scaled = ScaledMoments(np.ones((1, 10)), means, counts, 10.0 / counts, np.ones(6), 10.0)
    problem, zeros = Problem(scaled, "shared"), np.zeros((6, n_classes))
    one, many = (solve(problem, rule, zeros, shrunk=False).rules for rule in ("single", labels))
    np.testing.assert_allclose(many.coef, one.coef, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(many.offset, one.offset, rtol=1e-3, atol=1e-3)


def test_several_classes_of_a_task_alone_are_told_apart_as_by_the_best_multiple_of_contrasts() -> (
    None
):
    """Scores contain −½ ‖direction‖²: with two labels per class most of that would be noise.

    Next to a task with many labels, which keeps all: no factor for all tasks can replace it.
    """
    rng = np.random.default_rng(0)
    n_draws, p, counts = 200, 200, np.tile([[2.0], [500.0]], (1, 8))
    right = np.zeros((n_draws, 2))
    for draw in range(n_draws):
        true = rng.normal(size=(2, 8, p)) * 0.25
        means = true + rng.normal(size=true.shape) / np.sqrt(counts)[..., None]
        scaled = ScaledMoments(np.ones((1, p)), means, counts, p / counts, np.ones(2), float(p))
        problem = Problem(scaled, "shared")
        solution = solve(problem, "single", np.zeros((2, 8)), shrunk=False)
        x = np.repeat(true[0], 20, axis=0) + rng.normal(size=(160, p)) - scaled.centres[0]
        contrasts = problem.class_means.values[0]
        long = x @ contrasts.T - 0.5 * (contrasts**2).sum(axis=1)
        coef, offset = solution.rules
        for i, scores in enumerate((long, x @ coef[0].T + offset[0])):
            right[draw, i] = (scores.argmax(axis=1) == np.arange(160) // 20).mean()
    gain = right[:, 1] - right[:, 0]
    assert gain.mean() > 4.0 * gain.std() / np.sqrt(n_draws)
    assert solution.shrunk is not None
    assert solution.shrunk[0] < 0.2
    assert solution.shrunk[1] > 0.9


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


@pytest.mark.parametrize(("n_tasks", "multi_class"), [(5, "shared"), (5, "each"), (40, "shared")])
def test_spectra_of_several_metrics_are_those_of_each(n_tasks: int, multi_class: str) -> None:
    """With more tasks than coordinates too, and where a task lacks a class."""
    rng = np.random.default_rng(n_tasks)
    for counts in (
        np.full((n_tasks, 3), 9.0),
        np.where(rng.uniform(size=(n_tasks, 3)) < 0.8, 9, 0),
    ):
        in_metrics = [
            ScaledMoments(
                np.ones((1, 6)),
                scale * rng.normal(size=(n_tasks, 3, 6)),
                counts,
                np.where(counts > 0, scale**2, 0.0),
                np.full(n_tasks, scale),
                6.0 / scale,
            )
            for scale in (1.0, 1.3, 2.0)
        ]
        for scaled, problem in zip(in_metrics, problems_of(in_metrics, multi_class), strict=True):
            alone = Problem(scaled, multi_class).contrasts.task_rows()
            for found, rows in zip(problem.spectra, alone, strict=True):
                expected = spectrum(rows)
                np.testing.assert_allclose(found.values, expected.values, rtol=1e-9, atol=1e-9)
                again, before = (s.rows @ s.rows.T for s in (found, expected))
                np.testing.assert_allclose(again, before, rtol=1e-9, atol=1e-9)
                assert found.dimension == expected.dimension
                np.testing.assert_array_equal(found.doubt, scaled.noise_doubt)
