"""Questions to a fitted model: who helps whom, what if a task left, how many labels are needed."""

from kinspan.answers.forecasts import Forecasts
from kinspan.answers.labels_needed import LabelsNeeded
from kinspan.answers.methods import AnswersMixin
from kinspan.answers.weights import WeightsMixin
from kinspan.answers.who_helps import TaskLeftOut, TransferExplanation

__all__ = [
    "AnswersMixin",
    "Forecasts",
    "LabelsNeeded",
    "TaskLeftOut",
    "TransferExplanation",
    "WeightsMixin",
]
