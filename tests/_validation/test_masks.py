"""Masked entries are missing, as NaN and None are, and never read through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, Statistics
from kinspan.baselines import NaiveSPCA
from tests.worlds import random_world

WORLD = random_world(0)


def masked(values: Any, place: Any = (3, 0)) -> Any:
    mask = np.zeros(values.shape, dtype=bool)
    mask[place] = True
    return np.ma.masked_array(values, mask=mask)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("model", [MultiTaskSPCA(missing="refuse"), NaiveSPCA()])
def test_masked_features_are_missing(model: Any, kind: type) -> None:
    X, y, task = WORLD
    X = (10 * X).astype(kind)
    with pytest.raises(ValueError, match="X contains NaN in column 0, in 1 of 300 rows"):
        model.fit(masked(X), y, task=task)
    model.fit(X, y, task=task)
    with pytest.raises(ValueError, match="X contains NaN in column 0"):
        model.predict(masked(X), task=task)


def test_masked_features_are_filled_as_nan_is() -> None:
    X, y, task = WORLD
    holed = X.copy()
    holed[3, 0] = np.nan
    clf, plain = (MultiTaskSPCA().fit(rows, y, task=task) for rows in (masked(X), holed))
    np.testing.assert_array_equal(clf.coef_, plain.coef_)
    given, expected = clf.predict_proba(masked(X), task=task), plain.predict_proba(holed, task=task)
    np.testing.assert_array_equal(given, expected)


def test_masked_labels_tasks_and_weights_are_missing() -> None:
    X, y, task = WORLD
    for kind in (int, str):
        clf = MultiTaskSPCA().fit(X, masked(y.astype(kind), 3), task=task)
        assert clf.unlabelled_ is not None
        assert clf.unlabelled_.counts.sum() == 1
        with pytest.raises(ValueError, match="task contains NaN, None or infinity in 1 of 300"):
            Statistics.from_samples(X, y, masked(task.astype(kind), 3))
    with pytest.raises(ValueError, match="sample_weight contains negative, infinite or NaN"):
        MultiTaskSPCA().fit(X, y, task=task, sample_weight=masked(np.ones(300), 3))


def test_an_array_that_masks_nothing_is_like_any_other() -> None:
    X, y, task = WORLD
    plain = MultiTaskSPCA().fit(X, y, task=task)
    given = [np.ma.masked_array(values) for values in (X, y, task)]
    clf = MultiTaskSPCA().fit(*given[:2], task=given[2])
    np.testing.assert_array_equal(clf.coef_, plain.coef_)
    np.testing.assert_array_equal(clf.predict(given[0], task=given[2]), plain.predict(X, task=task))
