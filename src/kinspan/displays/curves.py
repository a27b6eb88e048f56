"""Curves that are forecast from left-out rows: ROC, precision–recall, calibration, gain."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.metrics import precision_recall_curve, roc_curve

from kinspan._rows.types import Codes, Floats
from kinspan.displays._curve import GROUPS, Actual, CurveDisplay
from kinspan.risk.drawn_curves import MassesAbove

_GRID = np.linspace(0.0, 1.0, 101)


class RocForecastDisplay(CurveDisplay):
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


class PrecisionRecallForecastDisplay(CurveDisplay):
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


class GainForecastDisplay(CurveDisplay):
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


class CalibrationForecastDisplay(CurveDisplay):
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

    @staticmethod
    def _about(estimator: Any) -> str:
        """Equally frequent classes are the default, and seldom those of the rows."""
        is_equal = estimator._learnt.parameters["priors"] is None
        return "; probabilities of equally frequent classes" * is_equal

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
        of_group = np.eye(GROUPS)[group]
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
        of_group = np.eye(GROUPS)[_groups((np.arange(n) + 0.5) / n)]
        rows = of_group.sum(axis=0)
        used = rows > 0
        x, y = (
            (values[order] @ of_group)[used] / rows[used]
            for values in (expit(actual.scores), actual.truth)
        )
        return x[::-1], y[::-1]


def _groups(middle: Floats) -> Codes:
    return np.minimum((GROUPS * middle).astype(np.intp), GROUPS - 1)


def _on_grid(x: Floats, y: Floats, grid: Floats = _GRID) -> tuple[Floats, Floats, Floats]:
    """Curves of all draws at the same places."""
    curves = [np.interp(grid, *curve) for curve in zip(x, y, strict=True)]
    return _summed_up(grid, np.array(curves))


def _summed_up(x: Floats, curves: Floats) -> tuple[Floats, Floats, Floats]:
    return x, curves.mean(axis=0), np.quantile(curves, [0.05, 0.95], axis=0)
