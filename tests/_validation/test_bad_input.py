"""Bad input is refused by name, and nothing that was fitted is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from kinspan import ClassMoments, MultiTaskSPCA, TaskStratifiedKFold, task_report
from kinspan.displays import LearningCurveForecastDisplay
from kinspan.engines import files
from kinspan.tables import TableEncoder
from tests.worlds import random_world

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
    "infinite label": (
        lambda X, y, t: MultiTaskSPCA().fit(X, np.where(np.arange(len(X)) == 0, np.inf, y), task=t),
        "y contains NaN, None or infinity in 1 of 300",
    ),
    "no label": (
        lambda X, _, t: MultiTaskSPCA().fit(X, np.full(len(X), None), task=t),
        "y has no label in any row",
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
    "flat rows": (
        lambda X, y, t: MultiTaskSPCA().fit(X[:, 0], y),
        "X: Expected 2D array",
    ),
    "complex labels": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y + 1j),
        "y: Complex data not supported$",
    ),
    "complex features": (
        lambda X, y, t: MultiTaskSPCA().fit(X + 1j, y),
        "X: Complex data not supported$",
    ),
    "columns of one name": (
        lambda X, y, t: MultiTaskSPCA().fit(pd.DataFrame(X[:, :3], columns=["a", "b", "a"]), y),
        "X has 2 columns called 'a'; rename them, or leave all but one out$",
    ),
    "true column": (
        lambda X, y, t: MultiTaskSPCA(task_column=True).fit(X, y),
        "task_column=True; use the name or the position",
    ),
    "true rows": (lambda X, y, t: MultiTaskSPCA(row_sample=True).fit(X, y), "row_sample=True; use"),
    "ragged task": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, task=[[1], [1, 2]]),
        "task: setting an array element",
    ),
    "complex weight": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, sample_weight=np.ones(300) * 1j),
        "sample_weight is .{80}…; give an array of numbers$",
    ),
    "huge weight": (
        lambda X, y, t: MultiTaskSPCA().fit(X, y, sample_weight=np.full(300, 1e300)),
        "sample_weight has a frequency of more than 2",
    ),
    "text priors": (
        lambda X, y, t: MultiTaskSPCA(priors=["a", "b", "c"]).fit(X, y),
        "priors is .*; give an array of numbers",
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
    with pytest.raises(ValueError, match="X has no values at all: NaN everywhere"):
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


NO_COLUMNS = {"missing": None, "matrix": np.zeros((0, 2)), "number": np.array(3.0)}


@pytest.mark.parametrize("given", NO_COLUMNS.values(), ids=NO_COLUMNS)
def test_what_is_no_text_and_no_column_is_refused_by_name(given: Any) -> None:
    X, y, task = random_world(0, n_classes=2)
    model = MultiTaskSPCA().fit(X, y, task=task)
    with pytest.raises(ValueError, match="label="):
        model.learning_curve(model.tasks_[0], [1], score="roc_auc", label=given)
    if given is not None:
        with pytest.raises(ValueError, match="y_proba"):
            task_report(y, y, task, y_proba=given, scores=["roc_auc"])
        with pytest.raises((ValueError, TypeError), match=r"batch 0 .*\by\b"):
            files.from_batches([(X, given, task)])
    ragged: Any = [["a"], ["a", "b"]]
    with pytest.raises(TypeError, match=r"features=.*list of text"):
        TableEncoder(features=ragged).fit(pd.DataFrame({"a": [1.0, 2.0]}))


def test_values_that_fuzzing_found_are_refused_by_name() -> None:
    X, y, task = random_world(0, n_classes=2)
    model, both = MultiTaskSPCA().fit(X, y, task=task), np.array([0, 1]).tolist()
    ragged: Any = [[1.0], [1.0, 2.0]]
    with pytest.raises(ValueError, match=r"^wanted=1000.*roc_auc, such as"):
        model.labels_needed(model.tasks_[0], 10**400, score="roc_auc")
    with pytest.raises(ValueError, match=r"^pos_label=\[0, 1\] is not among the classes"):
        MultiTaskSPCA(threshold="f1", pos_label=both).fit(X, y, task=task)
    with pytest.raises(TypeError, match=r"^scores=array\(3\.\); use the name of a score"):
        task_report(y, y, task, y_proba=np.full(len(y), 0.5), scores=np.array(3.0))
    assert model.learning_curve(model.tasks_[0], [], score="roc_auc").shape == (0,)
    same = MultiTaskSPCA(unlabelled=pd.NA).fit(X, y, task=task)  # which is missing anyway
    np.testing.assert_array_equal(same.coef_, model.coef_)
    with pytest.raises(TypeError, match=r"^unlabelled is \[\[1.0\], .*not one label"):
        MultiTaskSPCA(unlabelled=ragged).fit(X, y, task=task)
    for given, kind in (({"a": 1}, "dict"), (np.array(3.0), "ndarray")):
        with pytest.raises(TypeError, match=f"^batches is of type {kind}; pass an iterable"):
            files.from_batches(given)
    with pytest.raises(ValueError, match=r"^tasks is empty; name at least one"):
        LearningCurveForecastDisplay.from_estimator(model, [])
    with pytest.raises(ValueError, match=r"0 rows with labels in y; lower it"):
        next(TaskStratifiedKFold(3).split(X, np.full(len(y), np.nan), task))
