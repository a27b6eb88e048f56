"""The scores that people decide by: one registry, computed with scikit-learn's functions.

rows        `ScoredRows`: what is known of rows that a model has answered
measures    one function per score: rows → a number
registry    names → scores, and what *always the majority* and *chance* give
by_task     scores of every task
"""

from kinspan.metrics.by_task import TaskScores, scores_by_task
from kinspan.metrics.registry import SCORES, Kind, Score
from kinspan.metrics.rows import ScoredRows

__all__ = ["SCORES", "Kind", "Score", "ScoredRows", "TaskScores", "scores_by_task"]
