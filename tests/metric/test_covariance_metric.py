"""A share of the covariance in the metric: what it is, and what it is good for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, MultiTaskSPCA
from kinspan.metric import covariance_of_rows, in_basis, in_metric, scaled_moments
from kinspan.selection.prepared import _covariance
from kinspan.selection.scales import Scaling, residuals_of
from tests.worlds import random_world, sampled_rows


@pytest.mark.parametrize(("n", "p"), [(50, 6), (5, 20)])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.95])
def test_inner_products_in_the_metric(n: int, p: int, share: float) -> None:
    """Rows of the span of samples and means, in the basis and stretched: xᵀ metric⁻¹ y."""
    rng = np.random.default_rng(0)
    residuals, weights = rng.normal(size=(n, p)) * np.arange(1, p + 1), rng.uniform(1, 3, n)
    means = rng.normal(size=(2, 2, p))
    covariance = covariance_of_rows(residuals, sampled_rows(np.arange(n) % 2, weights), means)
    C = (weights[:, None] * residuals).T @ residuals / weights.sum()
    inverse = np.linalg.inv((1 - share) * np.eye(p) + share * C / (np.trace(C) / p))
    rows = np.concatenate([residuals, means.reshape(-1, p)])
    turned = covariance.basis.coordinates(rows) / np.sqrt(covariance.stretch(share))
    expected = rows @ inverse @ rows.T
    np.testing.assert_allclose(turned @ turned.T, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(
        covariance.basis.turned_back(turned / np.sqrt(covariance.stretch(share))) @ rows.T,
        expected,
        rtol=1e-6,
        atol=1e-7,
    )
    np.testing.assert_allclose(
        covariance.basis.turned_back(covariance.residuals), residuals, atol=1e-8
    )


def test_directions_are_orthonormal_where_rows_span_the_means() -> None:
    """Fewer rows than features, of which few vary: nothing of the means is outside but rounding."""
    rng = np.random.default_rng(0)
    spread = np.where(np.arange(60) < 20, 10.0 ** -(np.arange(60) % 5), 0.0)
    residuals = rng.normal(size=(40, 60)) * spread
    means = rng.normal(size=(3, 2, 60)) * spread
    covariance = covariance_of_rows(residuals, sampled_rows(np.arange(40) % 6), means)
    axes = covariance.basis.turned_back(np.eye(len(covariance.values)))
    np.testing.assert_allclose(axes @ axes.T, np.eye(len(axes)), atol=1e-6)
    found = covariance.basis.turned_back(covariance.basis.coordinates(means))
    np.testing.assert_allclose(found, means, atol=1e-6)


@pytest.mark.parametrize(("n", "p", "decay"), [(3, 200, 0.0), (3, 200, 1.0), (10, 50, 1.0)])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.8])
def test_noise_in_the_metric_is_that_of_rows_it_has_not_seen(
    n: int, p: int, decay: float, share: float
) -> None:
    """tr C and (tr C)²/tr C² of new rows in the metric, against the true covariance."""
    rng = np.random.default_rng(0)
    truth = np.arange(1, p + 1) ** -decay
    truth *= p / truth.sum()
    ratios, dimensions = [], []
    for _ in range(40):
        rows = rng.normal(size=(16, n, p)) * np.sqrt(truth)
        residuals = (rows - rows.mean(axis=1, keepdims=True)).reshape(-1, p)
        of_cells = sampled_rows(np.repeat(np.arange(16), n))
        covariance = covariance_of_rows(residuals, of_cells, rows[:, :1])
        scatter = residuals.T @ residuals / len(residuals) / covariance.mean_value
        C = np.linalg.solve((1 - share) * np.eye(p) + share * scatter, np.diag(truth))
        seen = (covariance.values / covariance.stretch(share)).sum() / p
        ratios.append(seen * covariance.noise(share).longer / (np.trace(C) / p))
        dimensions.append(np.trace(C @ C) / np.trace(C) ** 2 * covariance.noise(share).dimension)
    for found, bias in ((ratios, 0.02), (dimensions, 0.1)):  # of ratios of estimates
        assert abs(np.mean(found) - 1.0) < bias + 4 * np.std(found) / np.sqrt(40)


def test_the_dimension_of_many_rows_does_not_depend_on_their_order() -> None:
    rng = np.random.default_rng(0)
    residuals, cells = rng.normal(size=(600, 5)), rng.integers(0, 4, 600)
    keys = rng.permutation(600).astype(np.uint64)
    found = []
    for order in (np.arange(600), rng.permutation(600)):
        rows = sampled_rows(cells[order])._replace(keys=keys[order])
        found.append(
            covariance_of_rows(residuals[order], rows, np.zeros((1, 5))).noise(0.4).dimension
        )
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    assert 4 < found[0] < 6


def test_a_single_cell_with_several_rows_has_a_dimension() -> None:
    rng = np.random.default_rng(0)
    residuals = rng.normal(size=(101, 30))
    covariance = covariance_of_rows(residuals, sampled_rows([0] * 100 + [1]), np.zeros((1, 30)))
    assert 25 < covariance.noise(0.0).dimension < 35


@pytest.mark.parametrize("n", [2, 5, 20])
def test_effective_dimension_of_small_cells(n: int) -> None:
    """Identity noise: the cell means that were taken out are no rows of their own."""
    rng = np.random.default_rng(0)
    y, task = np.tile(np.repeat([0, 1], n), 10), np.repeat(np.arange(10), 2 * n)
    clf = MultiTaskSPCA(metric=0, scale=None).fit(rng.normal(size=(20 * n, 200)), y, task=task)
    assert clf.sample_ is not None
    scaled = scaled_moments(clf.moments_, None)
    sample = clf.sample_
    residuals = residuals_of(scaled, sample, np.zeros(200), sample.task_codes)
    covariance = _covariance(Scaling(scaled, scaled, residuals, None), sample)
    assert covariance is not None
    assert 150 < in_metric(in_basis(scaled, covariance), covariance, 0.0).dimension <= 200


@pytest.mark.parametrize("n", [20, 900])
def test_rows_turned_in_their_own_place_are_the_same(n: int) -> None:
    residuals = np.random.default_rng(0).normal(size=(n, 200))
    rows, means = sampled_rows(np.arange(n) % 2), np.zeros((1, 2, 200))
    first = covariance_of_rows(residuals, rows, means)
    again = covariance_of_rows(residuals.copy(), rows, means, overwrite=True)
    np.testing.assert_array_equal(first.residuals, again.residuals)
    np.testing.assert_allclose(first.basis.coordinates(residuals), first.residuals, atol=1e-9)


def test_without_covariance_noise_stays_what_it_is() -> None:
    X, y, task = random_world(0)
    scaled = scaled_moments(ClassMoments.from_samples(X, y, task), "pooled")
    residuals = X / scaled.scale[0] - scaled.means[task, y]
    covariance = covariance_of_rows(residuals, sampled_rows(task * 3 + y), scaled.means)
    same = in_metric(in_basis(scaled, covariance), covariance, 0.0)
    np.testing.assert_allclose(same.cell_noise, scaled.cell_noise)
    changed = in_metric(in_basis(scaled, covariance), covariance, 0.7)
    stretched = covariance.basis.coordinates(residuals) / np.sqrt(covariance.stretch(0.7))
    seen = (stretched**2).sum() / (residuals**2).sum()
    assert (changed.cell_noise > scaled.cell_noise * seen).all()


def correlated_world(seed: int) -> tuple[Any, Any, Any]:
    """Two strong noise directions hide the classes."""
    rng = np.random.default_rng(seed)
    y, task = rng.integers(0, 2, 400), rng.integers(0, 5, 400)
    noise = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 20)) * 3
    return noise + rng.normal(size=(400, 20)) + 0.5 * y[:, None], y, task


def test_the_metric_is_chosen_by_the_forecast_and_helps_with_correlated_noise() -> None:
    X, y, task = correlated_world(0)
    new_X, new_y, new_task = correlated_world(0)
    rng = np.random.default_rng(5)
    train = rng.uniform(size=400) < 0.3
    auto = MultiTaskSPCA().fit(X[train], y[train], task=task[train])
    plain = MultiTaskSPCA(metric=0).fit(X[train], y[train], task=task[train])
    test = (new_X[~train], new_y[~train])
    assert (auto.metric_ > 0.2).all()
    assert (
        auto.score(*test, task=new_task[~train]) > plain.score(*test, task=new_task[~train]) + 0.1
    )


def test_without_correlation_nothing_is_lost() -> None:
    rng = np.random.default_rng(0)
    means = rng.normal(size=20) * 0.5
    errors = []
    for _ in range(10):
        y, task = np.tile([0, 1], 100), np.repeat(np.arange(5), 40)
        X = rng.normal(size=(200, 20)) + y[:, None] * means
        models = [MultiTaskSPCA(metric=m).fit(X, y, task=task) for m in ("auto", 0.0)]
        y, task = np.tile([0, 1], 1000), np.repeat(np.arange(5), 400)
        new = rng.normal(size=(2000, 20)) + y[:, None] * means
        errors.append([1 - model.score(new, y, task=task) for model in models])
    assert np.mean(errors, axis=0)[0] < np.mean(errors, axis=0)[1] + 0.01


@pytest.mark.parametrize("n_classes", [2, 4])
def test_rows_of_the_rules_are_in_the_units_of_the_input(n_classes: int) -> None:
    X, y, task = random_world(1, n_classes=n_classes)
    clf = MultiTaskSPCA(metric=0.6, scale="pooled").fit(X, y, task=task)
    units = np.array([1e-3, 1.0, 3.0, 1e3, 0.1, 7.0, 2.0])
    other = MultiTaskSPCA(metric=0.6, scale="pooled").fit(X * units, y, task=task)
    np.testing.assert_allclose(other.coef_ * units, clf.coef_, rtol=1e-6, atol=1e-9)
    scores = np.array([clf.coef_[t] @ x + clf.intercept_[t] for x, t in zip(X, task, strict=True)])
    np.testing.assert_allclose(
        clf.decision_function(X, task=task).reshape(scores.shape), scores, atol=1e-9
    )


@pytest.mark.parametrize("unit", [1e-30, 7.0, 1e30])
def test_the_unit_of_all_features_does_not_matter(unit: float) -> None:
    """Features as they are take part in the default: of theirs only the common unit is free."""
    X, y, task = random_world(1, n_classes=2)
    clf, other = (MultiTaskSPCA().fit(rows, y, task=task) for rows in (X, X * unit))
    np.testing.assert_allclose(other.coef_ * unit, clf.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(other.forecast_error_, clf.forecast_error_, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["shared", "one-vs-all"])
def test_forecasts_are_near_the_error_on_correlated_features(
    n_classes: int, multi_class: str
) -> None:
    """The formula of the paper is far off here; leaving out rows is not."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(30, 30)) / np.sqrt(30) + np.diag(rng.uniform(0, 2, 30))
    means = rng.normal(size=(n_classes, 30)) * 0.15
    own = rng.normal(size=(8, n_classes, 30)) * 0.1

    def draw(n: int) -> tuple[Any, Any, Any]:
        task = np.repeat(np.arange(8), n * n_classes)
        y = np.tile(np.repeat(np.arange(n_classes), n), 8)
        return rng.normal(size=(len(y), 30)) @ mixing + means[y] + own[task, y], y, task

    X, y, task = draw(40)
    clf = MultiTaskSPCA(multi_class=multi_class).fit(X, y, task=task)
    new, new_y, new_task = draw(2000)
    wrong = clf.predict(new, task=new_task) != new_y
    actual = np.array([wrong[new_task == t].mean() for t in range(8)])
    assert np.abs(clf.forecast_error_ - actual).mean() < 0.05
    assert abs((clf.forecast_error_ - actual).mean()) < 0.03
    inside = (clf.forecast_interval_[:, 0] <= actual) & (actual <= clf.forecast_interval_[:, 1])
    assert inside.mean() >= 0.6


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metric": 1.0}, "metric=1.0; use"),
        ({"metric": -0.1}, "metric=-0.1; use"),
        ({"metric": "best"}, "metric='best'; use"),
        ({"row_sample": -1}, "row_sample=-1; use"),
        ({"row_sample": 2.5}, "row_sample=2.5; use"),
        ({"metric": 0.5, "row_sample": 0}, "metric=0.5 needs sampled rows"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    X, y, task = random_world(2)
    with pytest.raises(ValueError, match=message):
        MultiTaskSPCA(**parameters).fit(X, y, task=task)


def _rare_features(rng: np.random.Generator, n: int, y: Any) -> Any:
    """Ten Gaussian features with a signal, and two hundred that one row in a hundred has."""
    dense = rng.normal(size=(n, 10)) + 0.8 * y[:, None]
    rare = (rng.uniform(size=(n, 200)) < 0.01) * rng.exponential(size=(n, 200))
    return np.hstack([dense, rare])


def test_features_that_are_seldom_there_count_less_where_that_helps() -> None:
    rng = np.random.default_rng(0)
    y, task = np.tile([0, 1], 60), np.repeat(np.arange(6), 20)
    new_y = np.tile([0, 1], 2000)
    X, new = _rare_features(rng, 120, y), _rare_features(rng, 4000, new_y)
    auto, pooled = (
        MultiTaskSPCA(scale=scale, metric=0).fit(X, y, task=task) for scale in ("auto", "pooled")
    )
    assert auto.score(new, new_y, task=0) > pooled.score(new, new_y, task=0) + 0.02


def test_single_precision_finds_the_same_metric() -> None:
    """Rows that came in single precision have no more digits to lose."""
    rng = np.random.default_rng(0)
    residuals, rows = rng.normal(size=(400, 20)), sampled_rows(np.arange(400) % 4, np.ones(400))
    means = rng.normal(size=(2, 2, 20))
    single, double = (
        covariance_of_rows(residuals.astype(kind), rows, means) for kind in (np.float32, np.float64)
    )
    np.testing.assert_allclose(single.values, double.values, rtol=1e-5)
    found, expected = (of._squared_lengths((0.0, 0.8)) for of in (single, double))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert np.abs(single.values - double.values).max() > 0


def test_the_noise_of_a_metric_is_known_when_rows_are_gone() -> None:
    rng = np.random.default_rng(0)
    rows, means = sampled_rows(np.arange(60) % 4, np.ones(60)), rng.normal(size=(2, 2, 5))
    found = covariance_of_rows(rng.normal(size=(60, 5)), rows, means)
    found.look_at((0.0, 0.4))
    light = found.without_rows()
    assert light.residuals.base is None
    assert not light.residuals.size
    assert light.noise(0.4) == found.noise(0.4)
