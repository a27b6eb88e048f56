"""What a model has learnt from rows, and the rules that follow from it when they are asked for."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinspan import _validation
from kinspan._memory.cutoff import hopeful
from kinspan._memory.statistics import Pile, Statistics, piled, total
from kinspan._memory.threads import lock_of, still
from kinspan._rows.precision import warn_of_lost_digits
from kinspan._rows.types import Floats, Ids
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Options
from kinspan.selection.fit import FittedRules, fit

_OF_RULES = (
    *("labels", "scale", "metric", "multi_class", "priors", "class_weight"),
    *("unseen_classes", "n_components"),
)


class LearntMixin:
    """The attributes of a fitted MultiTaskSPCA.

    Rows are kept as statistics. Rules are found from them at the first question after a change, so
    that a stream of batches costs one fit for every look at it and not for every batch.
    """

    labels: str
    scale: str | None
    metric: float | str
    multi_class: str
    priors: Any
    class_weight: Any
    unseen_classes: str
    n_components: int | None
    unlabelled_: ClassMoments | None
    _pile: Pile
    _declared: Ids | None
    _found: FittedRules | None
    _asked: dict[str, Any]  # parameters of the rules, as they were when rows came last

    def __sklearn_is_fitted__(self) -> bool:
        return "_pile" in vars(self)

    def _fit_moments(
        self,
        moments: ClassMoments,
        sample: RowSample | None,
        unlabelled: ClassMoments | None = None,
    ) -> None:
        """Learn everything anew, and find the rules at once, if there can be some."""
        declared, had_rules = vars(self).get("_declared"), False
        if self.__sklearn_is_fitted__() and self._pile:
            had_rules = len(self.classes_) > 1
        self._start()
        self.unlabelled_, self._declared = unlabelled, declared
        self._add(Statistics(moments, sample, _validation.features_of(self)))
        if had_rules or len(moments.classes) > 1:
            _ = self._rules

    def _start(self) -> None:
        """Forget everything."""
        self._pile, self._declared, self._found, self.unlabelled_ = (), None, None, None
        self._remember()

    def _remember(self) -> None:
        """Parameters that are changed now change nothing before more rows come."""
        _validation.check_parameters(self)
        self._asked = {name: getattr(self, name) for name in _OF_RULES}

    def _add(self, statistics: Statistics) -> None:
        """Learn from more rows."""
        self._remember()
        pile = piled(self._pile, hopeful(statistics, self._pile))
        self._found, self._pile = None, pile  # in this order: never rules of other rows

    @property
    def _statistics(self) -> Statistics:
        check_is_fitted(self)
        pile = self._pile
        if len(pile) > 1:
            with lock_of(self):
                known = vars(self)  # that of now, should a signal handler learn meanwhile
                pile = known["_pile"]
                known["_pile"] = pile = ((sum(n for n, _ in pile), total(pile)),)
        return pile[0][1]

    @property
    def _rules(self) -> FittedRules:
        _ = self._statistics
        found = self._found
        if found is None:
            with lock_of(self):
                known = vars(self)
                if known["_found"] is None:
                    known["_found"] = self._rules_of(self._statistics)
                found = known["_found"]
        return found

    def _with_rules(self) -> Self:
        """The model as it is now, with its rules: what it learns meanwhile changes no answer."""
        check_is_fitted(self)
        now = still(self)
        if now._found is None:
            with lock_of(self):
                if len(self.classes_) > 1:
                    _ = self._rules
                now = still(self)
        return now

    def _rules_of(self, statistics: Statistics) -> FittedRules:
        """The rest of the pipeline, in which nothing grows with the number of samples."""
        moments, asked = statistics.moments, self._asked
        _validation.check_several_classes(moments.classes)
        _validation.check_frequencies(moments, statistics.sample)
        _validation.check_n_components(asked["n_components"], len(moments.classes) - 1)
        priors = _validation.check_priors(asked["priors"], moments.counts)
        costs = _validation.check_costs(asked["class_weight"], moments.classes, priors)
        options = Options(
            asked["labels"],
            asked["scale"],
            asked["multi_class"],
            asked["metric"],
            asked["unseen_classes"] == "share",
            priors,
            np.log(priors * costs),
        )
        warn_of_lost_digits(moments, statistics.sample, options.scale, statistics.feature_names)
        return fit(moments.effective(), statistics.sample, options, self.unlabelled_)

    @property
    def _n_features_out(self) -> int:
        return _validation.check_n_components(self._asked["n_components"], len(self.classes_) - 1)

    @property
    def moments_(self) -> ClassMoments:
        """Counts, means and second moments of every cell."""
        return self._statistics.moments

    @property
    def sample_(self) -> RowSample | None:
        """Rows of every cell, where some were kept."""
        return self._statistics.sample

    @property
    def tasks_(self) -> Ids:
        """(n_tasks,) ids, sorted."""
        return self._statistics.moments.tasks

    @property
    def classes_(self) -> Ids:
        """(n_classes,) labels, sorted."""
        return self._statistics.moments.classes

    @property
    def coef_(self) -> Floats:
        """(n_tasks, 1 or n_classes, n_features) in the units of X."""
        return self._rules.coef[:-1]

    @property
    def intercept_(self) -> Floats:
        """(n_tasks, 1 or n_classes)."""
        return self._rules.intercept[:-1]

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
        """(n_tasks,): the forecast for each task alone."""
        return self._rules.single_task_error

    @property
    def transfer_gain_(self) -> Floats:
        """(n_tasks,): how much more that is."""
        return np.asarray(self.single_task_error_ - self.forecast_error_)
