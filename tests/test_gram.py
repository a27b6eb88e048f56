"""Inner products of contrasts: equal to their definition, and without bias."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments
from kinspan.gram import EachClassContrasts, SharedContrasts, VersusRestContrasts, cosines
from kinspan.labels import TaskWeights
from kinspan.metric import ScaledMoments, scaled_moments
from tests.worlds import random_world


def scaled_world(seed: int, missing: tuple[tuple[int, int], ...] = ()) -> ScaledMoments:
    X, y, task = random_world(seed)
    keep = ~np.any([(task == t) & (y == j) for t, j in missing], axis=0) if missing else slice(None)
    return scaled_moments(ClassMoments.from_samples(X[keep], y[keep], task[keep]), None)


def naive_shared_gram(scaled: ScaledMoments, classes: Any) -> tuple[Any, Any]:
    """Pair by pair, on those of some classes that both tasks have."""
    k = len(scaled.counts)
    gram, noise = np.zeros((k, k)), np.zeros(k)
    seen = (scaled.counts > 0) & classes
    for s in range(k):
        for t in range(k):
            common = np.flatnonzero(seen[s] & seen[t])
            if len(common) < 2:
                continue
            a = scaled.means[s][common] - scaled.means[s][common].mean(axis=0)
            b = scaled.means[t][common] - scaled.means[t][common].mean(axis=0)
            gram[s, t] = (a * b).sum()
        own = np.flatnonzero(seen[s])
        noise[s] = (1 - 1 / len(own)) * scaled.cell_noise[s, own].sum() if len(own) > 1 else 0.0
        gram[s, s] -= noise[s]
    return gram, noise


MISSING = [(), ((1, 0),), ((0, 0), (1, 1), (2, 2)), ((0, 0), (0, 1), (3, 2))]
TWO_CLASSES = tuple((t, 2) for t in range(4))


@pytest.mark.parametrize("missing", [*MISSING, TWO_CLASSES])
def test_shared_gram_equals_its_definition(missing: Any) -> None:
    scaled = scaled_world(0, missing)
    contrasts = SharedContrasts(scaled.means, scaled.counts, scaled.cell_noise)
    targets = [task for tasks, _ in contrasts.problems for task in tasks]
    assert sorted(targets) == [t for t in range(4) if (scaled.counts[t] > 0).sum() > 1]
    for (tasks, classes), rows in zip(contrasts.problems, contrasts.task_rows(), strict=True):
        assert all(((scaled.counts[t] > 0) == classes).all() for t in tasks)
        expected, expected_noise = naive_shared_gram(scaled, classes)
        np.testing.assert_allclose(rows.gram(), expected, atol=1e-12)
        np.testing.assert_allclose(rows.noise, expected_noise, atol=1e-12)
        n_classes = [int(((scaled.counts[t] > 0) & classes).sum()) for t in range(4)]
        assert rows.dimension == pytest.approx(7 * np.mean([n - 1 for n in n_classes if n > 1]))


@pytest.mark.parametrize("missing", MISSING)
def test_relatedness_equals_its_definition_where_tasks_lack_classes(missing: Any) -> None:
    """Cosines on the classes of both tasks, lengths without noise; all classes: made positive."""
    scaled = scaled_world(5, missing)
    contrasts = SharedContrasts(scaled.means, scaled.counts, scaled.cell_noise)
    expected = np.eye(4)
    for s in range(4):
        for t in set(range(4)) - {s}:
            common = (scaled.counts[s] > 0) & (scaled.counts[t] > 0)
            gram, _ = naive_shared_gram(scaled, common)
            length = np.sqrt(np.maximum([gram[s, s], gram[t, t]], 0.0)).prod()
            expected[s, t] = np.clip(gram[s, t] / length, -1, 1) if length > 0 else 0.0
    if not missing:
        expected = cosines(naive_shared_gram(scaled, np.ones(3, dtype=bool))[0])
    np.testing.assert_allclose(contrasts.relatedness(), expected, atol=1e-12)


def test_what_is_computed_once_is_kept() -> None:
    scaled = scaled_world(0)
    for kind in (SharedContrasts, EachClassContrasts, VersusRestContrasts):
        contrasts = kind(scaled.means, scaled.counts, scaled.cell_noise)
        assert contrasts.values is contrasts.values
        assert contrasts.coefficients is contrasts.coefficients


@pytest.mark.parametrize("missing", MISSING)
def test_versus_rest_equals_pooling_the_other_rows(missing: Any) -> None:
    X, y, task = random_world(1)
    keep = ~np.any([(task == t) & (y == j) for t, j in missing], axis=0) if missing else y >= 0
    X, y, task = X[keep], y[keep], task[keep]
    scaled = scaled_moments(ClassMoments.from_samples(X, y, task), None)
    contrasts = VersusRestContrasts(scaled.means, scaled.counts, scaled.cell_noise)
    for t in range(4):
        for j in range(3):
            own, rest = X[(task == t) & (y == j)], X[(task == t) & (y != j)]
            expected = own.mean(axis=0) - rest.mean(axis=0) if len(own) and len(rest) else 0.0
            np.testing.assert_allclose(contrasts.values[t, j] - expected, 0.0, atol=1e-12)


def random_weights(seed: int) -> TaskWeights:
    rng = np.random.default_rng(seed)
    left, right, diagonal = rng.normal(size=(4, 2)), rng.normal(size=(2, 4)), rng.normal(size=4)
    return TaskWeights(left, right, diagonal, diagonal, diagonal)


@pytest.mark.parametrize("kind", [SharedContrasts, EachClassContrasts, VersusRestContrasts])
@pytest.mark.parametrize("missing", [*MISSING, TWO_CLASSES])
def test_combining_tasks_is_a_choice_of_cell_weights(kind: Any, missing: Any) -> None:
    scaled = scaled_world(2, missing)
    contrasts = kind(scaled.means, scaled.counts, scaled.cell_noise)
    weights = [random_weights(seed) for seed, _ in enumerate(contrasts.task_rows())]
    cells = contrasts.cell_weights(weights)
    by_cell = np.einsum("tlsj,sjp->tlp", cells, scaled.means)
    np.testing.assert_allclose(contrasts.combine(weights), by_cell, atol=1e-12)
    shifted = np.einsum("tlsj,sj->tl", cells, scaled.counts > 0)
    np.testing.assert_allclose(shifted, 0.0, atol=1e-12)  # a common offset changes nothing


@pytest.mark.parametrize("kind", [SharedContrasts, VersusRestContrasts])
def test_estimates_have_no_bias(kind: Any) -> None:
    """Mean over draws within four standard errors of the population value, diagonal included."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(3, 3, 5)) * 0.5
    counts = np.array([[2, 5, 3], [4, 4, 9], [3, 2, 2]])
    cells = np.repeat(np.arange(9), counts.ravel())

    def grams(means: Any, counts: Any, cell_noise: Any) -> Any:
        return np.array([rows.gram() for rows in kind(means, counts, cell_noise).task_rows()])

    population = grams(means, counts.astype(float), np.zeros((3, 3)))
    draws = []
    for _ in range(500):
        X = means.reshape(9, 5)[cells] + rng.normal(size=(len(cells), 5))
        moments = ClassMoments.from_samples(X, cells % 3, cells // 3)
        scaled = scaled_moments(moments, None)
        draws.append(grams(scaled.means, scaled.counts, scaled.cell_noise))
    error = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(np.mean(draws, axis=0) - population) < 4 * error)


