"""Model selection that knows the task.

split    TaskStratifiedKFold   every fold holds its share of every task and class
score    make_task_scorer      any scikit-learn score, with the task handed to the estimator
report   task_report           the error of every task, in one table
"""

from kinspan.model_selection.report import TaskReport, task_report
from kinspan.model_selection.scorer import TaskScorer, make_task_scorer
from kinspan.model_selection.splitter import TaskStratifiedKFold

__all__ = ["TaskReport", "TaskScorer", "TaskStratifiedKFold", "make_task_scorer", "task_report"]
