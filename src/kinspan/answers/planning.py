"""What more labels would bring, as methods of the estimator."""

from __future__ import annotations

from typing import Any, overload

from numpy.typing import ArrayLike

from kinspan._rows.types import Floats, Ids
from kinspan._validation.parameters import check_error_rate, check_more_labels
from kinspan._validation.scores import check_curve_score, check_labelled, check_wanted
from kinspan.answers.labels_for_score import LabelsForScore, labels_for_score
from kinspan.answers.labels_needed import LabelsNeeded, labels_needed
from kinspan.answers.score_curves import ScoreCurve, mix_of
from kinspan.metrics import Score
from kinspan.row_sample import RowSample
from kinspan.selection.outcome import FittedRules


class PlanningMixin:
    """Learning curves of a fitted MultiTaskSPCA."""

    classes_: Ids
    sample_: RowSample | None
    _rules: FittedRules
    _position: Any

    def learning_curve(
        self, task: Any, more: ArrayLike, *, score: Any = None, label: str = "each class"
    ) -> Floats:
        """Predict the error of a task, or another score, after labels are added.

        The theory of the paper with estimated quantities. With no more labels it is the forecast.

        Parameters
        ----------
        task : one id
        more : array-like of numbers
            Numbers of labels to add; the other tasks keep theirs.
        score : str or {name: level}, optional
            A score of `forecast`; None is the error.
        label : "each class", "rows" or "positives"
            What is labelled: so many rows of each class, rows as they come, with classes as
            frequent as `forecast` takes them, or rows of the second class only.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> clf.learning_curve("3 vs 8", [0, 5, 20, 100]).round(3)
        array([0.061, 0.049, 0.041, 0.037])
        >>> clf.learning_curve("3 vs 8", [0, 20], score="roc_auc", label="rows").round(3)
        array([0.958, 0.968])
        """
        t = self._position(task)
        numbers = check_more_labels(more)
        mix = mix_of(self, t, check_labelled(label, len(self.classes_)))
        if score is None:
            return self._rules.learning.error(t, numbers, mix)
        curve = ScoreCurve.of(self, self._forecast_score(score), t)
        if not numbers.size:
            return numbers
        return curve.at(numbers.ravel(), mix).value.reshape(numbers.shape)

    @overload
    def labels_needed(self, task: Any, wanted: float, *, score: None = None) -> LabelsNeeded: ...

    @overload
    def labels_needed(self, task: Any, wanted: float, *, score: Any) -> LabelsForScore: ...

    def labels_needed(
        self, task: Any, wanted: float, *, score: Any = None
    ) -> LabelsNeeded | LabelsForScore:
        """Return how many more labels a task needs to reach an error, or a value of another score.

        An error is out of reach only if the interval of the forecast excludes it, with very many
        labels. Where the forecast may be no better than guessing, the answer is how many labels
        would tell. Errors are not planned where a `threshold` for another goal makes more of them
        than always answering the usual class. For another score the answer compares what can be
        labelled: rows of the second class only, rows as they come, or as many of each class.

        Parameters
        ----------
        task : one id
        wanted : float
            The error to reach, or the value of the score.
        score : str or {name: level}, optional
            A score of `forecast`; None is the error.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> clf.labels_needed("3 vs 8", 0.05)
        Task '3 vs 8': about 6.1 % now; 5.0 % with about 4 more labels per class
        >>> clf.labels_needed("3 vs 8", 0.965, score="roc_auc")
        Task '3 vs 8': AUC about 0.958 now
        labels of   more for 0.965   then  very many   90 % interval
        positives               42  0.965      0.966  0.865 to 1.000
        rows                     9  0.965      0.973  0.885 to 1.000
        each class               5  0.965      0.973  0.885 to 1.000
        """
        t = self._position(task)
        if score is None:
            return labels_needed(self, t, task, check_error_rate(wanted))
        known = self._forecast_score(score)
        return labels_for_score(self, known, t, task, check_wanted(known, wanted))

    def _forecast_score(self, score: Any) -> Score:
        return check_curve_score("score", score, len(self.classes_), self.sample_ is not None)
