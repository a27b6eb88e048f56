"""Learning as rows come and go: batches, other models, rows that have to be forgotten."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from kinspan import _validation
from kinspan._memory.fading import faded_statistics
from kinspan._memory.removal import InexactRemovalWarning, unlearnt
from kinspan._memory.statistics import Pile, Statistics
from kinspan._memory.threads import learning, still
from kinspan._rows import identifiers
from kinspan._rows.types import Ids
from kinspan.class_moments import ClassMoments


class StreamingMixin:
    """MultiTaskSPCA learning from a stream."""

    row_sample: int
    forget: float
    task_column: str | int | None
    unlabelled_: ClassMoments | None
    tasks_: Ids
    n_features_in_: int
    _pile: Pile
    _declared: Ids | None
    _found: Any
    _add: Any
    _statistics: Statistics
    _start: Any
    _remember: Any

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        task: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a batch of rows more.

        Any batches in any order make the same model as `fit` on all rows. Tasks and classes may be
        new. Rules are found when they are asked for next, not in every call.

        Threads may share a model: batches of several wait for each other, none is lost, and
        `predict`, `predict_proba`, `decision_function` and `transform` answer from what the model
        knew when they were called. For other questions during learning ask a `copy.copy` of it.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        task : array of shape (n_samples,), one id for all rows, or None
        classes : array-like, optional
            Classes to expect: they are in `classes_` before they have rows, and other labels are
            refused from now on.
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
            is_first = "_pile" not in vars(draft)
            _validation.check_parameters(draft)
            rows = _validation.check_labelled_rows(
                X, y, task, sample_weight, estimator=draft, reset=is_first
            )
            if is_first:
                draft._start()
            draft._declare(classes, rows.labels)
            draft._learn(rows, is_first, is_part=True)
        return self

    def _learn(self, rows: _validation.CheckedRows, is_first: bool, is_part: bool = False) -> None:
        if self.forget == 0:
            batch = Statistics.from_checked(rows, self.row_sample, is_part=is_part)
            self._add(self._with_declared(batch))
            return
        before = None if is_first else self._statistics
        self._replace(faded_statistics(rows, self.row_sample, forget=self.forget, before=before))

    def merge(self, other: Any) -> Self:
        """Learn what another model has learnt, as if its rows had come here; parameters stay.

        Parameters
        ----------
        other : MultiTaskSPCA or Statistics
            Of the same features. A model that has learnt nothing yet takes over those of the other.

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
            _validation.check_mergeable(self, other)
            _ = other._statistics
            other = still(other)
        with learning(self) as draft:
            draft._merge_features(other)
            if "_pile" not in vars(draft):
                draft._start()
            learnt = other if isinstance(other, Statistics) else other._statistics
            if draft._declared is not None:
                draft._declared = identifiers.union(draft._declared, learnt.moments.classes)
            draft._add(draft._with_declared(learnt))
            if isinstance(other, Statistics):
                return self
            parts = [part for part in (draft.unlabelled_, other.unlabelled_) if part is not None]
            draft.unlabelled_ = sum(parts[1:], parts[0]) if parts else None
        return self

    def _merge_features(self, other: Any) -> None:
        """Take over the features of what is learnt first; those that come later are the same."""
        is_model = not isinstance(other, Statistics)
        names = _validation.features_of(other) if is_model else other.feature_names
        if "_pile" in vars(self):
            _validation.check_same_names(_validation.features_of(self), names)
            return
        moments = other.moments_ if is_model else other.moments
        self.n_features_in_ = moments.n_features + (self.task_column is not None)
        self.__dict__.pop("feature_names_in_", None)
        if names is not None and self.task_column is None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def __add__(self, other: Any) -> Self:
        """A model of the rows of both, with the parameters of the first."""
        if not isinstance(other, StreamingMixin):
            return NotImplemented
        return copy(self).merge(other)

    def __radd__(self, other: Any) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # as in sum()

    def remove(self, removed: Statistics | ClassMoments) -> Self:
        """Unlearn rows: moments become what they would be had the rows never been there.

        The rows leave the sample as well. Nothing can take their place there: where a cell has more
        rows than were kept, its sample stays short and an `InexactRemovalWarning` says so.
        `remove_task` takes out a whole task.

        Parameters
        ----------
        removed : Statistics or ClassMoments
            Of the rows to unlearn. Moments do not say which rows those are: all sampled rows
            of their cells leave, unless rows were not sampled. Statistics with the same
            `row_sample` do.

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
        _validation.check_type("removed", removed, Statistics)
        _validation.check_same_names(_validation.features_of(self), removed.feature_names)
        with learning(self) as draft:
            placed = None if draft.unlabelled_ is None else draft.unlabelled_.tasks
            found = unlearnt(draft._statistics, removed, placed)
            for text in found.inexact:
                warnings.warn(text, InexactRemovalWarning, stacklevel=2)
            draft._replace(found.statistics)
        return self

    def _replace(self, statistics: Statistics) -> None:
        self._remember()
        pile: Pile = ((1, self._with_declared(statistics)),)
        self._found, self._pile = None, pile  # in this order: never rules of other rows

    def _declare(self, classes: ArrayLike | None, labels: Ids) -> None:
        if classes is not None:
            declared = identifiers.encode(_validation.check_labels(classes, None, "classes"))[0]
            _validation.check_positive("the number of classes", len(declared))
            known = self._declared
            self._declared = declared if known is None else identifiers.union(known, declared)
        if self._declared is not None:
            _validation.check_declared(labels, self._declared)

    def _with_declared(self, statistics: Statistics) -> Statistics:
        """With the classes that are to be expected, if they have no rows yet."""
        if self._declared is None:
            return statistics
        moments = statistics.moments
        classes = identifiers.union(moments.classes, self._declared)
        return replace(statistics, moments=moments.among(moments.tasks, classes))
