"""The Gaussian models: rows follow the population they carry."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from kinspan.datasets import GaussianTasks, gaussian_mixture, many_class_means, related_means

P = 6
MEANS = np.random.default_rng(3).normal(size=(3, 2, P))
COUNTS = np.array([[400, 300], [200, 500], [350, 250]])


def some_covariances(*shape: int) -> NDArray[np.float64]:
    A = np.random.default_rng(5).normal(size=(*shape, P, P))
    return np.asarray(A @ A.swapaxes(-1, -2) / P)


def rows_of(drawn: GaussianTasks, t: int, j: int) -> NDArray[np.float64]:
    return np.asarray(drawn.X[(drawn.task == t) & (drawn.y == j)])


def cells() -> list[tuple[int, int]]:
    return [(t, j) for t in range(3) for j in range(2)]


def test_cells_have_the_counts_asked_for() -> None:
    drawn = gaussian_mixture(MEANS, COUNTS, random_state=0)
    assert drawn.X.shape == (COUNTS.sum(), P)
    np.testing.assert_array_equal(
        [[len(rows_of(drawn, t, j)) for j in range(2)] for t in range(3)], COUNTS
    )


def test_one_count_serves_every_cell() -> None:
    drawn = gaussian_mixture(MEANS, 7, random_state=0)
    np.testing.assert_array_equal(drawn.counts, np.full((3, 2), 7))


@pytest.mark.parametrize("shape", [None, (), (3, 2)], ids=["identity", "one", "per cell"])
def test_sample_means_are_within_four_standard_errors(shape: tuple[int, ...] | None) -> None:
    covariances = None if shape is None else some_covariances(*shape)
    drawn = gaussian_mixture(MEANS, COUNTS, covariances=covariances, random_state=1)
    C = np.broadcast_to(np.eye(P) if covariances is None else covariances, (3, 2, P, P))
    for t, j in cells():
        error = rows_of(drawn, t, j).mean(axis=0) - MEANS[t, j]
        standard_error = np.sqrt(np.diag(C[t, j]) / COUNTS[t, j])
        assert np.all(np.abs(error) < 4 * standard_error)


@pytest.mark.parametrize("shape", [(), (3, 2)], ids=["one", "per cell"])
def test_whitened_rows_have_the_identity_as_covariance(shape: tuple[int, ...]) -> None:
    covariances = some_covariances(*shape)
    drawn = gaussian_mixture(MEANS, 4000, covariances=covariances, random_state=2)
    C = np.broadcast_to(covariances, (3, 2, P, P))
    for t, j in cells():
        white = np.linalg.solve(np.linalg.cholesky(C[t, j]), (rows_of(drawn, t, j) - MEANS[t, j]).T)
        error = white @ white.T / 4000 - np.eye(P)
        standard_error = np.sqrt((1 + np.eye(P)) / 4000)
        assert np.all(np.abs(error) < 4 * standard_error)


def test_rows_are_gaussian_in_norm() -> None:
    drawn = gaussian_mixture(np.zeros((1, 1, P)), 5000, random_state=0)
    below = np.mean(np.square(drawn.X).sum(axis=1) < chi2.ppf(0.9, P))
    assert abs(below - 0.9) < 4 * np.sqrt(0.9 * 0.1 / 5000)


def test_a_singular_covariance_keeps_rows_on_its_range() -> None:
    C = np.diag([1.0] * (P - 1) + [0.0])
    drawn = gaussian_mixture(np.zeros((1, 2, P)), 5, covariances=C, random_state=0)
    np.testing.assert_allclose(drawn.X[:, -1], 0, atol=1e-12)
    assert np.abs(drawn.X[:, 0]).max() > 0


def test_mean_gram_holds_the_inner_products_of_the_cells() -> None:
    drawn = gaussian_mixture(MEANS, 1, random_state=0)
    naive = [[MEANS[s, i] @ MEANS[t, j] for t, j in cells()] for s, i in cells()]
    np.testing.assert_allclose(drawn.mean_gram, naive)


def test_seed_decides_the_rows() -> None:
    one, same, other = (gaussian_mixture(MEANS, 5, random_state=s).X for s in (4, 4, 5))
    np.testing.assert_array_equal(one, same)
    assert not np.any(one == other)


def test_fresh_rows_share_the_population_but_not_the_noise() -> None:
    train = gaussian_mixture(MEANS, COUNTS, covariances=some_covariances(3, 2), random_state=9)
    fresh = train.sample(COUNTS, random_state=9)
    np.testing.assert_array_equal(fresh.mean_gram, train.mean_gram)
    np.testing.assert_array_equal(fresh.y, train.y)
    correlation = np.corrcoef(
        (fresh.X - MEANS[fresh.task, fresh.y])[:, 0], (train.X - MEANS[train.task, train.y])[:, 0]
    )[0, 1]
    assert abs(correlation) < 4 / np.sqrt(COUNTS.sum())


def test_a_generator_is_drawn_from_in_place() -> None:
    generator = np.random.default_rng(0)
    first = gaussian_mixture(MEANS, 3, random_state=generator)
    second = first.sample(3, random_state=generator)
    assert not np.any(first.X == second.X)


def test_the_population_does_not_change_with_the_arguments() -> None:
    means = MEANS.copy()
    drawn = gaussian_mixture(means, 2, random_state=0)
    means[:] = 0
    np.testing.assert_array_equal(drawn.means, MEANS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"means": np.zeros((2, 3))}, r"means has shape \(2, 3\); give finite"),
        ({"means": np.full((1, 2, 3), np.nan)}, "give finite numbers"),
        ({"counts": -1}, "counts is -1; give an integer from 0"),
        ({"counts": [1, 2]}, r"counts is \[1, 2\].*shape \(3, 2\)"),
        ({"counts": 1.5}, "counts is 1.5"),
        ({"covariances": np.eye(2)}, r"covariances has shape \(2, 2\); give \(6, 6\)"),
        ({"covariances": -np.eye(P)}, "least eigenvalue -1; give symmetric"),
        ({"covariances": np.triu(np.ones((P, P)))}, "give symmetric"),
        ({"random_state": -3}, "random_state is -3; give an integer from 0"),
        ({"random_state": "seed"}, "random_state is 'seed'"),
    ],
)
def test_what_is_wrong_is_named(arguments: dict[str, object], message: str) -> None:
    valid: dict[str, object] = {"means": MEANS, "counts": 1}
    with pytest.raises(ValueError, match=message):
        gaussian_mixture(**(valid | arguments))  # type: ignore[arg-type]


@pytest.mark.parametrize("beta", [-1.0, 0.0, 0.3, 1.0])
def test_two_related_tasks_are_those_of_figure_2(beta: float) -> None:
    means = related_means([1, beta], 5)
    mu = np.array([[1, 0, 0, 0, 0], [beta, 0, 0, 0, np.sqrt(1 - beta**2)]])
    np.testing.assert_allclose(means, np.stack([-mu, mu], axis=1))


def test_own_directions_give_products_of_similarities() -> None:
    beta = np.array([0.9, 0.2, -0.5, 0.7])
    mu = related_means(beta, 9)[:, 1]
    expected = np.outer(beta, beta)
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(mu @ mu.T, expected)


def test_a_shared_direction_gives_the_cosines_of_figure_3() -> None:
    beta = np.random.default_rng(0).uniform(size=40)
    mu = related_means(beta, 7, directions="shared")[:, 1]
    angle = np.arccos(beta)
    np.testing.assert_allclose(mu @ mu.T, np.cos(angle[:, None] - angle))


def test_many_classes_are_orthogonal_within_a_task_and_related_across() -> None:
    beta = np.array([0.2, 0.4, 0.6])
    means = many_class_means(beta, 200, 10)
    np.testing.assert_array_equal(means[:, 0, [0, 198]], 2 * np.c_[beta, np.sqrt(1 - beta**2)])
    gram = np.einsum("sip,tjp->stij", means, means)
    cosines = np.cos(np.arccos(beta)[:, None] - np.arccos(beta))
    np.testing.assert_allclose(gram, 4 * cosines[:, :, None, None] * np.eye(10), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: related_means([1, 1.2], 5), r"similarities is \[1, 1.2\]; give one number"),
        (lambda: related_means(0.5, 5), "similarities is 0.5"),
        (lambda: related_means([1, 0.5, 0.2], 3), "n_features is 3; .* at least 4"),
        (lambda: related_means([1], 5, directions="any"), "directions='any'; use one of 'own'"),  # type: ignore[arg-type]
        (lambda: many_class_means([0.5], 20, 10), "n_features is 20; .* at least 21"),
    ],
)
def test_impossible_means_are_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
