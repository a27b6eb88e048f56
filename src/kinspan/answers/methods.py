"""The questions as methods of the estimator."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from kinspan import _validation
from kinspan._memory.removal import without_task
from kinspan._memory.threads import learning
from kinspan._rows import identifiers
from kinspan._rows.types import Floats, Ids
from kinspan.answers.explanation import TransferExplanation, most_involved, relatedness_to
from kinspan.answers.joining import joined, parted
from kinspan.answers.labels_needed import LabelsNeeded, labels_needed
from kinspan.answers.left_out import TaskLeftOut
from kinspan.answers.summary import summary
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample
from kinspan.selection.fit import FittedRules


class AnswersMixin:
    """What to ask a fitted MultiTaskSPCA, and tasks that come and go."""

    tasks_: Ids
    forecast_error_: Floats
    forecast_interval_: Floats
    single_task_error_: Floats
    moments_: ClassMoments
    sample_: RowSample | None
    _rules: FittedRules
    _asked: dict[str, Any]
    _fit_moments: Any

    def explain_transfer(self, task: Any, *, most: int = 10) -> TransferExplanation:
        """Say which tasks help a task, and by how much.

        Each of the tasks that weigh most in its rule is left out in turn, exactly: what is fitted
        from the moments of the others is compared. That takes as many fits, without a pass over
        rows.

        Parameters
        ----------
        task : one id
        most : int, default=10
            How many tasks to ask about, those first that weigh most.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> clf.explain_transfer("3 vs 8", most=3)
        Task '3 vs 8': forecast error 8.6 %, alone 18.9 %
        task    gain in points  relatedness
        5 vs 8            +2.4        +0.98
        2 vs 8            +0.9        +0.88
        3 vs 9            +0.2        +0.75
        Gain: by how many points the forecast error would rise without that task.
        """
        t = self._position(task)
        others = most_involved(
            self.moments_.effective(), self._rules, t, _validation.check_positive("most", most)
        )
        related = relatedness_to(self.moments_.effective(), self._rules, t, others)
        names = [self.tasks_[s] for s in others]
        error = float(self.forecast_error_[t])
        without = [self._forecast_without(task, name) for name in names]
        gain = np.array(without, dtype=np.float64) - error
        order = np.argsort(-gain, kind="stable")
        return TransferExplanation(
            task,
            error,
            float(self.single_task_error_[t]),
            [names[i] for i in order],
            gain[order],
            related[order],
        )

    def leave_out(self, task: Any) -> TaskLeftOut:
        """Give the forecasts of all other tasks, had a task never been there.

        Exact, by leaving out its moments and its sampled rows.

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
        self._position(task)
        rest = self._without(task)
        before = self.forecast_error_[identifiers.lookup(self.tasks_, rest.tasks_)]
        change = rest.forecast_error_ - before
        return TaskLeftOut(task, rest.tasks_, rest.forecast_error_, rest.forecast_interval_, change)

    def learning_curve(self, task: Any, more: ArrayLike) -> Floats:
        """Foretell the error of a task after more labels in each of its classes.

        The theory of the paper, fed with what is estimated and calibrated to the forecasts. With
        few labels of a task these say little: they are drawn to what all tasks say, so that the
        curve does not begin exactly at `forecast_error_`.

        Parameters
        ----------
        task : one id
        more : array-like of numbers
            Labels to add to each class; the other tasks keep theirs.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> clf.learning_curve("3 vs 8", [0, 5, 20, 100]).round(3)
        array([0.006, 0.003, 0.002, 0.002])
        """
        t = self._position(task)
        return self._rules.learning.error(t, _validation.check_more_labels(more))

    def labels_needed(self, task: Any, error: float) -> LabelsNeeded:
        """Say how many labels more of a task reach an error, or that none do.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> clf.labels_needed("3 vs 8", 0.003).more_per_class
        8
        """
        t = self._position(task)
        wanted, forecast = _validation.check_error_rate(error), float(self.forecast_error_[t])
        return labels_needed(self._rules.learning, t, task, wanted, forecast)

    def add_task(
        self,
        name: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Let a task join; the moments of the others stay as they are.

        With rows and labels it is a task like the others. With labels of one class, with rows
        alone, or with nothing at all it gets the rule that the others agree on, placed as well as
        its rows allow; its forecast is that of tasks which pretend to be new. Rows of a task that
        is there already are added to it, with full weight and without fading those before them.

        Parameters
        ----------
        name : one id
        X : array, CSR matrix or data frame of shape (n_samples, n_features), optional
        y : array of shape (n_samples,), optional
            Without it the rows of X have no labels: they say where a new task lies, if its classes
            have the shares of `priors`. Where two classes have labels they change nothing.
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
            state = joined(draft, name, X, y, sample_weight)
            draft._fit_moments(*state)
        return self

    def remove_task(self, name: Any) -> Self:
        """Forget a task, as if it had never been there.

        With so many tasks that rows are not kept up to `row_sample`, more rows of the others would
        have been: an `InexactRemovalWarning` says so.

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
            left = parted(draft, draft._position(name))
            without_task(draft.sample_, left.sample, left.moments)
            draft._fit_moments(*left)
        return self

    def _position(self, task: Any) -> int:
        check_is_fitted(self)
        return _validation.check_one_task(task, self.tasks_)

    def _without(self, task: Any) -> Self:
        rest = copy(self)
        vars(rest).update(self._asked)  # not what was changed since rows came
        rest._fit_moments(*parted(self, self._position(task)))
        return rest

    def _forecast_without(self, task: Any, other: Any) -> float:
        """The forecast of a task, NaN if nothing can be fitted without the other."""
        try:
            rest = self._without(other)
        except ValueError:
            return float("nan")
        return float(rest.forecast_error_[_validation.check_one_task(task, rest.tasks_)])

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def __dir__(self) -> list[str]:
        """Names alone: scikit-learn would compute what is computed on access."""
        return list(object.__dir__(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """What notebooks show: the parameters, and after `fit` a table of the tasks."""
        html = estimator_html_repr(clone(self))  # parameters; attributes are in the table
        if hasattr(self, "forecast_error_"):
            html = summary(self).html() + html.replace("Not fitted", "Fitted")
        return {"text/plain": repr(self), "text/html": html}
