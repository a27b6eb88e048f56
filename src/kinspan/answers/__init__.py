"""Answers to what users ask of a fitted model: who helps whom, what if, how many labels more."""

from kinspan.answers.explanation import TransferExplanation
from kinspan.answers.labels_needed import LabelsNeeded
from kinspan.answers.left_out import TaskLeftOut
from kinspan.answers.methods import AnswersMixin
from kinspan.answers.weights import WeightsMixin

__all__ = ["AnswersMixin", "LabelsNeeded", "TaskLeftOut", "TransferExplanation", "WeightsMixin"]
