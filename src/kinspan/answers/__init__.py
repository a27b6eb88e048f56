"""Questions to a fitted model: who helps whom, what if a task left, how many labels are needed."""

from kinspan.answers.audit import AuditMixin
from kinspan.answers.forecasts import Forecasts
from kinspan.answers.label_issues import LabelIssues, WrongLabelRates
from kinspan.answers.labels_for_score import LabelsForScore, LabelsOf
from kinspan.answers.labels_needed import LabelsNeeded
from kinspan.answers.methods import AnswersMixin
from kinspan.answers.rows import RowsMixin
from kinspan.answers.score_forecasts import ScoreForecasts
from kinspan.answers.unlabelled import UnlabelledExplanation
from kinspan.answers.weights import WeightsMixin
from kinspan.answers.who_helps import TaskLeftOut, TransferExplanation

__all__ = [
    "AnswersMixin",
    "AuditMixin",
    "Forecasts",
    "LabelIssues",
    "LabelsForScore",
    "LabelsNeeded",
    "LabelsOf",
    "RowsMixin",
    "ScoreForecasts",
    "TaskLeftOut",
    "TransferExplanation",
    "UnlabelledExplanation",
    "WeightsMixin",
    "WrongLabelRates",
]
