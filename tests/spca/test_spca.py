"""The estimator: what its attributes mean, laws that it obeys, and what it is for."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone

from kinspan import ClassMoments, MultiTaskSPCA
from kinspan._validation.labelled_rows import CheckedRows
from kinspan.datasets import gaussian_mixture, load_digit_pairs, related_means
from kinspan.row_sample import RowSample
from kinspan.selection import candidates
from tests.worlds import fitted, random_world

RULES = ["auto", "spectral", "plugin", "naive", "single"]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["shared", "one-vs-all"])
def test_attributes_have_the_promised_shapes(n_classes: int, multi_class: str) -> None:
    clf, world = fitted(n_classes=n_classes, multi_class=multi_class)
    rows = 1 if n_classes == 2 else n_classes
    assert clf.coef_.shape == (4, rows, 7)
    assert clf.intercept_.shape == (4, rows)
    assert clf.labels_.shape == (4, rows, 4, n_classes)
    assert clf.relatedness_.shape == (4, 4)
    assert clf.forecast_error_.shape == clf.single_task_error_.shape == (4,)
    assert clf.tasks_.tolist() == [0, 1, 2, 3]
    assert clf.classes_.tolist() == list(range(n_classes))
    decision = clf.decision_function(world.X, task=world.task)
    assert decision.shape == ((300,) if n_classes == 2 else (300, 3))
    assert clf.predict_proba(world.X, task=world.task).shape == (300, n_classes)
    assert clf.transform(world.X, task=world.task).shape == (300, n_classes - 1)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("multi_class", ["shared", "one-vs-all"])
def test_decisions_are_the_linear_rules_in_the_units_of_the_input(
    n_classes: int, multi_class: str
) -> None:
    clf, (X, _, task) = fitted(n_classes=n_classes, multi_class=multi_class)
    scores = np.array([clf.coef_[t] @ x + clf.intercept_[t] for x, t in zip(X, task, strict=True)])
    found = clf.decision_function(X, task=task)
    np.testing.assert_allclose(found.reshape(scores.shape), scores)
    answers = (scores[:, 0] > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
    np.testing.assert_array_equal(clf.predict(X, task=task), answers)
    best = clf.predict_proba(X, task=task).argmax(axis=1)
    np.testing.assert_array_equal(clf.predict(X, task=task), best)


@pytest.mark.parametrize("labels", [rule for rule in RULES if rule != "auto"])
@pytest.mark.parametrize("multi_class", ["shared", "one-vs-all"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rules_are_sums_of_labelled_samples(labels: str, multi_class: str, n_classes: int) -> None:
    """Supervised PCA: the direction is Σ ỹ x over all samples, with the labels that are shown."""
    clf, (X, y, task) = fitted(1, n_classes, labels=labels, multi_class=multi_class, scale=None)
    shown = clf.labels_
    for t in range(4):
        for row in range(clf.coef_.shape[1]):
            direction = shown[t, row][task, y] @ X
            cosine = direction @ clf.coef_[t, row]
            cosine /= np.linalg.norm(direction) * np.linalg.norm(clf.coef_[t, row])
            assert cosine == pytest.approx(1.0, abs=1e-9)


def test_single_task_direction_is_the_difference_of_the_class_means() -> None:
    clf, (X, y, task) = fitted(2, labels="single", scale=None)
    for t in range(4):
        means = [X[(task == t) & (y == j)].mean(axis=0) for j in (0, 1)]
        direction = means[1] - means[0]
        cosine = direction @ clf.coef_[t, 0] / np.linalg.norm(direction)
        assert cosine / np.linalg.norm(clf.coef_[t, 0]) == pytest.approx(1.0)
        # The threshold is the middle of the means, less the noise it shares with the direction.
        rows = [X[(task == t) & (y == j)] for j in (0, 1)]
        noise = [cell.var(axis=0, ddof=1).sum() / len(cell) for cell in rows]
        factor = np.linalg.norm(clf.coef_[t, 0]) / np.linalg.norm(direction)
        middle = clf.coef_[t, 0] @ (means[0] + means[1]) / 2 + clf.intercept_[t, 0]
        assert middle == pytest.approx(factor * (noise[1] - noise[0]) / 2, abs=1e-9)


def test_the_plug_in_equals_the_short_form_of_the_theory() -> None:
    """w = Δ̂ a with a = (Γ̂ + diag ν)⁻¹ Γ̂ e_t, written out for two classes where Γ̂ is positive."""
    X, y, task = random_world(3, n=4000, n_classes=2)
    clf = MultiTaskSPCA(labels="plugin", scale=None, metric=0).fit(X, y, task=task)
    cells = [[X[(task == t) & (y == j)] for j in (0, 1)] for t in range(4)]
    delta = np.array([second.mean(axis=0) - first.mean(axis=0) for first, second in cells])
    nu = [sum(rows.var(axis=0, ddof=1).sum() / len(rows) for rows in pair) for pair in cells]
    gram = delta @ delta.T - np.diag(nu)
    assert np.linalg.eigvalsh(gram).min() > 0
    for t in range(4):
        direction = np.linalg.solve(delta @ delta.T, gram[:, t]) @ delta
        cosine = direction @ clf.coef_[t, 0] / np.linalg.norm(direction)
        assert cosine / np.linalg.norm(clf.coef_[t, 0]) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("labels", RULES)
@pytest.mark.parametrize(("scale", "n_classes"), [("pooled", 2), ("task", 3), (None, 2)])
def test_names_and_order_do_not_matter(labels: str, scale: Any, n_classes: int) -> None:
    X, y, task = random_world(4, n_classes=n_classes)
    plain = MultiTaskSPCA(labels=labels, scale=scale).fit(X, y, task=task)
    order = np.random.default_rng(0).permutation(len(X))
    names, letters = np.array(["d", "a", "c", "b"]), np.array(["z", "y", "x"])
    other = clone(plain).fit(X[order], letters[y[order]], task=names[task[order]])
    # The order of classes is reversed: ties apart, every answer must be the same class.
    np.testing.assert_array_equal(
        other.predict(X, task=names[task]), letters[plain.predict(X, task=task)]
    )
    by_name = other.forecast_error_[np.argsort(np.argsort(names))]
    np.testing.assert_allclose(by_name, plain.forecast_error_, rtol=1e-8)


@pytest.mark.parametrize("multi_class", ["shared", "one-vs-all"])
def test_units_of_the_features_do_not_matter(multi_class: str) -> None:
    """With one scale: the default combines it with the units of the input."""
    X, y, task = random_world(5)
    plain = MultiTaskSPCA(multi_class=multi_class, scale="pooled").fit(X, y, task=task)
    units = np.array([1e-6, 1.0, 3.0, 1e6, 0.1, 7.0, 2.0])
    other = clone(plain).fit(X * units + 5.0, y, task=task)
    np.testing.assert_allclose(
        other.decision_function(X * units + 5.0, task=task),
        plain.decision_function(X, task=task),
        rtol=1e-6,
        atol=1e-6,
    )


def test_a_task_that_was_moved_away_keeps_its_answers() -> None:
    """Contrasts do not see offsets of a task; all tasks as one, in the units of the input, do."""
    X, y, task = random_world(6)
    moved = X + 10.0 * np.random.default_rng(0).normal(size=(4, 7))[task]
    a = MultiTaskSPCA(scale="pooled").fit(X, y, task=task)
    b = MultiTaskSPCA(scale="pooled").fit(moved, y, task=task)
    np.testing.assert_allclose(
        a.decision_function(X, task=task), b.decision_function(moved, task=task), atol=1e-8
    )


@pytest.mark.parametrize("metric", [0.0, "auto"])
def test_ready_moments_and_rows_give_the_same_model(metric: Any) -> None:
    X, y, task = random_world(7)
    clf = MultiTaskSPCA(metric=metric).fit(X, y, task=task)
    halves = [np.flatnonzero(np.arange(300) % 2 == i) for i in (1, 0)]
    moments = [ClassMoments.from_samples(X[h], y[h], task[h]) for h in halves]
    rows = [RowSample.from_checked(CheckedRows(X[h], y[h], task[h]), 100) for h in halves]
    other = MultiTaskSPCA(metric=metric).fit_moments(moments[0] + moments[1], rows[0] + rows[1])
    for name in ("metric_", "coef_", "intercept_", "forecast_error_", "forecast_interval_"):
        np.testing.assert_allclose(getattr(other, name), getattr(clf, name), rtol=1e-9, atol=1e-12)


def test_moments_alone_give_the_formula_of_the_paper() -> None:
    X, y, task = random_world(7)
    a = MultiTaskSPCA(row_sample=0).fit(X, y, task=task)
    b = MultiTaskSPCA().fit_moments(ClassMoments.from_samples(X, y, task))
    assert not a.metric_.any()
    assert not b.metric_.any()
    assert a.sample_ is None
    np.testing.assert_allclose(a.forecast_error_, b.forecast_error_)
    np.testing.assert_array_equal(a.predict(X, task=task), b.predict(X, task=task))


@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
def test_one_vs_all_equals_shared_for_two_classes_but_for_the_length(priors: Any) -> None:
    shared, (X, _, task) = fitted(8, priors=priors, row_sample=0)
    other, _ = fitted(8, multi_class="one-vs-all", priors=priors, row_sample=0)
    np.testing.assert_array_equal(shared.predict(X, task=task), other.predict(X, task=task))
    np.testing.assert_allclose(shared.forecast_error_, other.forecast_error_, rtol=1e-9)


def test_probabilities_are_calibrated_in_the_model_of_the_theory() -> None:
    means = related_means([1, 0.9, 0.8], 40)
    train = gaussian_mixture(means, 60, random_state=0)
    test = train.sample(20_000, random_state=1)
    clf = MultiTaskSPCA(scale=None).fit(train.X, train.y, task=train.task)
    probability = clf.predict_proba(test.X, task=test.task)[:, 1]
    for low in (0.1, 0.3, 0.5, 0.7, 0.9):
        chosen = np.abs(probability - low) < 0.05
        assert abs(test.y[chosen].mean() - low) < 0.05


@pytest.mark.parametrize("labels", RULES)
def test_the_forecast_is_the_error_in_the_model_of_the_theory(labels: str) -> None:
    """Few tasks and many labels, where the formula of the paper holds: mean over draws."""
    means = related_means([1, 0.7], 100)
    gaps = []
    for seed in range(10):
        train = gaussian_mixture(means, [[400, 400], [60, 60]], random_state=seed)
        clf = MultiTaskSPCA(labels=labels, scale=None).fit(train.X, train.y, task=train.task)
        margin = np.einsum("tp,tjp->tj", clf.coef_[:, 0], means) + clf.intercept_
        margin = margin / np.linalg.norm(clf.coef_[:, 0], axis=1, keepdims=True) * [-1, 1]
        gaps.append(clf.forecast_error_ - norm.sf(margin).mean(axis=1))
    # The plug-in estimates the relatedness from the same noise: optimistic by about a point here.
    assert np.all(np.abs(np.mean(gaps, axis=0)) < 0.02)


def test_transfer_helps_where_tasks_are_related_and_naive_pooling_hurts() -> None:
    error = dict.fromkeys(RULES, 0.0)
    for seed in range(4):
        digits = load_digit_pairs(n_per_class=5, random_state=seed)
        for labels in RULES:
            clf = MultiTaskSPCA(labels=labels).fit(digits.X, digits.y, task=digits.task)
            error[labels] += 1 - clf.score(digits.X_test, digits.y_test, task=digits.task_test)
    error = {labels: total / 4 for labels, total in error.items()}
    assert error["auto"] < 0.03
    assert error["auto"] < error["single"]
    assert error["naive"] > 0.2


def test_pickling_keeps_everything() -> None:
    clf, (X, _, task) = fitted(16, n_classes=3)
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(copy.predict_proba(X, task=task), clf.predict_proba(X, task=task))


@pytest.mark.filterwarnings("ignore::kinspan.exceptions.CopiesWarning")
def test_weights_equal_repeated_rows_in_every_result() -> None:
    X, y, task = random_world(17)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), weights)
    a = MultiTaskSPCA(priors="empirical").fit(X, y, task=task, sample_weight=weights)
    b = MultiTaskSPCA(priors="empirical").fit(X[repeated], y[repeated], task=task[repeated])
    for name in ("coef_", "intercept_", "forecast_error_", "single_task_error_", "labels_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-12)


def test_score_is_the_accuracy_with_weights() -> None:
    clf, (X, y, task) = fitted(18)
    weights = np.arange(300) % 3
    right = clf.predict(X, task=task) == y
    assert clf.score(X, y, task=task) == pytest.approx(right.mean())
    found = clf.score(X, y, task=task, sample_weight=weights)
    assert found == pytest.approx(np.average(right, weights=weights))


@pytest.mark.parametrize("m", [2, 4])
def test_rules_of_many_cells_are_found_again_instead_of_kept(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, task = random_world(3, n_classes=m)
    kept = MultiTaskSPCA().fit(X, y, task=task)
    monkeypatch.setattr(candidates, "_KEPT_NUMBERS", 0)
    again = MultiTaskSPCA().fit(X, y, task=task)
    np.testing.assert_allclose(again.coef_, kept.coef_, rtol=1e-9)
    np.testing.assert_allclose(again.forecast_error_, kept.forecast_error_, rtol=1e-9)
