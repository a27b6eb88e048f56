"""Input at the edges: a defined answer or a clear error, and never a NumPy warning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV

from kinspan import MultiTaskSPCA
from tests.worlds import random_world


def without(world: Any, *cells: tuple[int, int]) -> Any:
    X, y, task = world
    keep = ~np.any([(task == t) & (y == j) for t, j in cells], axis=0)
    return X[keep], y[keep], task[keep]


@pytest.mark.parametrize("labels", ["auto", "spectral", "plugin", "naive", "single"])
@pytest.mark.parametrize("multi_class", ["shared", "one-vs-all"])
@pytest.mark.parametrize("n_classes", [3, 4])
def test_a_class_that_a_task_has_not_seen_is_never_answered(
    labels: str, multi_class: str, n_classes: int
) -> None:
    world = random_world(0, n_classes=n_classes)
    X, y, task = without(world, (1, 0), (2, n_classes - 1))
    clf = MultiTaskSPCA(labels=labels, multi_class=multi_class).fit(X, y, task=task)
    for t, missing in ((1, 0), (2, n_classes - 1)):
        assert missing not in clf.predict(world.X, task=t)
        probability = clf.predict_proba(world.X, task=t)
        assert probability.shape == (300, n_classes)
        np.testing.assert_array_equal(probability[:, missing], 0.0)
        np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert np.isfinite(clf.decision_function(world.X, task=1)).all()
    several = np.array([len(np.unique(y[task == t])) > 1 for t in range(4)])
    np.testing.assert_array_equal(np.isfinite(clf.forecast_error_), several)


def test_unseen_classes_can_be_shared() -> None:
    """Four tasks with the same classes: the class missing in one is answered from the others."""
    rng = np.random.default_rng(0)
    means = 3 * rng.normal(size=(3, 10))
    y, task = rng.integers(0, 3, 600), rng.integers(0, 4, 600)
    offsets = 5 * rng.normal(size=(4, 10))
    X = means[y] + offsets[task] + rng.normal(size=(600, 10))
    seen = without((X, y, task), (1, 0), (2, 0), (2, 1))
    clf = MultiTaskSPCA(unseen_classes="share").fit(*seen[:2], task=seen[2])
    for t in (1, 2):  # task 2 has seen a single class
        rows = task == t
        assert clf.score(X[rows], y[rows], task=t) > 0.9


def test_tasks_with_no_class_in_common_leave_each_other_alone() -> None:
    X, y, task = random_world(1, n_tasks=2, n_classes=4)
    keep = (y < 2) == (task == 0)
    X, y, task = X[keep], y[keep], task[keep]
    clf = MultiTaskSPCA(scale=None).fit(X, y, task=task)
    alone = MultiTaskSPCA(scale=None, labels="single").fit(X, y, task=task)
    np.testing.assert_allclose(clf.relatedness_, np.eye(2))
    np.testing.assert_array_equal(clf.predict(X, task=task), alone.predict(X, task=task))


def test_a_task_with_a_single_class_is_taken_for_a_new_one() -> None:
    """It answers both classes, as well as what the others agree on allows."""
    X, y, task = without(random_world(2, n_classes=2), (3, 0))
    clf = MultiTaskSPCA().fit(X, y, task=task)
    assert set(clf.predict(X, task=3)) == {0, 1}
    np.testing.assert_allclose(clf.predict_proba(X, task=3).sum(axis=1), 1.0)
    assert np.isfinite(clf.forecast_error_).all()
    assert clf.single_task_error_[3] == 0.5


@pytest.mark.parametrize("n_classes", [2, 3])
def test_cells_with_one_sample(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    y, task = np.tile(np.arange(n_classes), 6), np.repeat(np.arange(6), n_classes)
    X = rng.normal(size=(len(y), 5)) + 4 * np.eye(n_classes, 5)[y]
    clf = MultiTaskSPCA().fit(X, y, task=task)
    assert np.isfinite(clf.coef_).all()
    assert clf.score(X, y, task=task) > 0.8


def test_one_sample_cells_beside_large_ones() -> None:
    X, y, task = random_world(3)
    one = np.flatnonzero((task == 0) & (y == 0))[1:]
    X, y, task = np.delete(X, one, axis=0), np.delete(y, one), np.delete(task, one)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    assert np.isfinite(clf.coef_).all()
    assert np.isfinite(clf.forecast_error_).all()


@pytest.mark.parametrize("labels", ["auto", "spectral", "plugin", "naive", "single"])
def test_tasks_that_all_have_a_single_class(labels: str) -> None:
    X, y, _ = random_world(2)
    clf = MultiTaskSPCA(labels=labels).fit(X, y, task=y)
    np.testing.assert_array_equal(clf.predict(X, task=y), y)
    np.testing.assert_array_equal(clf.relatedness_, np.eye(3))
    assert np.isnan(clf.forecast_error_).all()


@pytest.mark.parametrize("unseen_classes", ["never", "share"])
def test_what_tasks_agree_on_when_each_has_other_classes(unseen_classes: str) -> None:
    """Classes at 0, 4 and 8; half of the tasks know the first two, half the last two."""
    rng = np.random.default_rng(0)
    y, task = rng.integers(0, 3, 4000), rng.integers(0, 21, 4000)
    X = 4.0 * y[:, None] + rng.normal(size=(4000, 1))
    seen = (task < 20) & np.where(task < 10, y < 2, y > 0)
    clf = MultiTaskSPCA(unseen="shared", unseen_classes=unseen_classes)
    clf.fit(X[seen], y[seen], task=task[seen])
    assert clf.score(X[task == 20], y[task == 20], task="new") > 0.93
    if unseen_classes == "share":
        assert clf.score(X[task < 20], y[task < 20], task=task[task < 20]) > 0.93


def test_unseen_tasks_among_strangers_are_answered_without_confidence() -> None:
    rng = np.random.default_rng(0)
    means = 3 * rng.normal(size=(40, 2, 30)) / np.sqrt(30)
    task, y = np.repeat(np.arange(40), 40), np.tile(np.repeat([0, 1], 20), 40)
    X = means[task, y] + rng.normal(size=(1600, 30))
    clf = MultiTaskSPCA(unseen="shared").fit(X[task < 20], y[task < 20], task=task[task < 20])
    confidence = clf.predict_proba(X[task >= 20], task="new").max(axis=1)
    assert confidence.mean() < 0.6


def test_calibration_survives_a_task_with_one_class() -> None:
    rng = np.random.default_rng(0)
    y, task = rng.integers(0, 2, 600), rng.integers(0, 6, 600)
    X = rng.normal(size=(600, 5)) + 2 * y[:, None]
    wide, keep = np.column_stack([task, X]), (task > 0) | (y == 1)
    column = MultiTaskSPCA(task_column=0)
    calibrated = CalibratedClassifierCV(column, cv=3).fit(wide[keep], y[keep])
    assert calibrated.score(wide[task > 0], y[task > 0]) > 0.95


def test_a_task_that_is_mistyped_is_suggested() -> None:
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.tile([0, 1], 20)
    clf = MultiTaskSPCA().fit(X, y, task=np.repeat(["north", "south"], 20))
    for ask in (lambda: clf.predict(X, task="noth"), lambda: clf.remove_task("noth")):
        with pytest.raises(ValueError, match=r"did you mean 'north'\?"):
            ask()
    with pytest.raises(ValueError, match=r"'south'\. With"):
        clf.predict(X, task="x")
    clf.fit(X, y, task=np.repeat(["shop_32", "shop_02"], 20))
    with pytest.raises(ValueError, match=r"did you mean 'shop_02'\?"):
        clf.predict(X, task="Shop_2")
    with pytest.raises(ValueError, match=r"'shop_32'\. With"):  # it is probably new
        clf.predict(X, task="shop_33")


def test_unseen_tasks_are_an_error_unless_shared() -> None:
    rng = np.random.default_rng(0)
    y, task = rng.integers(0, 2, 400), rng.integers(0, 5, 400)
    X = rng.normal(size=(400, 6)) + 2.5 * np.eye(2, 6)[y]
    fit_on = task < 4
    clf = MultiTaskSPCA().fit(X[fit_on], y[fit_on], task=task[fit_on])
    with pytest.raises(ValueError, match=r"task contains 4, which fit has not seen; .*unseen='sha"):
        clf.predict(X, task=task)
    shared = MultiTaskSPCA(unseen="shared").fit(X[fit_on], y[fit_on], task=task[fit_on])
    assert shared.score(X[~fit_on], y[~fit_on], task=4) > 0.9
    assert shared.score(X[~fit_on], y[~fit_on], task="never heard of") > 0.9
    np.testing.assert_array_equal(
        shared.predict(X[fit_on], task=task[fit_on]), clf.predict(X[fit_on], task=task[fit_on])
    )
    assert shared.transform(X, task="new").shape == (400, 1)


@pytest.mark.parametrize("scale", ["pooled", "task", None])
def test_constant_and_perfect_features(scale: Any) -> None:
    X, y, task = random_world(4, n_classes=2)
    X[:, 0], X[:, 1] = 3.0, y
    clf = MultiTaskSPCA(scale=scale).fit(X, y, task=task)
    assert np.isfinite(clf.coef_).all()
    np.testing.assert_allclose(clf.coef_[:, 0, 0], 0.0, atol=1e-12)
    X[:] = 1.0
    same = MultiTaskSPCA(scale=scale).fit(X, y, task=task)
    np.testing.assert_allclose(same.predict_proba(X, task=task), 0.5)
    np.testing.assert_allclose(same.forecast_error_, 0.5)


@pytest.mark.parametrize(("n", "p"), [(12, 3000), (20_000, 2)])
def test_many_features_and_many_rows(n: int, p: int) -> None:
    rng = np.random.default_rng(0)
    y, task = np.arange(n) % 2, np.arange(n) // 2 % 3
    X = rng.normal(size=(n, p)) + 20 / np.sqrt(p) * y[:, None]
    clf = MultiTaskSPCA().fit(X, y, task=task)
    assert clf.score(X, y, task=task) > 0.95


@pytest.mark.parametrize("n_classes", [2, 3])
def test_duplicated_rows_have_no_spread(n_classes: int) -> None:
    y, task = np.tile(np.arange(n_classes), 20), np.repeat([0, 1], 10 * n_classes)
    X = np.eye(n_classes, 4)[y] + task[:, None]
    clf = MultiTaskSPCA().fit(X, y, task=task)
    assert clf.score(X, y, task=task) == 1.0
    assert np.isfinite(clf.coef_).all()


def test_offset_1e8_leaves_the_answers_alone() -> None:
    X, y, task = random_world(5)
    near = MultiTaskSPCA().fit(X, y, task=task)
    far = MultiTaskSPCA().fit(X + 1e8, y, task=task)
    np.testing.assert_allclose(
        far.decision_function(X + 1e8, task=task), near.decision_function(X, task=task), atol=1e-5
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, pd.DataFrame])
def test_nan_and_infinity_are_named_at_fit_and_predict(bad: float, container: Any) -> None:
    X, y, task = random_world(6)
    clf = MultiTaskSPCA(missing="refuse").fit(container(X), y, task=task)
    X[[1, 2, 250], 4] = bad
    kind = "NaN" if np.isnan(bad) else "infinity"
    for call in (
        lambda: MultiTaskSPCA(missing="refuse").fit(container(X), y, task=task),
        lambda: clf.predict(container(X), task=task),
        lambda: clf.transform(container(X), task=task),
    ):
        with pytest.raises(ValueError, match=rf"X contains {kind} in column 4.* 3 of 300 rows"):
            call()


def test_named_columns_are_named_in_the_message() -> None:
    X, y, task = random_world(7)
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    frame.loc[3, "c"] = np.nan
    with pytest.raises(ValueError, match=r"NaN in column 'c', in 1 of 300 rows"):
        MultiTaskSPCA(missing="refuse").fit(frame, y, task=task)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_forecasts_of_discrete_features_are_honest(p: int) -> None:
    """Rows repeat hundreds of times: one of them is left out, not all that are equal."""
    gaps = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.tile([0, 1], 500)
        X = (rng.uniform(size=(1000, p)) < np.where(y, 0.7, 0.3)[:, None]).astype(float)
        clf = MultiTaskSPCA().fit(X, y)
        gaps.append(float(clf.forecast_error_[0]) - (1 - clf.score(X, y)))
    assert abs(np.mean(gaps)) < 0.06


def test_timestamps_are_sampled_evenly() -> None:
    """In single precision 128 seconds are one number."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 3000)
    X = 300 * (rng.normal(size=(6000, 1)) + y[:, None])
    far, near = (MultiTaskSPCA(row_sample=1000).fit(X + offset, y) for offset in (1.6e9, 0.0))
    within = 4 * np.sqrt(2 * 0.3 * 0.7 / 2000)  # both samples count errors of 2000 rows
    assert far.forecast_error_[0] == pytest.approx(near.forecast_error_[0], abs=within)


def test_weights_that_are_no_frequencies_are_refused() -> None:
    X, y, task = random_world(11)
    cell = task * 3 + y
    with pytest.raises(
        ValueError, match=r"sample_weight adds up to 1 over .* weights are frequencies"
    ):
        MultiTaskSPCA().fit(X, y, task=task, sample_weight=1 / np.bincount(cell)[cell])
    MultiTaskSPCA().fit(X, y, task=task, sample_weight=np.full(300, 0.5))


def test_names_of_attributes_are_listed_without_computing_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y, task = random_world(12)
    clf = MultiTaskSPCA().fit(X, y, task=task)

    def refuse(self: Any) -> Any:
        raise AssertionError("computed")

    monkeypatch.setattr(MultiTaskSPCA, "labels_", property(refuse))
    monkeypatch.setattr(MultiTaskSPCA, "relatedness_", property(refuse))
    assert "labels_" in dir(clf)
    assert "forecast error" in clf._repr_html_()
