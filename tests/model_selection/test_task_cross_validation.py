"""The scorer and the splitter inside scikit-learn, with metadata routing on and off."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from kinspan.model_selection import TaskStratifiedKFold, make_task_scorer
from tests.model_selection.offset_classifier import OffsetClassifier, Tasks, three_tasks

SHIFTS = {"shift": [-1.5, 0.0, 1.5]}


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(name="data")
def _data() -> Tasks:
    return three_tasks()


def naive_scores(model: Any, data: Tasks, cv: Any, metric: Any) -> list[float]:
    """The loop that cross-validation stands for."""
    scores = []
    for train, test in cv.split(data.X, data.y, data.task):
        fitted = clone(model).fit(data.X[train], data.y[train], task=data.task[train])
        scores.append(metric(fitted, data.X[test], data.y[test], data.task[test]))
    return scores


def accuracy(model: Any, X: Any, y: Any, task: Any) -> float:
    return accuracy_score(y, model.predict(X, task=task))  # type: ignore[no-any-return]


def roc_auc(model: Any, X: Any, y: Any, task: Any) -> float:
    return roc_auc_score(y, model.decision_function(X, task=task))  # type: ignore[no-any-return]


def task_mean_accuracy(model: Any, X: Any, y: Any, task: Any) -> float:
    rows = [np.flatnonzero(task == t) for t in np.unique(task)]
    return float(np.mean([accuracy(model, X[i], y[i], task[i]) for i in rows]))


@pytest.mark.usefixtures("routing")
def test_cross_val_score_tells_fit_split_and_score_the_task(data: Tasks) -> None:
    model, cv = OffsetClassifier(), TaskStratifiedKFold(4)
    scores = cross_val_score(
        model,
        data.X,
        data.y,
        scoring=make_task_scorer("roc_auc"),
        cv=cv,
        params={"task": data.task},
    )
    np.testing.assert_allclose(scores, naive_scores(model, data, cv, roc_auc))


@pytest.mark.usefixtures("routing")
def test_cross_validate_takes_a_dict_of_task_scorers(data: Tasks) -> None:
    model, cv = OffsetClassifier(), StratifiedKFold(3)
    scoring = {
        "auc": make_task_scorer("roc_auc"),
        "rows": make_task_scorer("accuracy"),
        "tasks": make_task_scorer("accuracy", average="task"),
    }
    result = cross_validate(
        model,
        data.X,
        data.y,
        scoring=scoring,
        cv=cv,
        params={"task": data.task},
        return_train_score=True,
    )
    for name, metric in {"auc": roc_auc, "rows": accuracy, "tasks": task_mean_accuracy}.items():
        rows_only = TaskOnlyForFit(cv)
        expected = naive_scores(model, data, rows_only, metric)
        np.testing.assert_allclose(result[f"test_{name}"], expected)
        assert np.isfinite(result[f"train_{name}"]).all()


class TaskOnlyForFit:
    """A splitter that is not told the task."""

    def __init__(self, cv: Any) -> None:
        self.cv = cv

    def split(self, X: Any, y: Any, task: Any) -> Any:
        return self.cv.split(X, y)


@pytest.mark.usefixtures("routing")
def test_grid_search_tells_fit_split_and_score_the_task(data: Tasks) -> None:
    cv = TaskStratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(
        OffsetClassifier(), SHIFTS, scoring=make_task_scorer("accuracy", average="task"), cv=cv
    )
    search.fit(data.X, data.y, task=data.task)
    expected = [
        np.mean(naive_scores(OffsetClassifier(shift), data, cv, task_mean_accuracy))
        for shift in SHIFTS["shift"]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)
    assert search.best_params_ == {"shift": 0.0}
    direct = task_mean_accuracy(search.best_estimator_, data.X, data.y, data.task)
    assert search.score(data.X, data.y, task=data.task) == pytest.approx(direct)


@pytest.mark.usefixtures("routing")
def test_a_grid_search_can_itself_be_cross_validated(data: Tasks) -> None:
    scorer = make_task_scorer("roc_auc")
    inner, outer = TaskStratifiedKFold(2), TaskStratifiedKFold(3)
    search = GridSearchCV(OffsetClassifier(), SHIFTS, scoring=scorer, cv=inner)
    scores = cross_val_score(
        search, data.X, data.y, scoring=scorer, cv=outer, params={"task": data.task}
    )

    def best(model: Any, X: Any, y: Any, task: Any) -> float:
        return roc_auc(model.best_estimator_, X, y, task)

    np.testing.assert_allclose(scores, naive_scores(search, data, outer, best))


@pytest.mark.usefixtures("routing")
def test_a_pipeline_passes_the_task_on(data: Tasks) -> None:
    cv = TaskStratifiedKFold(3)
    scoring, params = make_task_scorer("roc_auc"), {"task": data.task}
    model = OffsetClassifier()
    pipeline = make_pipeline(FunctionTransformer(), model)
    scores = cross_val_score(pipeline, data.X, data.y, scoring=scoring, cv=cv, params=params)
    np.testing.assert_allclose(scores, naive_scores(model, data, cv, roc_auc))


def test_a_pipeline_predicts_with_the_task_without_routing(data: Tasks) -> None:
    model = make_pipeline(FunctionTransformer(), OffsetClassifier())
    model.fit(data.X, data.y, offsetclassifier__task=data.task)
    expected = accuracy(model[-1], data.X, data.y, data.task)
    score = make_task_scorer("accuracy")(model, data.X, data.y, task=data.task)
    assert score == expected


@pytest.mark.usefixtures("routing")
def test_weights_reach_the_score_only_on_request(data: Tasks) -> None:
    model = OffsetClassifier().set_fit_request(sample_weight=True)
    weight = np.random.default_rng(0).uniform(size=len(data.y))
    params, cv = {"task": data.task, "sample_weight": weight}, TaskStratifiedKFold(3)
    scorer = make_task_scorer("accuracy")
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        cross_val_score(model, data.X, data.y, scoring=scorer, cv=cv, params=params)
    scorer.set_score_request(sample_weight=True)
    scores = cross_val_score(model, data.X, data.y, scoring=scorer, cv=cv, params=params)
    expected = [
        scorer(
            clone(model).fit(data.X[train], data.y[train], task=data.task[train]),
            data.X[test],
            data.y[test],
            task=data.task[test],
            sample_weight=weight[test],
        )
        for train, test in cv.split(data.X, data.y, data.task)
    ]
    np.testing.assert_allclose(scores, expected)


@pytest.mark.usefixtures("routing")
def test_the_task_may_travel_under_another_name(data: Tasks) -> None:
    model = OffsetClassifier().set_fit_request(task="domain")
    scorer = make_task_scorer("roc_auc").set_score_request(task="domain")
    cv = TaskStratifiedKFold(3).set_split_request(task="domain")
    params = {"domain": data.task}
    scores = cross_val_score(model, data.X, data.y, scoring=scorer, cv=cv, params=params)
    expected = naive_scores(OffsetClassifier(), data, TaskStratifiedKFold(3), roc_auc)
    np.testing.assert_allclose(scores, expected)


@pytest.mark.usefixtures("routing")
def test_the_splitter_also_takes_groups_with_routing(data: Tasks) -> None:
    model = OffsetClassifier(task_column=1).set_fit_request(task=False)
    scores = cross_val_score(
        model, data.X, data.y, cv=TaskStratifiedKFold(3), params={"groups": data.task}
    )
    expected = naive_scores(OffsetClassifier(), data, TaskStratifiedKFold(3), accuracy)
    np.testing.assert_allclose(scores, expected)


@pytest.mark.parametrize("average", [None, "task"])
def test_a_task_column_needs_no_routing(average: Any, data: Tasks) -> None:
    model, cv = OffsetClassifier(task_column=1), TaskStratifiedKFold(4, task_column=1)
    scorer = make_task_scorer("accuracy", average=average, task_column=1)
    expected = naive_scores(
        OffsetClassifier(),
        data,
        TaskStratifiedKFold(4),
        accuracy if average is None else task_mean_accuracy,
    )
    np.testing.assert_allclose(
        cross_val_score(model, data.X, data.y, scoring=scorer, cv=cv), expected
    )
    search = GridSearchCV(model, {"shift": [0.0]}, scoring=scorer, cv=cv).fit(data.X, data.y)
    assert search.best_score_ == pytest.approx(np.mean(expected))
    assert cross_val_predict(model, data.X, data.y, cv=cv).shape == data.y.shape


def test_groups_carry_the_task_to_the_splitter_without_routing(data: Tasks) -> None:
    model, cv = OffsetClassifier(task_column=1), TaskStratifiedKFold(4)
    scores = cross_val_score(model, data.X, data.y, cv=cv, groups=data.task)
    np.testing.assert_allclose(scores, naive_scores(OffsetClassifier(), data, cv, accuracy))
    search = GridSearchCV(model, SHIFTS, cv=cv).fit(data.X, data.y, groups=data.task)
    assert search.best_params_ == {"shift": 0.0}


def test_a_fitted_search_with_task_tools_survives_pickle(data: Tasks) -> None:
    model, cv = OffsetClassifier(task_column=1), TaskStratifiedKFold(3, task_column=1)
    scorer = make_task_scorer("accuracy", average="task", task_column=1)
    search = GridSearchCV(model, SHIFTS, scoring=scorer, cv=cv).fit(data.X, data.y)
    loaded = pickle.loads(pickle.dumps(search))
    assert loaded.score(data.X, data.y) == search.score(data.X, data.y)
