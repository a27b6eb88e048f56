"""The theory of the multi-task least-squares SVM against fits."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.datasets import gaussian_mixture
from kinspan.theory import (
    lssvm_error_rate,
    lssvm_optimal_labels,
    lssvm_optimal_strengths,
    lssvm_score_means,
    lssvm_score_variances,
    optimal_error_rate,
)
from tests.theory.theory_simulation import (
    Floats,
    assert_within,
    gap_to_error,
    population_means,
    random_gram,
)

CORRELATED = np.kron([[1.5, 1.0], [1.0, 1.5]], [[1.0, -1.0], [-1.0, 1.0]])
CASES = {
    "correlated": (CORRELATED, np.array([[80, 80], [30, 30]]), 150),
    "unbalanced": (2 * random_gram(4, 31), np.array([[150, 50], [60, 90]]), 200),
    "three classes": (2 * random_gram(6, 32), np.array([[60, 40, 50], [30, 50, 20]]), 300),
}
each_case = pytest.mark.parametrize(("gram", "counts", "p"), CASES.values(), ids=CASES.keys())
STRENGTHS = {"shared_strength": 1.3, "task_strengths": np.array([0.5, 2.0])}
A = np.diag([0.5, 2.0]) + 1.3


def fitted(M: Floats, counts: Floats, labels: Floats, seed: int) -> tuple[Floats, Floats]:
    """(cells,) mean scores of test rows and (tasks,) variances, by the equations of the method."""
    k, m = counts.shape
    p = M.shape[1]
    train = gaussian_mixture(M.reshape(k, m, p), counts, random_state=seed)
    y, P = labels.reshape(k, m)[train.task, train.y], np.eye(k)[train.task]
    centres = P.T @ train.X / P.sum(axis=0)[:, None]
    X = train.X - centres[train.task]
    H = A[np.ix_(train.task, train.task)] * (X @ X.T) / (k * p) + np.eye(len(X))
    H_P, H_y = np.linalg.solve(H, P), np.linalg.solve(H, y)
    b = np.linalg.solve(P.T @ H_P, P.T @ H_y)
    W = (A[:, train.task] * (H_y - H_P @ b)) @ X / (k * p)
    scores = np.einsum("tp,tjp->tj", W, M.reshape(k, m, p) - centres[:, None]) + b[:, None]
    return scores.ravel(), (W**2).sum(axis=1)


@each_case
def test_scores_and_errors_are_those_of_fits(gram: Floats, counts: Floats, p: int) -> None:
    M = population_means(gram, p)
    y = np.random.default_rng(0).standard_normal(counts.size)
    fits = [fitted(M, counts, y, seed) for seed in range(40)]
    scores, variances = (np.array(part) for part in zip(*fits, strict=True))
    assert_within(scores, lssvm_score_means(gram, counts, p, y, **STRENGTHS))  # type: ignore[arg-type]
    assert_within(variances, lssvm_score_variances(gram, counts, p, y, **STRENGTHS))  # type: ignore[arg-type]
    if counts.shape[1] == 2:
        gaps = (scores[:, 2] - scores[:, 3]) / np.sqrt(variances[:, 1])
        theory = lssvm_error_rate(gram, counts, p, y, target=1, **STRENGTHS)  # type: ignore[arg-type]
        assert_within(gap_to_error(gaps), theory)


def test_no_other_labels_are_better() -> None:
    gram, counts, p = CASES["unbalanced"]
    rng = np.random.default_rng(0)
    y = lssvm_optimal_labels(gram, counts, p, target=1, **STRENGTHS)  # type: ignore[arg-type]
    best = lssvm_error_rate(gram, counts, p, y, target=1, **STRENGTHS)  # type: ignore[arg-type]
    for size in (0.01, 0.1, 1.0):
        other = y + size * np.abs(y).max() * rng.standard_normal(y.shape)
        assert lssvm_error_rate(gram, counts, p, other, target=1, **STRENGTHS) >= best  # type: ignore[arg-type]
    np.testing.assert_allclose((y * counts).sum(axis=1), 0, atol=1e-8 * np.abs(y * counts).max())


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_without_strength_the_optimum_is_that_of_supervised_pca(beta: float) -> None:
    gram = np.kron([[1, beta], [beta, 1]], [[1, -1], [-1, 1]])
    counts = [[1000, 1000], [50, 50]]
    expected = optimal_error_rate(gram, counts, 100, target=1)
    differences = []
    for strength in (1e-2, 1e-4):
        y = lssvm_optimal_labels(
            gram, counts, 100, target=1, shared_strength=strength, task_strengths=strength
        )
        error = lssvm_error_rate(
            gram, counts, 100, y, target=1, shared_strength=strength, task_strengths=strength
        )
        differences.append(error - expected)
    assert 0 <= differences[1] < 1e-6
    assert differences[1] < 0.01 * differences[0]


def test_tasks_without_a_shared_part_are_fitted_apart() -> None:
    gram, counts, p = CASES["unbalanced"]
    y = np.array([1.0, -1, 1, -1])
    both = lssvm_score_means(gram, counts, p, y, shared_strength=0, task_strengths=2)
    # One task alone has k = 1 in the kernel: half the strength is the same kernel.
    alone = lssvm_score_means(
        gram[2:, 2:], counts[1:], p, y[2:], shared_strength=0, task_strengths=1
    )
    np.testing.assert_allclose(both[2:], alone)


def test_best_strengths_beat_all_others() -> None:
    gram, counts, p = CASES["unbalanced"]
    y = [1, -1, 1, -1]
    found = lssvm_optimal_strengths(gram, counts, p, y, target=1)
    at_found = lssvm_error_rate(
        gram,
        counts,
        p,
        y,
        target=1,
        shared_strength=found.shared_strength,
        task_strengths=found.task_strengths,
    )
    assert at_found == pytest.approx(found.error_rate)
    for shared in (0.002, 0.1, 1, 30):
        for own in (0.002, 0.1, 1, 30):
            other = lssvm_error_rate(
                gram, counts, p, y, target=1, shared_strength=shared, task_strengths=own
            )
            assert other >= found.error_rate - 1e-9
