"""The questions as methods of the estimator, and tasks that join or leave it."""

from __future__ import annotations

from copy import copy
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from kinspan._memory.learnt import Learnt
from kinspan._memory.removal import without_task
from kinspan._memory.threads import learning
from kinspan._rows.types import Floats, Ids
from kinspan._validation.parameters import check_positive
from kinspan._validation.rows import check_one_task
from kinspan.answers.forecasts import Forecasts, forecasts
from kinspan.answers.joining import joined, parted
from kinspan.answers.planning import PlanningMixin
from kinspan.answers.score_forecasts import ScoreForecasts, score_forecasts
from kinspan.answers.summary import by_need, summary
from kinspan.answers.unlabelled import UnlabelledExplanation, explanation_of_unlabelled
from kinspan.answers.who_helps import (
    TaskLeftOut,
    TransferExplanation,
    explanation,
    lost_without,
)
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample
from kinspan.selection.outcome import FittedRules


class AnswersMixin(PlanningMixin):
    """Questions to a fitted MultiTaskSPCA, and tasks that join or leave it."""

    tasks_: Ids
    forecast_error_: Floats
    forecast_interval_: Floats
    single_task_error_: Floats
    moments_: ClassMoments
    sample_: RowSample | None
    _rules: FittedRules
    _learnt: Learnt
    _fit_moments: Any

    @overload
    def forecast(self, task: Any = None, *, score: None = None) -> Forecasts: ...

    @overload
    def forecast(self, task: Any = None, *, score: Any) -> ScoreForecasts: ...

    def forecast(self, task: Any = None, *, score: Any = None) -> Forecasts | ScoreForecasts:
        """Return the error to expect on new rows, or another score, the worst task first.

        Parameters
        ----------
        task : one id, optional
            None is all tasks.
        score : str or {name: level}, optional
            None is the error, with classes weighted by `priors`. Others are
            "average_precision", "roc_auc", "log_loss", "brier_score", "calibration_error", "f1",
            "error", "balanced_error", {"recall_at_precision": 0.8}, {"recall_at_budget": 0.05},
            {"precision_at_budget": 0.05}, {"lift_at_budget": 0.05} or {"cost": matrix}, with
            classes as frequent as in the labels of the task, or as an array of `priors` says.
            All of them follow from the same left-out rows, drawn to what the other tasks say where
            a class has few. Intervals count that new rows have these shares only about, that of the
            error without a score does not. *Majority* is what always answering the most frequent
            class of the task gives, *chance* what guessing each class as often as it occurs gives.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> clf.forecast("3 vs 8")
        task    error  90 % interval  labels
        3 vs 8  6.1 %  0.5 to 16.6 %      10
        >>> clf.forecast("3 vs 8", score="roc_auc")
        task      AUC   90 % interval  majority  chance  labels 0 / 1
        3 vs 8  0.958  0.849 to 0.999     0.500   0.500         5 / 5
        Majority: always answering the most frequent class of the task. Chance: guessing.
        """
        check_is_fitted(self)
        if score is not None:
            chosen = None if task is None else np.array([self._position(task)])
            return score_forecasts(self, score, chosen)
        order = by_need(self) if task is None else np.array([self._position(task)])
        return forecasts(self, order)

    def explain_transfer(self, task: Any, *, most: int = 10) -> TransferExplanation:
        """Say which tasks help a task, and by how much.

        The tasks with the largest shares in its rule are left out in turn, and the rules are fitted
        again from the moments of the others, one fit per task left out, without a pass over rows.
        The gain from a task is the part of `transfer_gain_` that would be lost: by its share in the
        rule where rows are few, by rows that were left out of both rules where they are many.

        Parameters
        ----------
        task : one id
        most : int, default=10
            How many tasks to leave out, the largest shares first.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> clf.explain_transfer("3 vs 8", most=3)
        Task '3 vs 8': forecast error 6.1 %, alone 6.4 %
        task    gain in points  relatedness
        4 vs 9            +0.0        -0.50
        1 vs 8            +0.0        +0.22
        4 vs 6            +0.0        -0.34
        Gain: by how many points less the others would save without that task.
        """
        t = self._position(task)
        return explanation(self, task, t, check_positive("most", most))

    def explain_unlabelled(self) -> UnlabelledExplanation:
        """Say which tasks have learnt from rows without labels, and why, or why not.

        Examples
        --------
        >>> import numpy as np
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=3)
        >>> X = np.concatenate([digits.X, digits.X_test])
        >>> y = np.concatenate([digits.y, np.full(len(digits.y_test), np.nan)])
        >>> task = np.concatenate([digits.task, digits.task_test])
        >>> clf = MultiTaskSPCA().fit(X, y, task=task)
        >>> clf.explain_unlabelled().sentence
        '45 of 45 tasks use their rows without labels'
        """
        check_is_fitted(self)
        return explanation_of_unlabelled(self)

    def leave_out(self, task: Any) -> TaskLeftOut:
        """Return the forecasts of all other tasks, had a task never been there.

        The fit is exact: the moments and the sampled rows of the task are left out. `change` is how
        much less the tasks save each of the others, as `transfer_gain_` and `explain_transfer` say.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> answer = clf.leave_out("3 vs 8")
        >>> len(answer.tasks), len(answer.change)
        (44, 44)
        """
        t = self._position(task)
        rest = copy(self)
        vars(rest).update(self._learnt.parameters)  # the parameters of the fit, not those set since
        rest._fit_moments(*parted(self, t))
        change = lost_without(self, rest, t)
        return TaskLeftOut(task, rest.tasks_, rest.forecast_error_, rest.forecast_interval_, change)

    def add_task(
        self,
        name: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add a task; the moments of the others do not change.

        With rows of at least two classes it is a task like the others. With labels of one class,
        rows without labels, or no rows at all it gets the rule that the others agree on, centred as
        well as its rows allow; its forecast is the error of known tasks that are treated as new.
        Rows of a task that is already fitted are added to it, with full weight and without fading
        earlier ones.

        Parameters
        ----------
        name : one id
        X : array, CSR matrix or data frame of shape (n_samples, n_features), optional
        y : array of shape (n_samples,), optional
            Without it, or where it is missing, rows have no labels: they locate the centre of a new
            task, assuming that its classes have the shares of `priors`. A task with labels of two
            classes uses them as `fit` does.
        sample_weight : array of shape (n_samples,), optional

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> rest = digits.task != "3 vs 8"
        >>> clf = MultiTaskSPCA().fit(digits.X[rest], digits.y[rest], task=digits.task[rest])
        >>> new = digits.X[~rest], digits.y[~rest]
        >>> forecasts = [clf.add_task("3 vs 8").forecast_error_[clf.tasks_ == "3 vs 8"][0]]
        >>> forecasts += [clf.add_task("3 vs 8", *new).forecast_error_[clf.tasks_ == "3 vs 8"][0]]
        >>> bool(forecasts[0] > forecasts[1])
        True
        """
        check_is_fitted(self)
        with learning(self) as draft:
            draft._fit_moments(*joined(draft, name, X, y, sample_weight))
        return self

    def remove_task(self, name: Any) -> Self:
        """Remove a task, as if it had never been there.

        With very many tasks fewer than `row_sample` rows are kept of each cell, and without the
        removed task more rows of the others would have been kept: an `InexactRemovalWarning` says
        so.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> len(clf.remove_task("3 vs 8").tasks_)
        44
        """
        with learning(self) as draft:
            rest = parted(draft, draft._position(name))
            without_task(draft.sample_, rest.sample, rest.moments)
            draft._fit_moments(*rest)
        return self

    def _position(self, task: Any) -> int:
        check_is_fitted(self)
        return check_one_task(task, self.tasks_)

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def __dir__(self) -> list[str]:
        """Names only: scikit-learn's version evaluates every property."""
        return list(object.__dir__(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The notebook view: the parameters, and after `fit` a table of the tasks."""
        html = estimator_html_repr(clone(self))  # fitted attributes are in the table
        if "_learnt" in vars(self):
            html = html.replace("Not fitted", "Fitted")
        if hasattr(self, "forecast_error_"):
            html = summary(self).html() + html
        return {"text/plain": repr(self), "text/html": html}
