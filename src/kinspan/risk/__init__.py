"""Step 6: rules → the error to expect on new rows.

The error comes from inner products, exactly for uncorrelated Gaussian noise (`gaussian`), or from
the scores of sampled rows, each left out of the rule that scores it (`leave_one_out`), by counting
errors (`tails`) and comparing tasks (`forecast`).
"""

from kinspan.risk.calibration import calibration
from kinspan.risk.difficulty import Ways
from kinspan.risk.distances import spread_of_scores
from kinspan.risk.distributions import ScoreDistributions, score_distributions
from kinspan.risk.drawn_scores import ScoreForecast, forecast_score
from kinspan.risk.energies import Energies
from kinspan.risk.equal_rows import with_doubt
from kinspan.risk.forecast import Forecast, LeftOutErrors, left_out_errors
from kinspan.risk.gaussian import alignment, error_rate
from kinspan.risk.learning import Learning, learning_curves
from kinspan.risk.leave_one_out import leave_one_out_scores
from kinspan.risk.left_out_rows import LeftOutRows
from kinspan.risk.rule_parts import (
    Residuals,
    RuleParts,
    ScaleChange,
    SharedPart,
    SharedProducts,
    ShrunkPart,
)
from kinspan.risk.saved import Saved, saved
from kinspan.risk.several_classes import forecast_of_several
from kinspan.risk.thresholds import Goal, thresholds
from kinspan.risk.wrong_labels import LabelledScores, WrongLabels, rate_interval, wrong_labels

__all__ = [
    "Energies",
    "Forecast",
    "Goal",
    "LabelledScores",
    "Learning",
    "LeftOutErrors",
    "LeftOutRows",
    "Residuals",
    "RuleParts",
    "Saved",
    "ScaleChange",
    "ScoreDistributions",
    "ScoreForecast",
    "SharedPart",
    "SharedProducts",
    "ShrunkPart",
    "Ways",
    "WrongLabels",
    "alignment",
    "calibration",
    "error_rate",
    "forecast_of_several",
    "forecast_score",
    "learning_curves",
    "leave_one_out_scores",
    "left_out_errors",
    "rate_interval",
    "saved",
    "score_distributions",
    "spread_of_scores",
    "thresholds",
    "with_doubt",
    "wrong_labels",
]
