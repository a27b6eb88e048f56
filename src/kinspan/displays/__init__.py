"""Pictures of a fitted model, in the style of scikit-learn: `from_estimator` and `plot(ax=)`.

They need matplotlib: `pip install 'kinspan[plot]'`.
"""

from kinspan.displays.curves import (
    CalibrationForecastDisplay,
    GainForecastDisplay,
    PrecisionRecallForecastDisplay,
    RocForecastDisplay,
)
from kinspan.displays.forecast import ForecastDisplay
from kinspan.displays.learning_curve import LearningCurveForecastDisplay
from kinspan.displays.relatedness import RelatednessDisplay
from kinspan.displays.score_distribution import ScoreDistributionDisplay
from kinspan.displays.spectrum import SpectrumDisplay
from kinspan.displays.transfer import TransferDisplay

__all__ = [
    "CalibrationForecastDisplay",
    "ForecastDisplay",
    "GainForecastDisplay",
    "LearningCurveForecastDisplay",
    "PrecisionRecallForecastDisplay",
    "RelatednessDisplay",
    "RocForecastDisplay",
    "ScoreDistributionDisplay",
    "SpectrumDisplay",
    "TransferDisplay",
]
