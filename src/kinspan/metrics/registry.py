"""Names → scores: what each measures, which way is better, and what knowing nothing gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinspan.metrics import measures
from kinspan.metrics.rows import ScoredRows


class Kind(NamedTuple):
    """A score without its level."""

    measure: Callable[[ScoredRows, Any], float]
    greater_is_better: bool
    title: str  # at the head of a column
    level: str = ""  # what has to be said with it: "precision", "budget" or "matrix"
    of_answers: bool = False  # looks at answers alone, not at probabilities
    of_one_class: bool = False  # of two classes it is about the second; others look at both alike


class Score(NamedTuple):
    """A score that can be computed."""

    name: str
    level: Any = None  # a precision, a share or number of rows, or a matrix of costs

    def __str__(self) -> str:
        if self.level is None:
            return self.name
        level = self.level
        return f"{self.name}={level.tolist() if isinstance(level, np.ndarray) else level}"

    def asked(self) -> Any:
        """The score as it is asked for: its name, or with a level a dict."""
        return self.name if self.level is None else {self.name: self.level}

    def mirrored(self) -> Score:
        """Of the same rows with two classes exchanged."""
        is_matrix = isinstance(self.level, np.ndarray)
        return Score(self.name, self.level[::-1, ::-1]) if is_matrix else self

    @property
    def kind(self) -> Kind:
        """What it measures."""
        return SCORES[self.name]

    @property
    def title(self) -> str:
        """At the head of a column."""
        level = self.level
        if isinstance(level, float):
            return f"{self.kind.title} {100 * level:g} %"
        return f"{self.kind.title} {level}" if isinstance(level, int) else self.kind.title

    def of(self, rows: ScoredRows) -> float:
        """The score of rows."""
        return self.kind.measure(rows, self.level)

    def of_majority(self, rows: ScoredRows) -> float:
        """What they have if the most frequent class is always answered."""
        return self.of(rows.always_majority())

    def of_chance(self, rows: ScoredRows) -> float:
        """What they have if classes are guessed, each as often as it occurs."""
        return self.of(rows.by_chance())


SCORES = {
    "error": Kind(measures.error, False, "error", of_answers=True),
    "balanced_error": Kind(measures.balanced_error, False, "balanced error", of_answers=True),
    "cost": Kind(measures.cost, False, "cost", "matrix", of_answers=True),
    "f1": Kind(measures.f1, True, "F1", of_answers=True, of_one_class=True),
    "log_loss": Kind(measures.logarithmic_loss, False, "log loss"),
    "brier_score": Kind(measures.brier_score, False, "Brier score"),
    "calibration_error": Kind(measures.calibration_error, False, "calibration error"),
    "roc_auc": Kind(measures.roc_auc, True, "AUC"),
    "average_precision": Kind(
        measures.average_precision, True, "average precision", of_one_class=True
    ),
    "recall_at_precision": Kind(
        *(measures.recall_at_precision, True, "recall at precision", "precision"),
        of_one_class=True,
    ),
    "recall_at_budget": Kind(
        measures.recall_at_budget, True, "recall at", "budget", of_one_class=True
    ),
    "precision_at_budget": Kind(
        measures.precision_at_budget, True, "precision at", "budget", of_one_class=True
    ),
    "lift_at_budget": Kind(measures.lift_at_budget, True, "lift at", "budget", of_one_class=True),
}
