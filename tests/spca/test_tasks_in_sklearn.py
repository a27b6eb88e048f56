"""The task id inside scikit-learn: as a column with routing off, as metadata with routing on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kinspan import MultiTaskSPCA, TaskStratifiedKFold, make_task_scorer, task_report
from kinspan.datasets import load_digit_pairs


@pytest.fixture(scope="module")
def digits() -> tuple[Any, Any, Any]:
    pairs = load_digit_pairs(n_per_class=8)
    kept = np.flatnonzero(np.isin(pairs.task, np.unique(pairs.task)[::5]))
    kept = np.random.default_rng(0).permutation(kept)  # plain folds then meet every task
    return pairs.X[kept], pairs.y[kept], pairs.task[kept]


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def as_column(X: Any, task: Any) -> Any:
    return np.column_stack([np.unique(task, return_inverse=True)[1], X])


COLUMN = MultiTaskSPCA(task_column=0)


def test_importing_leaves_the_configuration_alone() -> None:
    assert sklearn.get_config()["enable_metadata_routing"] is False


@pytest.mark.parametrize("scoring", [None, "accuracy", "roc_auc", "neg_log_loss"])
def test_cross_validation_with_a_task_column(digits: Any, scoring: Any) -> None:
    X, y, task = digits
    cv = TaskStratifiedKFold(4, task_column=0)
    scores = cross_val_score(COLUMN, as_column(X, task), y, scoring=scoring, cv=cv)
    assert np.isfinite(scores).all()
    if scoring != "neg_log_loss":
        assert scores.mean() > 0.9


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_cross_val_predict_with_a_task_column(digits: Any, method: str) -> None:
    X, y, task = digits
    wide = as_column(X, task)
    found = cross_val_predict(COLUMN, wide, y, cv=4, method=method)
    assert len(found) == len(y)
    answers = cross_val_predict(COLUMN, wide, y, cv=4)
    report = task_report(y, answers, task)
    assert report.overall < 0.1
    assert report.tasks.tolist() == np.unique(task).tolist()


@pytest.mark.parametrize(
    "wrapped",
    [
        CalibratedClassifierCV(COLUMN, cv=3),
        TunedThresholdClassifierCV(COLUMN, cv=3),
        VotingClassifier([("a", COLUMN), ("b", MultiTaskSPCA(task_column=0, labels="single"))]),
        BaggingClassifier(COLUMN, n_estimators=3, random_state=0),
        GridSearchCV(COLUMN, {"scale": ["pooled", None]}, scoring="roc_auc", cv=3),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_meta_estimators_with_a_task_column(digits: Any, wrapped: Any) -> None:
    X, y, task = digits
    wide = as_column(X, task)
    assert wrapped.fit(wide, y).score(wide, y) > 0.9


@pytest.mark.usefixtures("routing")
def test_the_task_reaches_every_step_of_a_pipeline(digits: Any) -> None:
    X, y, task = digits
    pipeline = make_pipeline(StandardScaler(), MultiTaskSPCA()).fit(X, y, task=task)
    plain = MultiTaskSPCA().fit(StandardScaler().fit_transform(X), y, task=task)
    expected = plain.predict(StandardScaler().fit_transform(X), task=task)
    np.testing.assert_array_equal(pipeline.predict(X, task=task), expected)
    assert pipeline.score(X, y, task=task) > 0.9


@pytest.mark.usefixtures("routing")
def test_the_projection_feeds_any_learner(digits: Any) -> None:
    X, y, task = digits
    centred = X - np.array([X[task == t].mean(axis=0) for t in task])
    pipeline = make_pipeline(MultiTaskSPCA(), LogisticRegression()).fit(centred, y, task=task)
    assert pipeline.score(centred, y, task=task) > 0.95


@pytest.mark.usefixtures("routing")
def test_cross_validation_with_routed_tasks(digits: Any) -> None:
    X, y, task = digits
    clf, cv = MultiTaskSPCA(), TaskStratifiedKFold(4)
    params = {"task": task}
    assert cross_val_score(clf, X, y, cv=cv, params=params).mean() > 0.9
    scorers = {"auc": make_task_scorer("roc_auc"), "loss": make_task_scorer("neg_log_loss")}
    found = cross_validate(clf, X, y, cv=cv, scoring=scorers, params=params)
    assert found["test_auc"].mean() > 0.9
    search = GridSearchCV(clf, {"labels": ["auto", "naive"]}, scoring=scorers["auc"], cv=cv)
    assert search.fit(X, y, task=task).best_params_ == {"labels": "auto"}


@pytest.mark.usefixtures("routing")
def test_a_routed_task_column_gives_the_same_scores_as_the_keyword(digits: Any) -> None:
    X, y, task = digits
    scorer = make_task_scorer("roc_auc")
    folds = list(TaskStratifiedKFold(4).split(X, y, task))
    by_keyword = cross_val_score(
        MultiTaskSPCA(), X, y, cv=folds, scoring=scorer, params={"task": task}
    )
    by_column = cross_val_score(COLUMN, as_column(X, task), y, cv=folds, scoring="roc_auc")
    np.testing.assert_allclose(by_keyword, by_column)
