"""A task column that changes after the fit, by name or by position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from kinspan import MultiTaskSPCA, Statistics, TaskStratifiedKFold
from kinspan.baselines import NaiveSPCA
from tests.worlds import random_world

X, Y, TASK = random_world(0)
WITH_TASK = np.column_stack([TASK, X])


def test_texts_and_tasks_are_columns_of_one_frame() -> None:
    """The recipe of docs/tutorials/search.md: the task before sparse word frequencies."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(30)])
    y, shop = np.tile([0, 1], 60), np.repeat(["north", "south", "west"], 40)
    texts = [" ".join(words[10 * label + rng.integers(0, 20, 12)]) for label in y]
    frame, vectors = pd.DataFrame({"text": texts, "shop": shop}), TfidfVectorizer(sublinear_tf=True)
    columns = [("task", OrdinalEncoder(), ["shop"]), ("words", vectors, "text")]
    reviews = make_pipeline(ColumnTransformer(columns), MultiTaskSPCA(task_column=0))
    folds = TaskStratifiedKFold(5, task_column="shop")
    grid = {"columntransformer__words__min_df": [1, 2]}
    search = GridSearchCV(reviews, grid, cv=folds, error_score="raise").fit(frame, y)
    assert search.best_score_ > 0.9
    plain = MultiTaskSPCA().fit(vectors.fit_transform(texts), y, task=shop)
    np.testing.assert_allclose(
        reviews.fit(frame, y).predict_proba(frame),
        plain.predict_proba(vectors.transform(texts), task=shop),
    )


@pytest.mark.parametrize("model", [MultiTaskSPCA(), NaiveSPCA()])
def test_a_task_column_that_is_taken_away_is_asked_for(model: Any) -> None:
    model.set_params(task_column=0).fit(WITH_TASK, Y).set_params(task_column=None)
    for rows in (WITH_TASK, X):
        with pytest.raises(ValueError, match=r"task_column=None, but X had .* set_params\(task_co"):
            model.predict(rows, task=TASK)
    model.set_params(task_column=0).predict(WITH_TASK)


@pytest.mark.parametrize("model", [MultiTaskSPCA(), NaiveSPCA()])
def test_a_task_column_that_comes_later_is_refused(model: Any) -> None:
    model.fit(X, Y, task=TASK).set_params(task_column=0)
    for rows in (WITH_TASK, X):
        with pytest.raises(ValueError, match="task_column=0, but X had no task column when"):
            model.predict(rows)


def test_learning_goes_on_with_the_same_kind_of_rows() -> None:
    model = MultiTaskSPCA(task_column=0).partial_fit(WITH_TASK, Y).set_params(task_column=None)
    with pytest.raises(ValueError, match="task_column=None, but X had a task column"):
        model.partial_fit(X, Y, task=TASK)
    model.set_params(task_column=0).partial_fit(WITH_TASK, Y)


@pytest.mark.parametrize("column", [2, -2, "task"])
def test_names_of_features_are_those_of_the_other_columns(column: Any) -> None:
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    named = frame.copy()
    named.insert(2, "task", TASK)
    model = MultiTaskSPCA(task_column=column).fit(named, Y)
    before = model.moments_.counts.sum()
    model.merge(Statistics.from_samples(frame, Y, TASK))  # refused where names differ
    assert model.moments_.counts.sum() == 2 * before
    other = MultiTaskSPCA(task_column="task").fit(named, Y)
    assert model.merge(other).moments_.counts.sum() == 3 * before


def test_folds_without_a_task_name_the_splitter_that_keeps_all() -> None:
    """Folds of rows that are sorted by task lack the first one, and scores would be NaN."""
    rows = WITH_TASK[np.argsort(TASK, kind="stable")]
    model, y = MultiTaskSPCA(task_column=0), Y[np.argsort(TASK, kind="stable")]
    with pytest.raises(ValueError, match=r"fit has not seen; .* split with TaskStratifiedKFold$"):
        cross_val_predict(model, rows, y, cv=KFold(3))
    assert len(cross_val_predict(model, rows, y, cv=TaskStratifiedKFold(3, task_column=0))) == 300


@pytest.mark.parametrize("values", [TASK, TASK.astype(str)])
def test_the_name_of_a_column_is_no_task(values: Any) -> None:
    frame = pd.DataFrame(X).rename(columns=str).assign(shop=values)
    with pytest.raises(ValueError, match="set task_column='shop' and leave task= out"):
        MultiTaskSPCA().fit(frame, Y, task="shop")
    with pytest.raises(ValueError, match="task='shop' is one task for all rows"):
        MultiTaskSPCA().partial_fit(frame, Y, task="shop")
    one = MultiTaskSPCA().fit(frame.drop(columns="shop"), Y, task="shop")
    assert one.tasks_.tolist() == ["shop"]
