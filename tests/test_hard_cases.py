"""Input at the edges: a defined answer or a clear error, and never a NumPy warning."""

from __future__ import annotations

import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError

from kinspan import ClassMoments, MultiTaskSPCA
from tests.worlds import random_world


def without(world: Any, *cells: tuple[int, int]) -> Any:
    X, y, task = world
    keep = ~np.any([(task == t) & (y == j) for t, j in cells], axis=0)
    return X[keep], y[keep], task[keep]


@pytest.mark.parametrize("labels", ["spectral", "plugin", "naive", "single"])
@pytest.mark.parametrize("multi_class", ["shared", "one-vs-all"])
@pytest.mark.parametrize("n_classes", [2, 3])
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


def test_a_task_with_a_single_class_answers_it() -> None:
    X, y, task = without(random_world(2, n_classes=2), (3, 0))
    clf = MultiTaskSPCA().fit(X, y, task=task)
    assert set(clf.predict(X, task=3)) == {1}
    np.testing.assert_array_equal(clf.predict_proba(X, task=3), np.tile([0.0, 1.0], (len(X), 1)))
    assert np.isnan(clf.forecast_error_[3])
    assert np.isfinite(clf.forecast_error_[:3]).all()


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


@pytest.mark.parametrize("labels", ["spectral", "plugin", "naive", "single"])
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
    clf = MultiTaskSPCA().fit(container(X), y, task=task)
    X[[1, 2, 250], 4] = bad
    kind = "NaN" if np.isnan(bad) else "infinity"
    for call in (
        lambda: MultiTaskSPCA().fit(container(X), y, task=task),
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
        MultiTaskSPCA().fit(frame, y, task=task)


ERRORS: dict[str, tuple[Any, str]] = {
    "empty": (lambda X, y, t: MultiTaskSPCA().fit(X[:0], y[:0], task=t[:0]), "0 sample"),
    "no features": (lambda X, y, t: MultiTaskSPCA().fit(X[:, :0], y, task=t), "0 feature"),
    "short y": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y[:5], task=t),
        "y has 5 values for 300 rows",
    ),
    "short task": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=t[:5]),
        "task has 5 values for 300 rows",
    ),
    "short weight": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=t, sample_weight=[1.0]),
        "sample_weight has 1 values for 300 rows",
    ),
    "negative weight": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=t, sample_weight=-np.ones(300)),
        "sample_weight contains negative",
    ),
    "zero weights": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=t, sample_weight=np.zeros(300)),
        "sample_weight is zero for every row",
    ),
    "wide task": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=np.ones((300, 2))),
        r"task has shape \(300, 2\)",
    ),
    "missing task": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=[None, *t[1:]]),
        "task contains NaN, None or infinity in 1 of 300 rows",
    ),
    "missing label": (
        lambda X, y, t: MultiTaskSPCA().fit(X, [None, *y[1:]], task=t),
        "y contains NaN, None or infinity in 1 of 300",
    ),
    "one class": (lambda X, y, t: MultiTaskSPCA().fit(X, y * 0, task=t), "y contains one class, 0"),
    "no task": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=t).predict(X),
        "task=None, but 4 tasks were fitted",
    ),
    "labels": (lambda X, y, t: MultiTaskSPCA(labels="best").fit(X, y), "labels='best'; use one of"),
    "scale": (lambda X, y, t: MultiTaskSPCA(scale="max").fit(X, y), "scale='max'; use one of"),
    "priors": (lambda X, y, t: MultiTaskSPCA(priors=[1]).fit(X, y), r"priors has shape \(1,\)"),
    "zero prior": (
        lambda X, y, t: MultiTaskSPCA(priors=[1, 0, 1]).fit(X, y),
        "every class needs a positive finite prior",
    ),
    "prior name": (lambda X, y, t: MultiTaskSPCA(priors="flat").fit(X, y), "priors='flat'; use"),
    "class weight": (
        lambda X, y, t: MultiTaskSPCA(class_weight={9: 1.0, 0: 1.0}).fit(X, y),
        "class_weight names 9, but the classes are 0, 1, 2",
    ),
    "class weight name": (
        lambda X, y, t: MultiTaskSPCA(class_weight="even").fit(X, y),
        "class_weight='even'; use None",
    ),
    "components": (
        lambda X, y, t: MultiTaskSPCA(n_components=3).fit(X, y),
        "n_components=3; use a number from 1 to 2",
    ),
    "two ways": (
        lambda X, y, t: MultiTaskSPCA(task_column=0).fit(X, y, task=t),
        "task= and task_column=0 are both given",
    ),
    "column name": (
        lambda X, y, t: MultiTaskSPCA(task_column="shop").fit(X, y),
        "task_column='shop' is a name, but X has no column names",
    ),
    "column position": (
        lambda X, y, t: MultiTaskSPCA(task_column=9).fit(X, y),
        "task_column=9 is outside X, which has 7 columns",
    ),
    "column of a frame": (
        lambda X, y, t: MultiTaskSPCA(task_column="shop").fit(pd.DataFrame({"a": X[:, 0]}), y),
        "task_column='shop' is not a column of X",
    ),
    "list of lists": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=[[1]] * 300),
        r"task has shape \(300, 1\)",
    ),
    "one missing task": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=float("nan")),
        "task contains NaN, None or infinity",
    ),
    "no time": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=np.full(300, np.datetime64("NaT"))),
        "task contains NaN, None or infinity in 300 of 300",
    ),
    "flat X": (
        lambda X, y, t: MultiTaskSPCA(task_column=0).fit(X[:, 0], y),
        "2D array",
    ),
    "moments": (
        lambda X, y, t: MultiTaskSPCA(scale="max").fit_moments(ClassMoments.from_samples(X, y)),
        "scale='max'; use one of",
    ),
    "too large": (
        lambda X, y, t: MultiTaskSPCA().fit(X * 1e200, y, task=t),
        "so large that their squares overflow",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_bad_input_is_named(name: str) -> None:
    call, message = ERRORS[name]
    with pytest.raises(ValueError, match=message):
        call(*random_world(8))


def test_a_model_that_is_not_fitted_says_so() -> None:
    for name in ("relatedness_", "labels_"):
        with pytest.raises(NotFittedError):
            getattr(MultiTaskSPCA(), name)
    with pytest.raises(NotFittedError):
        MultiTaskSPCA().predict([[1.0]])


def test_a_failed_fit_leaves_the_fitted_model_as_it_was() -> None:
    X, y, task = random_world(9)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    before = clf.predict(X, task=task)
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(np.full((300, 9), np.nan), y, task=task)
    with pytest.raises(ValueError, match="n_components"):
        clf.set_params(n_components=7).fit(X, y, task=np.zeros(300))
    np.testing.assert_array_equal(clf.predict(X, task=task), before)


def test_parameters_changed_after_fitting_change_nothing_that_was_fitted() -> None:
    X, y, task = random_world(9)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    labels, related = clf.labels_, clf.relatedness_
    clf.set_params(scale=None, multi_class="one-vs-all")
    np.testing.assert_array_equal(clf.labels_, labels)
    np.testing.assert_array_equal(clf.relatedness_, related)


TASK_IDS: dict[str, Any] = {
    "strings": ["rome", "oslo", "bern", "kyiv"],
    "tuples": [("eu", 1), ("eu", 2), ("us", 1), ("us", 2)],
    "mixed": [1, "one", ("1",), 1.5],
    "floats": [0.5, 1.5, 2.5, 3.5],
    "booleans and numbers": [True, 7, 3, 2],
    "dates": list(np.array(["2024-01", "2024-02", "2024-03", "2024-04"], dtype="datetime64[M]")),
    "unique ids": [uuid.UUID(int=i) for i in (7, 3, 9, 1)],
    "numbers of all kinds": [Fraction(1, 3), Decimal("2.5"), 4, 1j],
    "small integers": list(np.array([-100, 100, 0, 7], dtype=np.int8)),
    "large integers": list(np.array([2**63, 2**63 + 1, 2**64 - 1, 0], dtype=np.uint64)),
    "frozen sets": [frozenset("ab"), frozenset("b"), frozenset("c"), frozenset()],
}


@pytest.mark.parametrize("kind", TASK_IDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_hashable_ids(kind: str, n_classes: int) -> None:
    X, y, task = random_world(10, n_classes=n_classes)
    plain = MultiTaskSPCA().fit(X, y, task=task)
    names, letters = TASK_IDS[kind], [("class", 0), "1", 2.5]
    clf = MultiTaskSPCA().fit(X, [letters[j] for j in y], task=[names[t] for t in task])
    answers = clf.predict(X, task=[names[t] for t in task])
    assert list(answers) == [letters[j] for j in plain.predict(X, task=task)]
    assert list(clf.predict(X, task=names[2])) == [letters[j] for j in plain.predict(X, task=2)]
    right = plain.score(X, y, task=task)
    assert clf.score(X, [letters[j] for j in y], task=[names[t] for t in task]) == right


@pytest.mark.parametrize("kind", TASK_IDS)
def test_one_id_for_all_rows_at_fit_and_for_unseen_tasks(kind: str) -> None:
    X, y, _ = random_world(10)
    name, other = TASK_IDS[kind][:2]
    clf = MultiTaskSPCA(unseen="shared").fit(X, y, task=name)
    assert clf.tasks_.tolist() == [np.asarray(name).item() if np.ndim(name) == 0 else name]
    assert clf.predict(X, task=other).shape == (300,)


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_and_series(library: Any) -> None:
    X, y, task = random_world(11)
    names = np.array(["a", "b", "c", "d"])[task]
    plain = MultiTaskSPCA().fit(X, y, task=names)
    columns = {f"f{i}": X[:, i] for i in range(7)}
    frame, series = library.DataFrame(columns), library.Series(names)
    clf = MultiTaskSPCA().fit(frame, library.Series(y), task=series)
    np.testing.assert_array_equal(clf.predict(frame, task=series), plain.predict(X, task=names))
    assert clf.feature_names_in_.tolist() == list(columns)
    with_task = library.DataFrame({**columns, "shop": names})
    column = MultiTaskSPCA(task_column="shop").fit(with_task, library.Series(y))
    np.testing.assert_array_equal(column.predict(with_task), plain.predict(X, task=names))
    assert column.n_features_in_ == 8
    assert column.coef_.shape[2] == 7


def test_categorical_tasks_and_other_dtypes() -> None:
    X, y, task = random_world(12)
    names = np.array(["a", "b", "c", "d"])[task]
    plain = MultiTaskSPCA().fit(X, y, task=names)
    for given in (pd.Categorical(names), pd.Series(names, dtype="string"), names.astype(object)):
        clf = MultiTaskSPCA().fit(X, y, task=given)
        np.testing.assert_array_equal(clf.predict(X, task=given), plain.predict(X, task=names))
        np.testing.assert_array_equal(clf.predict(X, task="b"), plain.predict(X, task="b"))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_the_task_as_a_column_of_an_array(container: Any) -> None:
    X, y, task = random_world(13)
    plain = MultiTaskSPCA().fit(X, y, task=task)
    for position in (0, 3, -1):
        place = position % 8
        wide = container(np.insert(X, place, task, axis=1))
        clf = MultiTaskSPCA(task_column=position).fit(wide, y)
        np.testing.assert_array_equal(clf.predict(wide), plain.predict(X, task=task))


def test_single_precision_gives_nearly_the_same() -> None:
    X, y, task = random_world(14, offset=100.0)
    double = MultiTaskSPCA().fit(X, y, task=task)
    single = MultiTaskSPCA().fit(X.astype(np.float32), y, task=task)
    np.testing.assert_allclose(single.forecast_error_, double.forecast_error_, atol=1e-4)
    np.testing.assert_allclose(
        single.decision_function(X.astype(np.float32), task=task),
        double.decision_function(X, task=task),
        atol=1e-3,
    )
