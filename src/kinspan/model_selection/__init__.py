"""Model selection that takes the task of every row into account.

split    TaskStratifiedKFold   folds with equal shares of every task and class
score    make_task_scorer      any scikit-learn score, with the task passed to the estimator
report   task_report           the error of every task, in one table
"""

from kinspan.model_selection.report import TaskReport, task_report
from kinspan.model_selection.scorer import TaskScorer, make_task_scorer
from kinspan.model_selection.splitter import TaskStratifiedKFold

__all__ = ["TaskReport", "TaskScorer", "TaskStratifiedKFold", "make_task_scorer", "task_report"]
