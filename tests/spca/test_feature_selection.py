"""Which features matter, for the selectors of scikit-learn; and what boosting cannot do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.feature_selection import RFE, SelectFromModel

from kinspan import MultiTaskSPCA

INFORMATIVE = [1, 4, 6]


def world() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three of eight features differ between the classes; units of features differ."""
    rng = np.random.default_rng(0)
    task, y = np.repeat(np.arange(4), 60), np.tile([0, 1, 2], 80)
    X = rng.normal(size=(240, 8))
    X[:, INFORMATIVE] += 2 * rng.normal(size=(3, 3))[y]
    return X * 10.0 ** np.arange(-4, 4), y, task


@pytest.mark.parametrize("selector", [RFE, SelectFromModel])
def test_selectors_find_the_features_that_differ(selector: type) -> None:
    X, y, task = world()
    wide = np.column_stack([task, X])
    how = {"n_features_to_select": 4} if selector is RFE else {"max_features": 4}
    found = selector(
        MultiTaskSPCA(task_column=0), importance_getter="feature_importances_", **how
    ).fit(wide, y)
    assert np.flatnonzero(found.get_support()).tolist() == [0, 2, 5, 7]  # the first is the task


@pytest.mark.parametrize("column", [3, -6, "task"])
def test_a_task_column_is_as_important_as_any_feature(column: int | str) -> None:
    X, y, task = world()
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    alone = MultiTaskSPCA().fit(frame, y, task=task).feature_importances_
    frame.insert(3, "task", task)
    found = MultiTaskSPCA(task_column=column).fit(frame, y).feature_importances_
    np.testing.assert_array_equal(found, np.insert(alone, 3, alone.max()))


def test_importances_do_not_depend_on_units() -> None:
    X, y, task = world()
    first, second = (
        MultiTaskSPCA(scale="pooled").fit(rows, y, task=task).feature_importances_
        for rows in (X, X * np.array([1e3, 1, 1, 1e-2, 1, 7, 1, 1]))
    )
    np.testing.assert_allclose(first, second, rtol=1e-6)


def test_weights_of_boosting_are_no_frequencies_and_are_refused() -> None:
    """They count importance: later rounds give whole classes the weight of a fraction of a row."""
    X, y, task = world()
    wide = np.column_stack([task, X])
    with pytest.raises(ValueError, match="weights are frequencies"):
        AdaBoostClassifier(MultiTaskSPCA(task_column=0)).fit(wide, y)
    bagged = BaggingClassifier(MultiTaskSPCA(task_column=0), n_estimators=3, random_state=0)
    assert bagged.fit(wide, y).score(wide, y) > 0.8
