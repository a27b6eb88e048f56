"""Curves that are forecast: areas are the scores that are forecast, rows are drawn as they are."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.metrics import auc, roc_auc_score, roc_curve

from kinspan import MultiTaskSPCA
from kinspan.displays import (
    CalibrationForecastDisplay,
    GainForecastDisplay,
    PrecisionRecallForecastDisplay,
    RocForecastDisplay,
)
from tests.answers.test_score_forecasts import rare

mpl.use("Agg")
from matplotlib import pyplot as plt  # after the backend is chosen

ALL = (
    *(CalibrationForecastDisplay, GainForecastDisplay),
    *(PrecisionRecallForecastDisplay, RocForecastDisplay),
)


@pytest.fixture(scope="module")
def rows() -> Any:
    return rare(0, np.tile([90, 30], (6, 1)))


@pytest.fixture(scope="module")
def clf(rows: Any) -> MultiTaskSPCA:
    X, y, task, _ = rows
    return MultiTaskSPCA(priors="empirical").fit(X, y, task=task)


@pytest.mark.parametrize("kind", ALL)
def test_pictures_go_on_the_axes_that_are_given(kind: Any, clf: MultiTaskSPCA, rows: Any) -> None:
    X, y, task, _ = rows
    ax = plt.subplots()[1]
    display = kind.from_estimator(clf, X, y, task=task, ax=ax)
    assert display.ax_ is ax
    assert ax.get_title() == "all tasks"
    assert display.plot().ax_ is not ax
    named = {line.get_label() for line in ax.get_lines()}
    assert {"forecast", "on test rows"} <= named
    assert ((display.band[0] <= display.y + 1e-9) & (display.y <= display.band[1] + 1e-9)).all()
    alone = kind.from_estimator(clf, task=2)
    assert alone.ax_.get_title() == "2"
    assert alone.actual is None
    plt.close("all")


def test_areas_are_the_scores_that_are_forecast(clf: MultiTaskSPCA) -> None:
    roc = RocForecastDisplay.from_estimator(clf, task=1)
    forecast = clf.forecast(1, score="roc_auc").value[0]
    assert auc(roc.x, roc.y) == pytest.approx(forecast, abs=0.01)
    precise = PrecisionRecallForecastDisplay.from_estimator(clf, task=1)
    area = clf.forecast(1, score="average_precision").value[0]
    assert precise.y.mean() == pytest.approx(area, abs=0.02)
    gain = GainForecastDisplay.from_estimator(clf, task=1)
    found = clf.forecast(1, score={"recall_at_budget": 0.2}).value[0]
    assert np.interp(0.2, gain.x, gain.y) == pytest.approx(found, abs=0.01)
    plt.close("all")


def test_test_rows_are_drawn_as_they_are(clf: MultiTaskSPCA, rows: Any) -> None:
    X, y, task, _ = rows
    X, y = X[task == 3], y[task == 3]
    scores = clf.decision_function(X, task=3)
    display = RocForecastDisplay.from_estimator(clf, X, y, task=3)
    np.testing.assert_array_equal(display.actual[0], roc_curve(y, scores)[0])
    assert auc(*display.actual) == pytest.approx(roc_auc_score(y, scores))
    gain = GainForecastDisplay.from_estimator(clf, X, y, task=3)
    best = np.argsort(-scores)[:24]
    assert np.interp(0.2, *gain.actual) == pytest.approx(y[best].sum() / y.sum())
    groups = CalibrationForecastDisplay.from_estimator(clf, X, y, task=3)
    assert len(groups.actual[0]) == 10
    assert groups.actual[1].mean() == pytest.approx(y.mean())
    plt.close("all")


def test_calibrated_probabilities_are_drawn_on_the_diagonal(clf: MultiTaskSPCA) -> None:
    display = CalibrationForecastDisplay.from_estimator(clf)
    assert np.abs(display.y - display.x).max() < 0.15
    assert display.ax_.get_title() == "all tasks"
    plt.close("all")


def test_probabilities_of_equally_frequent_classes_are_named(rows: Any) -> None:
    """They are far from the diagonal of rows as they come, and right."""
    X, y, task, _ = rows
    equal = MultiTaskSPCA().fit(X, y, task=task)
    ax = CalibrationForecastDisplay.from_estimator(equal).ax_
    assert ax.get_title() == "all tasks; probabilities of equally frequent classes"
    assert RocForecastDisplay.from_estimator(equal).ax_.get_title() == "all tasks"
    plt.close("all")


def test_what_cannot_be_drawn_is_refused(clf: MultiTaskSPCA, rows: Any) -> None:
    X, y, task, _ = rows
    with pytest.raises(ValueError, match="label 7 is not a class"):
        RocForecastDisplay.from_estimator(clf, X, np.where(y == 1, 7, y), task=task)
    with pytest.raises(ValueError, match="y has labels of one class only"):
        RocForecastDisplay.from_estimator(clf, X[y == 0], y[y == 0], task=task[y == 0])
    three = MultiTaskSPCA().fit(X, np.arange(len(y)) % 3, task=task)
    with pytest.raises(ValueError, match="two classes, and there are 3"):
        RocForecastDisplay.from_estimator(three)
