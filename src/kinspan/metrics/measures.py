"""Rows that a model has answered → one number, by scikit-learn's functions where there is one.

What ranks rows looks at the probability of the second class, and with more than two classes at
every class against the others, averaged over the classes that occur. It is NaN where all rows are
of one class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    log_loss,
    precision_recall_curve,
    recall_score,
    roc_auc_score,
    roc_curve,
    zero_one_loss,
)

from kinspan._rows.types import Floats
from kinspan.metrics.rows import ScoredRows

_BINS = 10


def error(rows: ScoredRows, level: Any = None) -> float:
    """The share of rows that are answered wrongly."""
    return float(zero_one_loss(rows.truth, rows.answers, sample_weight=rows.weights))


def balanced_error(rows: ScoredRows, level: Any = None) -> float:
    """The mean over classes of the share of their rows that are answered wrongly."""
    right = recall_score(
        rows.truth,
        rows.answers,
        labels=np.flatnonzero(rows.counts),
        average="macro",
        sample_weight=rows.weights,
        zero_division=0.0,
    )
    return 1.0 - float(right)


def cost(rows: ScoredRows, level: Floats) -> float:
    """The mean cost of a row: level[i, j] where a row of class i is answered j."""
    labels = np.arange(rows.n_classes)
    found = confusion_matrix(rows.truth, rows.answers, labels=labels, sample_weight=rows.weights)
    return float((found * level).sum() / rows.weights.sum())


def f1(rows: ScoredRows, level: Any = None) -> float:
    """Of the second class; with more than two classes the mean over those that occur."""
    labels = [1] if rows.n_classes == 2 else np.flatnonzero(rows.counts)
    options = {"labels": labels, "average": "macro", "zero_division": 0.0}
    return float(f1_score(rows.truth, rows.answers, sample_weight=rows.weights, **options))


def logarithmic_loss(rows: ScoredRows, level: Any = None) -> float:
    """Minus the mean logarithm of the probability of the true class."""
    labels = np.arange(rows.n_classes)
    probabilities = np.clip(rows.probabilities, 1e-15, None)
    probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
    return float(log_loss(rows.truth, probabilities, labels=labels, sample_weight=rows.weights))


def brier_score(rows: ScoredRows, level: Any = None) -> float:
    """The mean squared error of the probability of the second class, or of all classes."""
    if rows.n_classes == 2:
        p = np.clip(rows.probabilities[:, 1], 0.0, 1.0)
        return float(brier_score_loss(rows.truth, p, sample_weight=rows.weights, pos_label=1))
    labels = np.arange(rows.n_classes)
    found = brier_score_loss(
        rows.truth, rows.probabilities, labels=labels, sample_weight=rows.weights
    )
    return float(found)


def calibration_error(rows: ScoredRows, level: Any = None) -> float:
    """How far shares are from probabilities, in ten groups of about as many rows, on average.

    Of the second class; with more than two classes, of the answer. With few rows it is too large,
    because shares of few rows are far from anything.
    """
    if rows.n_classes == 2:
        p, happened = rows.probabilities[:, 1], rows.truth == 1
    else:
        best = rows.probabilities.argmax(axis=1)
        p, happened = rows.probabilities.max(axis=1), rows.truth == best
    _, place = np.unique(p, return_inverse=True)  # equal probabilities stay in one group
    w = np.bincount(place, rows.weights)
    excess = np.bincount(place, rows.weights * (happened - p))
    middle = (np.cumsum(w) - 0.5 * w) / w.sum()
    groups = np.minimum((_BINS * middle).astype(np.intp), _BINS - 1)
    return float(np.abs(np.bincount(groups, excess)).sum() / w.sum())


def roc_auc(rows: ScoredRows, level: Any = None) -> float:
    """The chance that a row of the class has a larger probability of it than another row."""
    return _one_versus_rest(rows, roc_auc_score)


def average_precision(rows: ScoredRows, level: Any = None) -> float:
    """The mean precision over recalls from 0 to 1."""
    return _one_versus_rest(rows, average_precision_score)


def recall_at_precision(rows: ScoredRows, level: float) -> float:
    """The largest recall of a threshold whose precision is at least the level; 0 without any."""

    def largest(truth: Any, p: Floats, sample_weight: Floats) -> float:
        precision, recall, _ = precision_recall_curve(truth, p, sample_weight=sample_weight)
        return float(recall[precision >= level - 1e-12].max(initial=0.0))

    return _one_versus_rest(rows, largest)


def recall_at_budget(rows: ScoredRows, level: float) -> float:
    """The share of the class that is among the most probable rows, a share or a number of them."""

    def found(truth: Any, p: Floats, sample_weight: Floats) -> float:
        share = float(sample_weight @ truth / sample_weight.sum())
        fpr, tpr, _ = roc_curve(truth, p, sample_weight=sample_weight, drop_intermediate=False)
        chosen = share * tpr + (1.0 - share) * fpr  # rows of the same score share a place
        return float(np.interp(_share_of_rows(level, sample_weight), chosen, tpr))

    return _one_versus_rest(rows, found)


def lift_at_budget(rows: ScoredRows, level: float) -> float:
    """How many times as frequent the class is among these rows as among all."""
    return recall_at_budget(rows, level) / _share_of_rows(level, rows.weights)


def precision_at_budget(rows: ScoredRows, level: float) -> float:
    """The share of these rows that is of the class; the second of two classes."""
    share = rows.counts[1] / rows.counts.sum()
    return float(lift_at_budget(rows, level) * share)


def _share_of_rows(level: float, weights: Floats) -> float:
    """A budget of whole rows is at most all of them."""
    return min(level / float(weights.sum()), 1.0) if isinstance(level, int) else level


def _one_versus_rest(rows: ScoredRows, measure: Callable[..., float]) -> float:
    occur = np.flatnonzero(rows.counts)
    if len(occur) < 2:
        return float("nan")
    classes = [1] if rows.n_classes == 2 else occur
    found = [
        measure((rows.truth == c).astype(int), rows.probabilities[:, c], sample_weight=rows.weights)
        for c in classes
    ]
    return float(np.mean(found))
