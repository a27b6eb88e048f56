"""Doubts about the data: each is there when it should be, and only then."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kinspan import MultiTaskSPCA, UnitsWarning
from kinspan.datasets import load_digit_pairs
from kinspan.report.contents import contents
from tests.report.models import rows_of


def doubts_of(model: MultiTaskSPCA) -> tuple[dict[str, Any], list[str]]:
    shown = contents(model, None, leave_out=False)
    return {doubt["kind"]: doubt for doubt in shown["doubts"]}, [
        row["name"] for row in shown["tasks"]
    ]


def said(doubt: Any, names: list[str]) -> dict[str, str]:
    return {names[t]: text for t, text in doubt["tasks"]}


def test_good_data_raise_no_doubt() -> None:
    X, y, task = rows_of()
    assert doubts_of(MultiTaskSPCA().fit(X, y, task=task))[0] == {}


def test_few_missing_and_no_labels_are_named() -> None:
    X, y, task = rows_of(3, 3, n=300)
    rows = np.flatnonzero((task == 0) & (y == 2))
    kept = np.setdiff1d(np.arange(300), rows[4:])  # four are left
    kept = kept[~((task[kept] == 1) & (y[kept] == 0))]
    model = MultiTaskSPCA().fit(X[kept], y[kept], task=task[kept])
    model.add_task(7).add_task(8, X[:5]).add_task(9, X[y == 1][:6], np.ones(6, dtype=int))
    found, names = doubts_of(model)
    assert said(found["tiny class"], names) == {"0": "2: 4"}
    assert said(found["missing class"], names) == {"1": "0"}
    assert said(found["no labels"], names) == {"7": "none at all", "8": "none at all"}
    assert said(found["one class"], names) == {"9": "1: 6"}
    assert set(found) == {"tiny class", "missing class", "no labels", "one class"}
    shown = contents(model, None, leave_out=False)
    assert shown["figures"]["short_of_labels"] == 4
    assert "never predicts" in found["missing class"]["meaning"]
    sharing = MultiTaskSPCA(unseen_classes="share").fit(X[kept], y[kept], task=task[kept])
    assert "uses the rule of the others" in doubts_of(sharing)[0]["missing class"]["meaning"]


def test_five_labels_are_not_few() -> None:
    X, y, task = rows_of(2)
    first = np.flatnonzero((task == 0) & (y == 0))
    for n_left, is_few in ((5, False), (4, True)):
        kept = np.setdiff1d(np.arange(len(y)), first[n_left:])
        model = MultiTaskSPCA().fit(X[kept], y[kept], task=task[kept])
        assert ("tiny class" in doubts_of(model)[0]) is is_few


@pytest.mark.parametrize("offset", [0.0, 0.1, 1e8])
def test_constant_features_are_found_whatever_their_size(offset: float) -> None:
    X, y, task = rows_of()
    X[:, 2] = offset
    X[:, 4] = offset + task  # constant within every task
    found, _ = doubts_of(MultiTaskSPCA().fit(X, y, task=task))
    assert found["constant feature"]["features"] == ["feature 2", "feature 4"]
    assert set(found) == {"constant feature"}
    parts = [MultiTaskSPCA().fit(X[i::2], y[i::2], task=task[i::2]) for i in (0, 1)]
    assert doubts_of(parts[0] + parts[1])[0]["constant feature"] == found["constant feature"]


def test_features_that_give_the_class_away_are_found_by_name() -> None:
    X, y, task = rows_of()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(shop=task, closed_on=3.0 * y)
    model = MultiTaskSPCA(task_column="shop").fit(frame, y)
    assert doubts_of(model)[0]["revealing feature"]["features"] == ["closed_on"]
    one_each = MultiTaskSPCA().fit(X[:2], [0, 1], task=[0, 0])  # nothing varies within one row
    assert "revealing feature" not in doubts_of(one_each)[0]


def test_many_features_are_counted() -> None:
    X, y, task = rows_of()
    wide = np.hstack([X, np.ones((len(y), 30))])
    found, _ = doubts_of(MultiTaskSPCA().fit(wide, y, task=task))
    assert len(found["constant feature"]["features"]) == 13
    assert found["constant feature"]["features"][-1] == "and 18 more"


def test_rows_that_are_all_the_same_are_doubted() -> None:
    X, y, task = rows_of()
    X[(task == 1) & (y == 0)] = X[0]
    found, names = doubts_of(MultiTaskSPCA().fit(X, y, task=task))
    assert said(found["same rows"], names) == {"1": "0"}


def test_forecasts_by_formula_are_doubted() -> None:
    X, y, task = rows_of()
    found, _ = doubts_of(MultiTaskSPCA(row_sample=0, metric=0).fit(X, y, task=task))
    assert "too optimistic" in found["formula"]["meaning"]
    assert found["formula"]["tasks"] == []


def test_other_units_are_named_with_task_feature_and_factor() -> None:
    X, y, task = rows_of()
    X[task == 1, 2] *= 1000.0
    with pytest.warns(UnitsWarning, match="feature 2 of task 1"):
        model = MultiTaskSPCA().fit(X, y, task=task)
    found, names = doubts_of(model)
    assert said(found["other units"], names) == {"1": "feature 2: 1,000 times as large"}
    assert set(found) == {"other units"}


def test_labels_that_are_probably_wrong_are_listed_by_task() -> None:
    digits = load_digit_pairs(n_per_class=10)
    y = digits.y.copy()
    y[::12] = 1 - y[::12]
    found, _ = doubts_of(MultiTaskSPCA().fit(digits.X, y, task=digits.task))
    doubt = found["wrong labels"]
    assert "labels look wrong (90 % interval" in doubt["meaning"]
    listed = " ".join(text for _, text in doubt["tasks"])
    rows = [int(row) for row in re.findall(r"row (\d+) is labelled [01], rather [01]", listed)]
    assert len(rows) > 60
    assert np.mean(np.array(rows) % 12 == 0) > 0.9
    clean = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    assert "wrong labels" not in doubts_of(clean)[0]
