from __future__ import annotations

import itertools
import pickle
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from kinspan.model_selection import TaskStratifiedKFold

ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=10, max_size=120
)  # task and label


def objects(values: Sequence[Hashable]) -> NDArray[Any]:
    return np.fromiter(values, dtype=object, count=len(values))


def folds(cv: TaskStratifiedKFold, y: Any, task: Any) -> list[list[int]]:
    return [test.tolist() for _, test in cv.split(np.zeros(len(y)), y, task)]


def spread(keys: Sequence[Hashable], tests: list[list[int]]) -> int:
    """Largest difference between folds in the number of rows of any one key."""
    counts = [Counter(keys[row] for row in test) for test in tests]
    return max(max(c[key] for c in counts) - min(c[key] for c in counts) for key in set(keys))


@settings(max_examples=80)
@given(rows=ROWS, n_splits=st.integers(2, 10), shuffle=st.booleans())
def test_cells_tasks_classes_and_folds_are_even_to_one_row(
    rows: list[tuple[int, int]], n_splits: int, shuffle: bool
) -> None:
    task, y = zip(*rows, strict=True)
    cv = TaskStratifiedKFold(n_splits, shuffle=shuffle, random_state=0 if shuffle else None)
    tests = folds(cv, y, task)
    assert len(tests) == n_splits
    assert sorted(itertools.chain.from_iterable(tests)) == list(range(len(rows)))
    for keys in (rows, task, y, [0] * len(rows)):
        assert spread(keys, tests) <= 1


