"""Any hashable ids, and rows in any container that users have."""

from __future__ import annotations

import uuid
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA
from tests.worlds import random_world

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


@cache
def plain_model(n_classes: int) -> MultiTaskSPCA:
    X, y, task = random_world(10, n_classes=n_classes)
    return MultiTaskSPCA().fit(X, y, task=task)


@pytest.mark.parametrize("kind", TASK_IDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_hashable_ids(kind: str, n_classes: int) -> None:
    X, y, task = random_world(10, n_classes=n_classes)
    plain = plain_model(n_classes)
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