def test_large_offsets_leave_contrasts_and_gram_alone() -> None:
    """Offset 1e8, spread 1: within 1e-6 relative of a reference in extended precision."""
    X, y, task = random_world(3, n=2000, offset=1e8)
    scaled = scaled_moments(ClassMoments.from_samples(X, y, task), None)
    contrasts = SharedContrasts(scaled.means, scaled.counts, scaled.cell_noise)
    exact = X.astype(np.longdouble)
    cells = [[exact[(task == t) & (y == j)] for j in range(3)] for t in range(4)]
    means = np.array([[rows.mean(axis=0) for rows in row] for row in cells])
    reference = means - means.mean(axis=1, keepdims=True)
    noise = [[rows.var(axis=0, ddof=1).sum() / len(rows) for rows in row] for row in cells]
    stacked = reference.reshape(4, -1)
    gram = stacked @ stacked.T - np.diag(np.sum(noise, axis=1) * 2 / 3)
    size = np.abs(reference).max()
    np.testing.assert_allclose(contrasts.values, reference.astype(float), atol=1e-6 * size)
    length = np.sqrt(np.diagonal(stacked @ stacked.T)).astype(float)  # relative to ‖D_s‖ ‖D_t‖
    difference = contrasts.task_rows()[0].gram() - gram.astype(float)
    assert np.all(np.abs(difference) < 1e-6 * length[:, None] * length)


