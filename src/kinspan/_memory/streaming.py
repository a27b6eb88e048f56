"""Learning step by step: batches of rows, other models, and rows that have to be removed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from kinspan._memory.learnt import Learnt, rule_parameters
from kinspan._memory.removal import among_features_of, unlearnt
from kinspan._memory.statistics import Statistics
from kinspan._memory.threads import learning, snapshot
from kinspan._rows import identifiers
from kinspan._rows.types import Ids
from kinspan._validation.fitted import check_mergeable, features_of
from kinspan._validation.labelled_rows import check_labelled_rows
from kinspan._validation.moments import check_common_names, check_known_names
from kinspan._validation.parameters import check_declared, check_positive, check_type
from kinspan._validation.rows import check_labels
from kinspan.class_moments import ClassMoments
from kinspan.exceptions import InexactRemovalWarning


class StreamingMixin:
    """The methods of MultiTaskSPCA that change what it has learnt, but for whole tasks."""

    task_column: str | int | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _learnt: Learnt

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        task: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from one more batch of rows.

        Batches of any size in any order lead to the same model as `fit` on all rows. Tasks and
        classes may be new. Rules are computed at the next question, not in every call.

        Threads may share a model: their batches wait for each other, none is lost, and `predict`,
        `predict_proba`, `decision_function` and `transform` answer with what the model knew when
        they were called. For other questions during learning ask a `copy.copy` of it.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels; a missing one is that of a row without label.
        task : array of shape (n_samples,), one id for all rows, or None
        classes : array-like, optional
            Classes to expect: they are in `classes_` before they have rows, and from then on other
            labels are refused.
        sample_weight : array of shape (n_samples,), optional
            Frequencies: weight 2 is the row twice, weight 0 its absence.

        Examples
        --------
        >>> import numpy as np
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> whole = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> stream = MultiTaskSPCA()
        >>> for rows in np.array_split(np.random.default_rng(0).permutation(450), 7):
        ...     _ = stream.partial_fit(digits.X[rows], digits.y[rows], task=digits.task[rows])
        >>> bool(np.allclose(stream.coef_, whole.coef_, rtol=1e-9))
        True
        """
        with learning(self) as draft:
            is_first = "_learnt" not in vars(draft)
            parameters = rule_parameters(draft)
            rows = check_labelled_rows(X, y, task, sample_weight, estimator=draft, reset=is_first)
            known = Learnt(parameters) if is_first else draft._learnt
            known = _declaring(replace(known, parameters=parameters), classes, rows.labels)
            draft._learnt = known.with_rows(rows, draft, is_part=True)
        return self

    def merge(self, other: Any) -> Self:
        """Learn what another model has learnt, as if its rows had come here.

        Parameters
        ----------
        other : MultiTaskSPCA or Statistics
            Features meet by name: one that only `other` has is missing in the rows so far, and the
            other way round. A model that has learnt nothing yet takes over those of `other`.

        Examples
        --------
        >>> from kinspan import MultiTaskSPCA
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> north, south = (
        ...     MultiTaskSPCA().fit(digits.X[part], digits.y[part], task=digits.task[part])
        ...     for part in (slice(None, 200), slice(200, None))
        ... )
        >>> len(north.tasks_), len(south.tasks_), len((north + south).tasks_)
        (20, 25, 45)
        """
        if not isinstance(other, Statistics):
            check_mergeable(self, other)
            other = snapshot(other)
        with learning(self) as draft:
            draft._merge_features(other)
            parameters = rule_parameters(draft)
            known = vars(draft).get("_learnt") or Learnt(parameters)
            theirs = other if isinstance(other, Statistics) else other._learnt.statistics
            if known.declared is not None:
                known = known.declaring(theirs.moments.classes)
            draft._learnt = replace(known, parameters=parameters).plus(theirs)
        return self

    def _merge_features(self, other: Any) -> None:
        """Take over the features of what is learnt first, and those that later ones add."""
        names = _names_of(other)
        if "_learnt" in vars(self):
            self._add_features(names)
            return
        moments = other.moments if isinstance(other, Statistics) else other.moments_
        self.n_features_in_ = moments.n_features + (self.task_column is not None)
        self.__dict__.pop("feature_names_in_", None)
        column = self.task_column
        if names is not None and (column is None or isinstance(column, str)):
            task = [] if column is None else [column]
            self.feature_names_in_ = np.array([*task, *names], dtype=object)

    def _add_features(self, names: Sequence[str] | None) -> None:
        """Features that others have and this model has not, after its own."""
        known = features_of(self)
        check_common_names(known, names)
        if known is not None and names is not None:
            new = [name for name in names if name not in set(known)]
            self.feature_names_in_ = np.array([*self.feature_names_in_, *new], dtype=object)
            self.n_features_in_ += len(new)

    def __add__(self, other: Any) -> Self:
        """A model of the rows of both, with the parameters of the first."""
        if not isinstance(other, StreamingMixin):
            return NotImplemented
        return copy(self).merge(other)

    def __radd__(self, other: Any) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # as in sum()

    def remove(self, removed: Statistics | ClassMoments) -> Self:
        """Unlearn rows: moments become what they would be had the rows never been there.

        The rows leave the sample as well, and nothing can take their place there: where a cell has
        more rows than were kept, its sample stays short and an `InexactRemovalWarning` says so.
        `remove_task` removes a whole task.

        Parameters
        ----------
        removed : Statistics or ClassMoments
            Of the rows to unlearn. Moments do not tell which rows these are, so that all sampled
            rows of their cells leave; statistics with the same `row_sample` do tell.

        Examples
        --------
        >>> import numpy as np
        >>> from kinspan import MultiTaskSPCA, Statistics
        >>> from kinspan.datasets import load_digit_pairs
        >>> digits = load_digit_pairs(n_per_class=5)
        >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
        >>> some = Statistics.from_samples(digits.X[:3], digits.y[:3], digits.task[:3])
        >>> rest = MultiTaskSPCA().fit(digits.X[3:], digits.y[3:], task=digits.task[3:])
        >>> bool(np.allclose(clf.remove(some).coef_, rest.coef_, rtol=1e-9))
        True
        """
        check_is_fitted(self)
        if isinstance(removed, ClassMoments):
            removed = Statistics(removed, None)
        check_type("removed", removed, Statistics)
        check_known_names(features_of(self), removed.feature_names)
        with learning(self) as draft:
            known = draft._learnt
            removed = among_features_of(known.statistics, removed)
            found = unlearnt(known.statistics, removed)
            for text in found.inexact:
                warnings.warn(text, InexactRemovalWarning, stacklevel=2)
            known = replace(known, parameters=rule_parameters(draft))
            draft._learnt = known.instead(found.statistics)
        return self


def _names_of(other: Any) -> Sequence[str] | None:
    """The features of statistics or of a model."""
    return other.feature_names if isinstance(other, Statistics) else features_of(other)


def _declaring(known: Learnt, classes: ArrayLike | None, labels: Ids) -> Learnt:
    """With the classes that a batch announces, among which its labels must be."""
    if classes is not None:
        declared = identifiers.encode(check_labels(classes, None, "classes"))[0]
        check_positive("the number of classes", len(declared))
        known = known.declaring(declared)
    if known.declared is not None:
        check_declared(labels, known.declared)
    return known
