"""Forecast errors of all tasks, next to those of every task alone and to errors on test rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinspan._arrays.elsewhere import on_host
from kinspan._rows import identifiers
from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_positive, check_priors
from kinspan._validation.rows import check_labels
from kinspan.displays._canvas import (
    ACTUAL,
    ALONE,
    OURS,
    as_percent,
    axes_for,
    check_estimator,
    legend_above,
    shortened,
    without_frame,
)


class ForecastDisplay:
    """Forecast errors with 90 % intervals, one line per task, the largest on top.

    Parameters
    ----------
    tasks : array of shape (n_tasks,)
    forecast : array of shape (n_tasks,)
    interval : array of shape (n_tasks, 2)
    alone : array of shape (n_tasks,)
        The forecast for each task without the others.
    actual : array of shape (n_tasks,), optional
        Errors on test rows, classes weighted as in the forecast; NaN for tasks without rows.

    Attributes
    ----------
    shown_ : array
        Positions of the tasks that were drawn, from top to bottom.
    ax_, figure_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import ForecastDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> display = ForecastDisplay.from_estimator(
    ...     clf, digits.X_test, digits.y_test, task=digits.task_test, most=20
    ... )
    """

    def __init__(
        self,
        tasks: NDArray[Any],
        forecast: Floats,
        interval: Floats,
        alone: Floats,
        actual: Floats | None = None,
    ) -> None:
        self.tasks, self.forecast, self.interval = tasks, forecast, interval
        self.alone, self.actual = alone, actual

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        task: Any = None,
        most: int = 40,
        ax: Any = None,
    ) -> ForecastDisplay:
        """Draw the forecasts of a fitted MultiTaskSPCA.

        Parameters
        ----------
        estimator : fitted MultiTaskSPCA
        X, y, task : rows, labels and tasks of test rows, optional
            Their errors, with classes weighted as in the forecasts, are drawn too.
        most : int, default=40
            How many tasks to draw, those with the largest forecasts.
        ax : axes of matplotlib, optional
        """
        check_estimator(estimator)
        actual = None if X is None else _actual_errors(estimator, X, y, task)
        return cls(
            estimator.tasks_,
            estimator.forecast_error_,
            estimator.forecast_interval_,
            estimator.single_task_error_,
            actual,
        ).plot(ax, most=most)

    def plot(self, ax: Any = None, *, most: int = 40) -> ForecastDisplay:
        """Draw at most `most` tasks on the given axes, or on new ones."""
        shown = np.argsort(-np.nan_to_num(self.forecast, nan=2.0), kind="stable")
        shown = shown[: check_positive("most", most)]
        ax = axes_for(ax, 6.8, 1.8 + 0.22 * len(shown))
        place = np.arange(len(shown))[::-1]
        low, high = self.interval[shown].T
        ax.hlines(place, low, high, color=OURS, alpha=0.35, linewidth=4, label="90 % interval")
        ax.plot(self.alone[shown], place, "o", mfc="none", color=ALONE, label="alone")
        whole = {"clip_on": False}  # a mark at zero is not cut in half
        ax.plot(self.forecast[shown], place, "o", color=OURS, label="forecast", **whole)
        if self.actual is not None:
            name = "actual, on test rows"
            ax.plot(self.actual[shown], place, "x", color=ACTUAL, label=name, **whole)
        ax.set_yticks(place, [shortened(self.tasks[t]) for t in shown])
        ax.set(xlabel="error", ylabel="task")
        ax.set_xlim(left=0.0)
        as_percent(ax.xaxis)
        without_frame(ax)
        legend_above(ax)
        self.shown_, self.ax_, self.figure_ = shown, ax, ax.figure
        return self


def _actual_errors(estimator: Any, X: Any, y: Any, task: Any) -> Floats:
    """The mean error of the classes of every task, weighted as in the forecast."""
    features, _, known = estimator._known_rows(X, task)
    labels = np.asarray(check_labels(y, features.shape[0]))
    wrong = ~identifiers.same(labels, on_host(estimator.predict(X, task=task)))
    t, c = np.asarray(on_host(known)), identifiers.lookup(estimator.classes_, labels)
    if (c < 0).any():
        unknown, classes = labels[c < 0].tolist()[0], estimator.classes_.tolist()
        raise ValueError(f"label {unknown!r} is not a class of the model, which has {classes}")
    rows, errors = np.zeros((2, len(estimator.tasks_), len(estimator.classes_)))
    fitted = t < len(estimator.tasks_)
    np.add.at(rows, (t[fitted], c[fitted]), 1.0)
    np.add.at(errors, (t[fitted], c[fitted]), wrong[fitted])
    share = check_priors(estimator.priors, estimator.moments_.counts) * (rows > 0)
    in_all = share.sum(axis=1)
    actual = (share * errors / np.maximum(rows, 1.0)).sum(axis=1)
    return np.where(in_all > 0, actual / np.where(in_all > 0, in_all, 1.0), np.nan)