def test_rotation_and_row_order_do_not_matter() -> None:
    X, y, task = random_world(4)
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(7, 7)))[0]
    order = np.random.default_rng(1).permutation(len(X))
    grams = []
    for world in ((X, y, task), (X @ rotation, y, task), (X[order], y[order], task[order])):
        scaled = scaled_moments(ClassMoments.from_samples(*world), None)
        contrasts = SharedContrasts(scaled.means, scaled.counts, scaled.cell_noise)
        grams.append(contrasts.task_rows()[0].gram())
    np.testing.assert_allclose(grams[1], grams[0], atol=1e-10)
    np.testing.assert_allclose(grams[2], grams[0], atol=1e-10)


def test_cosines_of_a_positive_gram_are_cosines() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 3))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(cosines(rows @ rows.T), unit @ unit.T, atol=1e-12)


def test_cosines_of_an_indefinite_gram_stay_within_bounds() -> None:
    gram = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, -1.0]])
    related = cosines(gram)
    assert np.all(np.abs(related) <= 1)
    np.testing.assert_allclose(related[2], [0, 0, 1])


def test_tasks_with_some_classes_in_common_are_as_related_as_on_these_classes_alone() -> None:
    rng = np.random.default_rng(0)
    means = 5 * rng.normal(size=(10, 30))
    task = np.repeat([0, 1], [200, 40])
    y = np.concatenate([np.arange(200) % 10, np.arange(40) % 2])
    X = means[y] + rng.normal(size=(240, 30))
    scaled = scaled_moments(ClassMoments.from_samples(X, y, task), None)
    contrasts = SharedContrasts(scaled.means, scaled.counts, scaled.cell_noise)
    np.testing.assert_allclose(contrasts.relatedness(), 1.0, atol=0.05)


@pytest.mark.parametrize("kind", [SharedContrasts, EachClassContrasts, VersusRestContrasts])
def test_contrasts_combine_anything_as_their_coefficients_say(kind: Any) -> None:
    """Without a number for every pair of classes, of which there may be a million."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (5, 4)).astype(float)
    found = kind(rng.normal(size=(5, 4, 3)), counts, rng.random((5, 4)))
    values, variances = rng.normal(size=(5, 4, 3)), rng.random((5, 4))
    expected = np.einsum("tlj,tjp->tlp", found.coefficients, values)
    np.testing.assert_allclose(found.of_classes(values), expected, atol=1e-14)
    np.testing.assert_allclose(found.of_classes(values[..., 0]), expected[..., 0], atol=1e-14)
    squares = np.einsum("tlj,tj->tl", found.coefficients**2, variances)
    np.testing.assert_allclose(found.of_variances(variances), squares, atol=1e-14)