@settings(max_examples=40)
@given(rows=ROWS, n_splits=st.integers(2, 5), seed=st.integers(0, 99))
def test_what_a_fold_holds_does_not_depend_on_the_order_of_rows(
    rows: list[tuple[int, int]], n_splits: int, seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(len(rows))
    permuted = [rows[i] for i in order]

    def contents(rows: list[tuple[int, int]]) -> list[Counter[tuple[int, int]]]:
        task, y = zip(*rows, strict=True)
        tests = folds(TaskStratifiedKFold(n_splits), y, task)
        return [Counter(rows[i] for i in test) for test in tests]

    assert contents(rows) == contents(permuted)


def test_train_and_test_are_two_parts_of_all_rows() -> None:
    y, task = np.tile([0, 1], 10), np.repeat(["a", "b"], 10)
    for train, test in TaskStratifiedKFold(4).split(y, y, task):
        assert sorted([*train, *test]) == list(range(20))


@pytest.mark.parametrize("n_splits", [2, 3, 5])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_a_row_per_cell_fills_every_fold_with_every_class_and_task(
    n_splits: int, n_classes: int
) -> None:
    """Dealt in the order of tasks alone, fold f would hold class f and nothing else."""
    task, y = (part.ravel() for part in np.indices((30, n_classes)))
    tests = folds(TaskStratifiedKFold(n_splits), y, task)
    assert max(map(len, tests)) - min(map(len, tests)) <= 1
    assert spread(y.tolist(), tests) <= 1
    assert spread(task.tolist(), tests) <= 1


@pytest.mark.parametrize("none", [None, np.nan, pd.NA, -1])
def test_rows_without_labels_are_taught_from_and_never_tested(none: Any) -> None:
    labels = np.array([0, 1] * 6, dtype=object)
    task = np.repeat(["a", "b", "c"], 4)
    y = np.concatenate([labels, [none] * 5])
    cv = TaskStratifiedKFold(2, unlabelled=-1 if isinstance(none, int) else None)
    tests = []
    for train, test in cv.split(np.zeros(17), y, np.append(task, ["a", "b", "c", "d", "d"])):
        assert np.isin(np.arange(12, 17), train).all()
        assert sorted([*train, *test]) == list(range(17))
        tests.append(test.tolist())
    assert tests == folds(TaskStratifiedKFold(2), labels, task)


def test_the_rows_of_a_cell_go_to_the_folds_in_blocks() -> None:
    tests = folds(TaskStratifiedKFold(3), np.arange(900) % 2, "only task")
    assert tests == [[*range(300)], [*range(300, 600)], [*range(600, 900)]]


def test_a_seed_gives_the_same_folds_and_another_seed_others() -> None:
    y, task = np.tile([0, 1], 20), np.arange(40) // 2  # one row in every cell
    first, again, other = (
        folds(TaskStratifiedKFold(4, shuffle=True, random_state=seed), y, task)
        for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


LABELS: list[tuple[list[Hashable], list[Hashable]]] = [
    (["a", "b"], ["yes", "no"]),
    ([("site", 1), ("site", 2)], [(0, "x"), (1, "x")]),
    ([1, "a"], [True, False]),
    ([frozenset({1}), b"bytes"], [0.5, "half"]),
]


@pytest.mark.parametrize(("tasks", "labels"), LABELS)
def test_ids_are_any_hashable_values(tasks: list[Hashable], labels: list[Hashable]) -> None:
    random = np.random.default_rng(0)
    task_code, label_code = random.integers(0, 2, size=(2, 41))
    task, y = objects([tasks[i] for i in task_code]), objects([labels[i] for i in label_code])
    for labels_and_tasks in ((y, task), (y.tolist(), task.tolist())):
        tests = folds(TaskStratifiedKFold(4), *labels_and_tasks)
        assert spread(list(zip(task, y, strict=True)), tests) <= 1
        assert sorted(itertools.chain.from_iterable(tests)) == list(range(41))


TABLES: dict[str, tuple[Callable[[Any], Any], str | int]] = {
    "array": (lambda X: X, 1),
    "list": (lambda X: X.tolist(), -1),
    "csr": (sparse.csr_array, 1),
    "coo matrix": (sparse.coo_matrix, 1),
    "pandas": (lambda X: pd.DataFrame(X, columns=["x", "t"]), "t"),
    "polars": (lambda X: pl.DataFrame(X, schema=["x", "t"]), "t"),
    "polars, index": (lambda X: pl.DataFrame(X, schema=["x", "t"]), 1),
}


@pytest.mark.parametrize("table", TABLES)
def test_the_task_is_found_in_groups_in_task_and_in_a_column(table: str) -> None:
    wrap, column = TABLES[table]
    random = np.random.default_rng(0)
    X, y = np.column_stack([random.normal(size=30), random.integers(0, 3, 30)]), np.arange(30) % 2
    expected = folds(TaskStratifiedKFold(3), y, X[:, 1])
    in_column = TaskStratifiedKFold(3, task_column=column).split(wrap(X), y)
    by_name = TaskStratifiedKFold(3).split(wrap(X), y, task=X[:, 1])
    assert [test.tolist() for _, test in in_column] == expected
    assert [test.tolist() for _, test in by_name] == expected


def test_strings_in_a_column_are_tasks() -> None:
    frame = pd.DataFrame({"x": range(8), "site": pd.Categorical(list("aabbaabb"))})
    y = [0, 1] * 4
    tests = [t.tolist() for _, t in TaskStratifiedKFold(2, task_column="site").split(frame, y)]
    assert tests == folds(TaskStratifiedKFold(2), y, list("aabbaabb"))


def test_the_number_of_splits_and_the_representation() -> None:
    cv = TaskStratifiedKFold(7, task_column=3)
    assert cv.get_n_splits() == cv.get_n_splits(None, None, None, task=[1]) == 7
    values = "n_splits=7, random_state=None, shuffle=False, task_column=3, unlabelled=None"
    assert repr(cv).split() == f"TaskStratifiedKFold({values})".split()
    assert repr(pickle.loads(pickle.dumps(cv))) == repr(cv)


@pytest.mark.parametrize("n_splits", [1, 0, 2.5])
def test_a_wrong_number_of_folds_is_refused(n_splits: Any) -> None:
    with pytest.raises(ValueError, match=f"n_splits={n_splits}: pass a whole number"):
        TaskStratifiedKFold(n_splits)


def test_a_seed_without_shuffle_is_refused() -> None:
    with pytest.raises(ValueError, match="random_state=3 has no effect"):
        TaskStratifiedKFold(3, random_state=3)


REFUSED: dict[str, dict[str, Any]] = {
    "n_splits=5 is more than the 4 rows": {},
    "the task of the rows is unknown": {"groups": None},
    "y=None": {"y": None},
    "given twice, as task and as groups": {"task": [0, 0, 1, 1]},
    "groups has 3 values for 4 rows|task has 3 values for 4 rows": {"groups": [0, 0, 1]},
    "task contains NaN, None or infinity in 1 of 4": {"groups": [0.0, 0.0, 1.0, np.nan]},
    "y contains NaN, None or infinity in 1 of 4": {"y": [0.0, np.inf, 1.0, 0.0]},
    "n_splits=5 is more than the 3 rows with labels": {"y": ["a", None, "a", "b"]},
    "n_splits=5 is more than the 0 rows with labels": {"y": [None] * 4},
    r"y has shape \(4, 2\)": {"y": np.zeros((4, 2))},
    "not hashable": {"groups": objects([[1], [1], [2], [2]])},  # type: ignore[list-item]
    "inconsistent numbers of samples": {"X": np.zeros((3, 1))},
}


@pytest.mark.parametrize("message", REFUSED)
def test_input_that_cannot_be_split_is_refused(message: str) -> None:
    data = {"X": np.zeros((4, 1)), "y": [0, 1, 0, 1], "groups": [0, 0, 1, 1]}
    with pytest.raises((TypeError, ValueError), match=message):
        next(TaskStratifiedKFold(5).split(**{**data, **REFUSED[message]}))


COLUMNS: dict[str, tuple[Any, str | int]] = {
    "task_column='t' is a name": (np.zeros((4, 2)), "t"),
    "task_column=2 is outside X": (np.zeros((4, 2)), 2),
    "task_column='t' is not a column of X, which has": (pd.DataFrame({"x": range(4)}), "t"),
    "task_column=-2 is outside X": (pl.DataFrame({"x": range(4)}), -2),
}


@pytest.mark.parametrize("message", COLUMNS)
def test_a_column_that_is_not_there_is_refused(message: str) -> None:
    X, column = COLUMNS[message]
    with pytest.raises((TypeError, ValueError), match=message):
        next(TaskStratifiedKFold(2, task_column=column).split(X, [0, 1, 0, 1]))


def test_a_task_given_twice_is_refused() -> None:
    cv = TaskStratifiedKFold(2, task_column=0)
    with pytest.raises(ValueError, match="given twice, as an argument and as task_column=0"):
        next(cv.split(np.zeros((4, 1)), [0, 1, 0, 1], groups=[0, 0, 1, 1]))
