"""Forecast errors or scores of tasks against the number of labels: what more labels gain."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Floats
from kinspan._validation.messages import naming
from kinspan.displays._canvas import (
    KINDS,
    as_percent,
    axes_for,
    check_estimator,
    legend_beside,
    shortened,
    without_frame,
)

_FEW = 5
_LINES = ("-", "--", ":", "-.")  # when colours are used again


class LearningCurveForecastDisplay:
    """Forecast learning curves of some tasks, from their present number of labels on.

    They begin at the forecasts of today, and lean on all tasks where a task has few labels.

    Parameters
    ----------
    tasks : list of ids
    labels : array of shape (n_tasks, n_points)
        Labels in the smallest class of each task.
    errors : array of shape (n_tasks, n_points)
        Or another score.
    title : str, optional
        Of the score; None is the error.

    Attributes
    ----------
    ax_, figure_, lines_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import LearningCurveForecastDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> display = LearningCurveForecastDisplay.from_estimator(clf, ["3 vs 8", "0 vs 1"])
    """

    def __init__(
        self, tasks: list[Any], labels: Floats, errors: Floats, title: str | None = None
    ) -> None:
        self.tasks, self.labels, self.errors, self.title = tasks, labels, errors, title

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        tasks: str | list[Any] | None = None,
        *,
        most: int = 1000,
        score: Any = None,
        ax: Any = None,
    ) -> LearningCurveForecastDisplay:
        """Draw the learning curves that a fitted MultiTaskSPCA forecasts.

        Parameters
        ----------
        estimator : fitted MultiTaskSPCA
        tasks : list of ids, or one that is text, optional
            The five with the largest forecast errors by default.
        most : int, default=1000
            The largest number of labels to add to each class.
        score : str or {name: level}, optional
            A score of `forecast`; None is the error.
        ax : axes of matplotlib, optional
        """
        check_estimator(estimator)
        if tasks is None:
            worst = np.argsort(-np.nan_to_num(estimator.forecast_error_), kind="stable")[:_FEW]
            tasks = [estimator.tasks_[t] for t in worst]
        with naming("tasks"):
            tasks = [tasks] if isinstance(tasks, str) else list(tasks)
        if not tasks:
            raise ValueError("tasks is empty; name at least one, or None for the worst five")
        if not isinstance(most, (int, float)) or not 1 <= most <= 1e15:
            raise ValueError(f"most={most!r}; use a number of labels from 1 to 1e15")
        more = np.unique(np.concatenate([[0.0], np.geomspace(1, most, 60).round()]))
        errors = np.array([estimator.learning_curve(task, more, score=score) for task in tasks])
        counts = estimator.moments_.effective().counts
        start = [counts[estimator._position(task)] for task in tasks]
        fewest = [c[c > 0].min() if (c > 0).any() else 0.0 for c in start]
        title = None if score is None else estimator.forecast(tasks[0], score=score).title
        return cls(list(tasks), np.array(fewest)[:, None] + more, errors, title).plot(ax)

    def plot(self, ax: Any = None) -> LearningCurveForecastDisplay:
        """Draw the curves on the given axes, or on new ones."""
        ax = axes_for(ax, 7.4)
        self.lines_ = []
        earlier = len(ax.get_legend_handles_labels()[1])  # curves of other models, say
        for i, (task, labels, errors) in enumerate(
            zip(self.tasks, self.labels, self.errors, strict=True), start=earlier
        ):
            seen = np.maximum(labels, 0.5)
            lap, kind = divmod(i, len(KINDS))
            style = {"color": KINDS[kind], "linestyle": _LINES[lap % len(_LINES)]}
            (line,) = ax.plot(seen, errors, label=shortened(task), **style)
            ax.plot(seen[:1], errors[:1], "o", color=line.get_color())
            ax.update_datalim([(seen[0], 0.0)])  # from zero, with room for later curves
            line.sticky_edges.y.append(0.0)
            self.lines_.append(line)
        ax.set_xscale("log")
        ax.set(xlabel="labels per class", ylabel=f"forecast {self.title or 'error'}")
        ax.autoscale_view()
        if self.title is None:
            as_percent(ax.yaxis)
        _mark_one_two_five(ax.xaxis)
        without_frame(ax)
        legend_beside(ax, title="task (dot: today)")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _mark_one_two_five(axis: Any) -> None:
    """Mark plain numbers on a logarithmic axis, also where it is shorter than a decade."""
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415  # optional

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(NullFormatter())
