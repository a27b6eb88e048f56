"""The attributes of a fitted model, read from what it has learnt."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinspan._memory.learnt import Learnt, rule_parameters
from kinspan._memory.statistics import Statistics
from kinspan._memory.threads import snapshot
from kinspan._rows.types import Floats, Ids
from kinspan._validation.fitted import features_of, names_of
from kinspan._validation.parameters import check_n_components
from kinspan.class_moments import ClassMoments
from kinspan.metric import feature_scale
from kinspan.row_sample import RowSample
from kinspan.selection.outcome import FittedRules
from kinspan.selection.whole import Whole


class LearntMixin:
    """A model that holds one value with everything that it has learnt."""

    task_column: str | int | None
    _learnt: Learnt

    def __sklearn_is_fitted__(self) -> bool:
        return "_learnt" in vars(self)

    def _fit_moments(
        self,
        moments: ClassMoments,
        sample: RowSample | None,
        unlabelled: Statistics | None = None,
    ) -> None:
        """Learn everything anew, and find the rules at once, if there can be some."""
        known = vars(self).get("_learnt")
        had_rules = known is not None and len(known.classes) > 1
        declared = None if known is None else known.declared
        fresh = Learnt(rule_parameters(self), declared=declared)
        whole = Statistics(moments, sample, features_of(self)).next_to(unlabelled)
        self._learnt = fresh.plus(whole)
        if had_rules or len(moments.classes) > 1:
            _ = self._learnt.rules

    def _with_rules(self) -> Self:
        """The model as it is now, with its rules: what it learns meanwhile changes no answer."""
        check_is_fitted(self)
        now = snapshot(self)
        if len(now._learnt.classes) > 1:  # else the rows to predict are checked first
            _ = now._learnt.rules
        return now

    @property
    def _statistics(self) -> Statistics:
        check_is_fitted(self)
        return self._learnt.statistics

    @property
    def _whole(self) -> Whole:
        check_is_fitted(self)
        return self._learnt.whole

    @property
    def _rules(self) -> FittedRules:
        check_is_fitted(self)
        return self._learnt.rules

    @property
    def _n_features(self) -> int:
        """Features of the rules; a task column is none."""
        return self._learnt.pile[0][1].moments.n_features

    @property
    def _n_features_out(self) -> int:
        asked = self._learnt.parameters["n_components"]
        return check_n_components(asked, len(self.classes_) - 1)

    @property
    def moments_(self) -> ClassMoments:
        """Counts, means and second moments of every cell."""
        return self._statistics.moments

    @property
    def sample_(self) -> RowSample | None:
        """Rows of every cell, where some were kept."""
        return self._statistics.sample

    @property
    def unlabelled_(self) -> ClassMoments | None:
        """Moments of rows without labels, in one class."""
        check_is_fitted(self)
        return self._learnt.unlabelled

    @property
    def unlabelled_weight_(self) -> Floats:
        """(n_tasks,): how much of each rule was learnt from rows without labels."""
        found = self._rules.unlabelled
        return np.zeros(len(self.tasks_)) if found is None else found.weight

    @property
    def tasks_(self) -> Ids:
        """(n_tasks,) ids, sorted."""
        check_is_fitted(self)
        return self._learnt.tasks

    @property
    def classes_(self) -> Ids:
        """(n_classes,) labels, sorted."""
        check_is_fitted(self)
        return self._learnt.classes

    @property
    def coef_(self) -> Floats:
        """(n_tasks, 1 or n_classes, n_features) in the units of X."""
        return self._rules.coef[:-1]

    @property
    def intercept_(self) -> Floats:
        """(n_tasks, 1 or n_classes)."""
        return self._rules.intercept[:-1]

    @property
    def threshold_(self) -> Floats:
        """(n_tasks,): the decision score above which each task answers `classes_[1]`."""
        found = self._rules.threshold
        return np.zeros(len(self.tasks_)) if found is None else found[:-1]

    @property
    def feature_importances_(self) -> Floats:
        """(n_features_in_,): the size of a feature in the rules, in units of its spread.

        A task column counts as much as the most important feature.
        """
        spread = feature_scale(self.moments_.effective(), "pooled")[0]
        sizes = np.asarray(np.abs(self.coef_).mean(axis=(0, 1)) * spread)
        column = self.task_column
        if column is None:
            return sizes
        names = names_of(self)
        place = names.index(column) if names and isinstance(column, str) else column
        return np.insert(sizes, int(place) % (len(sizes) + 1), sizes.max())

    @property
    def metric_(self) -> Floats:
        """(n_tasks,): the share of the covariance in the metric of each task."""
        return self._rules.metric

    @property
    def forecast_error_(self) -> Floats:
        """(n_tasks,): the error that each rule will make on new rows."""
        return self._rules.forecast_error

    @property
    def forecast_interval_(self) -> Floats:
        """(n_tasks, 2): 90 % intervals for it."""
        return self._rules.forecast_interval

    @property
    def single_task_error_(self) -> Floats:
        """(n_tasks,): the error to expect of each task alone."""
        return self._rules.single_task_error

    @property
    def transfer_gain_(self) -> Floats:
        """(n_tasks,): how much more that is: what the others save."""
        return np.asarray(self.single_task_error_ - self.forecast_error_)
