"""Curves that are forecast from left-out rows: ROC, precision–recall, calibration, gain."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.metrics import precision_recall_curve, roc_curve

from kinspan._arrays.elsewhere import on_host
from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Floats
from kinspan._validation.rows import check_labels, check_rows, check_tasks
from kinspan._validation.scores import check_forecast_score
from kinspan.answers.score_forecasts import distributions_of
from kinspan.displays._canvas import (
    ACTUAL,
    ALONE,
    OURS,
    axes_for,
    check_estimator,
    legend_beside,
    shortened,
    without_frame,
)
from kinspan.risk.drawn_curves import MassesAbove, masses_above

_GROUPS = 10
_GRID = np.linspace(0.0, 1.0, 101)


class Actual(NamedTuple):
    """Test rows: whether they are of the second class, and their log odds."""

    truth: Floats  # (rows,)
    scores: Floats  # (rows,)


class _CurveDisplay:
    """A curve with its 90 % band, and what happened on test rows."""

    axes: ClassVar[tuple[str, str]]

    def __init__(
        self, x: Floats, y: Floats, band: Floats, name: str, chance: float, actual: Any = None
    ) -> None:
        self.x, self.y, self.band, self.name = x, y, band, name
        self.chance, self.actual = chance, actual

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        task: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw the forecast of a fitted MultiTaskSPCA of two classes.

        Parameters
        ----------
        estimator : fitted MultiTaskSPCA
            With two classes and sampled rows (`row_sample` above 0).
        X, y : test rows and their labels, optional
            Their curve is drawn too.
        task : one id, or the ids of the test rows, optional
            One task. Without an id, or with those of several tasks, all tasks as one.
        ax : axes of matplotlib, optional
        """
        check_estimator(estimator)
        has_rows = estimator.sample_ is not None
        check_forecast_score("estimator", "roc_auc", len(estimator.classes_), has_rows)
        actual, ids = None, None if task is None else identifiers.as_array([task])
        if X is not None:
            actual, ids = _test_rows(estimator, X, y, task)
        tasks = _positions(estimator, ids)
        masses = masses_above(distributions_of(estimator), tasks)
        name = "all tasks" if len(tasks) > 1 else shortened(estimator.tasks_[tasks[0]])
        shown = None if actual is None else cls._of_rows(actual)
        chance = float(masses.share.mean())
        return cls(*cls._forecast(masses), name, chance, shown).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve on the given axes, or on new ones."""
        ax = axes_for(ax, 6.4, 4.4)
        ax.fill_between(self.x, *self.band, color=OURS, alpha=0.2, linewidth=0, label="90 %")
        ax.plot(self.x, self.y, color=OURS, label="forecast")
        if self.actual is not None:
            marks = "o-" if len(self.actual[0]) <= _GROUPS else "-"
            ax.plot(*self.actual, marks, color=ACTUAL, linewidth=1.0, label="on test rows")
        ends = self._reference()
        ax.plot(*ends, color=ALONE, linestyle="--", linewidth=0.8, label=self._reference_name)
        ax.set(xlabel=self.axes[0], ylabel=self.axes[1], title=self.name)
        end = self._end()
        ax.set(xlim=(0.0, end), ylim=(0.0, 1.02 * end))
        without_frame(ax)
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    _reference_name: ClassVar[str] = "chance"

    def _reference(self) -> tuple[Any, Any]:
        return [0, 1], [0, 1]

    def _end(self) -> float:
        """Of both axes."""
        return 1.0

    @staticmethod
    def _forecast(masses: MassesAbove) -> tuple[Floats, Floats, Floats]:
        raise NotImplementedError

    @staticmethod
    def _of_rows(actual: Actual) -> tuple[Floats, Floats]:
        raise NotImplementedError


class RocForecastDisplay(_CurveDisplay):
    """The ROC curve to expect: how many of the others are answered with how many of the class.

    Attributes
    ----------
    x, y, band : arrays
        False and true positive rates, and the ends of 90 % intervals for the latter.
    ax_, figure_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import RocForecastDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> display = RocForecastDisplay.from_estimator(clf, task="3 vs 8")
    """

    axes = ("false positive rate", "true positive rate")

    @staticmethod
    def _forecast(masses: MassesAbove) -> tuple[Floats, Floats, Floats]:
        return _on_grid(masses.negative / (1.0 - masses.share), masses.positive / masses.share)

    @staticmethod
    def _of_rows(actual: Actual) -> tuple[Floats, Floats]:
        x, y, _ = roc_curve(*actual)
        return x, y


class PrecisionRecallForecastDisplay(_CurveDisplay):
    """The precision to expect at every recall.

    Attributes
    ----------
    x, y, band : arrays
        Recalls, precisions, and the ends of 90 % intervals for the latter.
    ax_, figure_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import PrecisionRecallForecastDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> display = PrecisionRecallForecastDisplay.from_estimator(clf, task="3 vs 8")
    """

    axes = ("recall", "precision")

    def _reference(self) -> tuple[Any, Any]:
        return [0, 1], [self.chance, self.chance]

    @staticmethod
    def _forecast(masses: MassesAbove) -> tuple[Floats, Floats, Floats]:
        chosen = masses.positive + masses.negative
        precision = np.where(chosen > 1e-9, masses.positive / np.maximum(chosen, 1e-9), 1.0)
        return _on_grid(masses.positive / masses.share, precision, _GRID[1:])

    @staticmethod
    def _of_rows(actual: Actual) -> tuple[Floats, Floats]:
        precision, recall, _ = precision_recall_curve(*actual)
        return recall[:-1], precision[:-1]  # the last is a convention, not a threshold


class GainForecastDisplay(_CurveDisplay):
    """The share of the class to expect among the most probable rows: what a budget finds.

    Attributes
    ----------
    x, y, band : arrays
        Shares of all rows, shares of the class, and the ends of 90 % intervals for the latter.
    ax_, figure_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import GainForecastDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> display = GainForecastDisplay.from_estimator(clf, task="3 vs 8")
    """

    axes = ("share of the rows, the most probable first", "share of the class")

    @staticmethod
    def _forecast(masses: MassesAbove) -> tuple[Floats, Floats, Floats]:
        return _on_grid(masses.positive + masses.negative, masses.positive / masses.share)

    @staticmethod
    def _of_rows(actual: Actual) -> tuple[Floats, Floats]:
        found = np.cumsum(actual.truth[np.argsort(-actual.scores, kind="stable")])
        return np.linspace(0, 1, len(found) + 1), np.concatenate([[0.0], found]) / found[-1]


class CalibrationForecastDisplay(_CurveDisplay):
    """The share of the class to expect among rows of a probability, in ten groups.

    Attributes
    ----------
    x, y, band : arrays
        Mean probabilities of the groups, shares, and the ends of 90 % intervals for the latter.
    ax_, figure_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import CalibrationForecastDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> display = CalibrationForecastDisplay.from_estimator(clf)
    """

    axes = ("probability", "share of the class")
    _reference_name = "calibrated"

    def _end(self) -> float:
        """A rare class has small probabilities only."""
        shown = [self.x, self.band, *([] if self.actual is None else self.actual)]
        return min(1.0, 1.1 * max(float(np.max(part)) for part in shown))

    @staticmethod
    def _forecast(masses: MassesAbove) -> tuple[Floats, Floats, Floats]:
        p = expit(0.5 * (masses.thresholds[1:] + masses.thresholds[:-1]))
        positive, negative = (np.diff(m, axis=1) for m in (masses.positive, masses.negative))
        mass = (positive + negative).mean(axis=0)
        group = _groups(np.cumsum(mass) - 0.5 * mass)
        of_group = np.eye(_GROUPS)[group]
        used = mass @ of_group > 0
        shares = (positive @ of_group)[:, used] / np.maximum(
            ((positive + negative) @ of_group)[:, used], 1e-12
        )
        x = (mass * p) @ of_group[:, used] / (mass @ of_group[:, used])
        return _summed_up(x[::-1], shares[:, ::-1])

    @staticmethod
    def _of_rows(actual: Actual) -> tuple[Floats, Floats]:
        order = np.argsort(-actual.scores, kind="stable")
        n = len(order)
        of_group = np.eye(_GROUPS)[_groups((np.arange(n) + 0.5) / n)]
        rows = of_group.sum(axis=0)
        used = rows > 0
        x, y = (
            (values[order] @ of_group)[used] / rows[used]
            for values in (expit(actual.scores), actual.truth)
        )
        return x[::-1], y[::-1]


def _groups(middle: Floats) -> Codes:
    return np.minimum((_GROUPS * middle).astype(np.intp), _GROUPS - 1)


def _on_grid(x: Floats, y: Floats, grid: Floats = _GRID) -> tuple[Floats, Floats, Floats]:
    """Curves of all draws at the same places."""
    curves = [np.interp(grid, *curve) for curve in zip(x, y, strict=True)]
    return _summed_up(grid, np.array(curves))


def _summed_up(x: Floats, curves: Floats) -> tuple[Floats, Floats, Floats]:
    return x, curves.mean(axis=0), np.quantile(curves, [0.05, 0.95], axis=0)


def _test_rows(estimator: Any, X: Any, y: Any, task: Any) -> tuple[Actual, Any]:
    """What happened, and the tasks of the rows, if these are not all tasks."""
    features, _, column = check_rows(estimator, X, task, reset=False)
    labels = np.asarray(check_labels(y, features.shape[0]))
    classes = identifiers.lookup(estimator.classes_, labels)
    if (classes < 0).any():
        unknown, known = labels[classes < 0].tolist()[0], estimator.classes_.tolist()
        raise ValueError(f"label {unknown!r} is not a class of the model, which has {known}")
    if len(set(classes.tolist())) < 2:
        raise ValueError("y has labels of one class only; a curve needs both")
    scores = np.asarray(on_host(estimator.decision_function(X, task=task)))
    ids = identifiers.encode(np.asarray(check_tasks(column, features.shape[0])))[0]
    return Actual(classes.astype(np.float64), scores), ids if len(ids) == 1 else None


def _positions(estimator: Any, ids: Any) -> Codes:
    if ids is None:
        return np.arange(len(estimator.tasks_))
    return np.array([estimator._position(ids.tolist()[0])])
