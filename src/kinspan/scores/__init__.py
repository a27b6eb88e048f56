"""Step 5: weights of tasks → directions and linear rules; rows → scores and probabilities."""

from kinspan.scores.agreement import Agreement, agreement
from kinspan.scores.rules import (
    LinearRules,
    centred_rules,
    discriminant_rules,
    in_input_units,
    shrinkage,
)
from kinspan.scores.scoring import (
    ABSENT_PENALTY,
    answers,
    paired_scores,
    probabilities,
    projectors,
    without_absent,
)

__all__ = [
    "ABSENT_PENALTY",
    "Agreement",
    "LinearRules",
    "agreement",
    "answers",
    "centred_rules",
    "discriminant_rules",
    "in_input_units",
    "paired_scores",
    "probabilities",
    "projectors",
    "shrinkage",
    "without_absent",
]
