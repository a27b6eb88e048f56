"""Everything that a model has learnt from rows: one value, which every lesson replaces."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from kinspan._memory.cores import on_half_of_the_cores
from kinspan._memory.cutoff import Cutoff, below_cutoff
from kinspan._memory.fading import faded_statistics
from kinspan._memory.piles import Pile, piled, total
from kinspan._memory.statistics import Statistics
from kinspan._memory.threads import lock_of
from kinspan._rows import identifiers
from kinspan._rows.once import computed_once
from kinspan._rows.types import Ids, Mask
from kinspan._validation.fewer_rows import warn_of_fewer_rows
from kinspan._validation.labelled_rows import CheckedRows
from kinspan._validation.parameters import (
    check_costs,
    check_label_noise,
    check_n_components,
    check_parameters,
    check_pos_label,
    check_priors,
    check_random_state,
    check_several_classes,
    check_shares,
)
from kinspan._validation.precision import warn_of_lost_digits
from kinspan._validation.thresholds import (
    check_can_have_threshold,
    check_threshold,
    goal_costs,
    warn_of_frequent_class,
    warn_of_no_threshold,
)
from kinspan._validation.units import warn_of_other_units
from kinspan._validation.weights import check_frequencies
from kinspan.class_moments import ClassMoments
from kinspan.risk import Goal, LeftOutRows
from kinspan.selection.candidates import Options
from kinspan.selection.filling import FilledSample, Filling
from kinspan.selection.outcome import FittedRules
from kinspan.selection.whole import Whole, audit_whole, fit_whole
from kinspan.selection.wrong_labels import Audit

_LOG = logging.getLogger("kinspan")
_OF_RULES = (
    *("labels", "scale", "metric", "multi_class", "priors", "class_weight"),
    *("unseen_classes", "n_components", "label_noise", "threshold", "pos_label"),
)


@dataclass(frozen=True, eq=False)
class Learnt:
    """Statistics of rows, and the parameters that rules are found with.

    What follows from them is computed when somebody asks, and kept: the sum of the statistics and
    the rules. A stream of batches costs one fit for every question and not for every batch.
    """

    parameters: dict[str, Any]  # of the rules, as they were when rows came last
    pile: Pile = ()  # sums of statistics
    declared: Ids | None = None  # classes that were announced
    found: FittedRules | None = None

    @property
    def statistics(self) -> Statistics:
        """The sum of all statistics."""
        if len(self.pile) > 1:
            with lock_of(self):
                whole = sum(n for n, _ in self.pile), total(self.pile)
                object.__setattr__(self, "pile", (whole,))
        return self.pile[0][1]

    @property
    def tasks(self) -> Ids:
        """(tasks,) ids, sorted."""
        return self.statistics.moments.tasks

    @property
    def classes(self) -> Ids:
        """(classes,) labels, sorted."""
        return self.statistics.moments.classes

    @property
    def unlabelled(self) -> ClassMoments | None:
        """Moments of rows without labels, in one class."""
        free = self.statistics.unlabelled
        return None if free is None else free.moments

    @property
    def rules(self) -> FittedRules:
        """The rules that follow from the statistics."""
        if self.found is None:
            with lock_of(self):
                if self.found is None:
                    object.__setattr__(self, "found", self._find_rules())
        assert self.found is not None
        return self.found

    @computed_once
    def left_out_rows(self) -> LeftOutRows:
        """Sampled rows with the scores of rules that have not seen them; no file has them."""
        found = self.rules.expected.rows
        found = self._find_rules().expected.rows if found is None else found
        assert found is not None
        return found

    @computed_once
    @on_half_of_the_cores()
    def whole(self) -> Whole:
        """Statistics without holes: missing values are filled in."""
        known = self.statistics
        free = known.unlabelled
        rows = None if free is None else free.sample
        return Whole.of(known.moments, known.sample, self.unlabelled, rows)

    @computed_once
    def filling(self) -> Filling:
        """What missing values of rows are replaced by."""
        known, whole = self.statistics, self.whole
        if whole.filling is not None:
            return whole.filling
        return FilledSample.of(known.moments, known.sample, self.unlabelled).filling

    @computed_once
    def is_optional(self) -> Mask:
        """(features,): features of which some task has no value."""
        moments = self.statistics.moments
        lacks = (moments.numbers.sum(axis=1) == 0).any(axis=0)
        return np.broadcast_to(lacks, (moments.n_features,))

    @computed_once
    @on_half_of_the_cores()
    def audit(self) -> Audit | None:
        """How likely the labels of sampled rows are wrong; None where no row can be left out."""
        given = check_label_noise(self.parameters["label_noise"], len(self.classes))
        return audit_whole(self.whole, self._options(), given)

    @on_half_of_the_cores()
    def _find_rules(self) -> FittedRules:
        """The steps after the first, in which nothing grows with the number of samples."""
        begin = time.perf_counter()
        options, moments = self._options(), self.statistics.moments
        names, whole = self.statistics.feature_names, self.whole
        warn_of_lost_digits(whole.moments, whole.sample, options.scale, names)
        warn_of_other_units(moments.effective(), self.statistics.sample, options.scale, names)
        warn_of_fewer_rows(whole.sample, moments.counts)
        asked = check_threshold(self.parameters["threshold"])
        warn_of_frequent_class(asked, self.parameters["pos_label"], moments)
        warn_of_no_threshold(asked, moments)
        found = None if self.parameters["label_noise"] is None else self.audit
        lighter = found.rules if found is not None and found.is_likely else None
        rules = lighter or fit_whole(whole, options)
        size = (*moments.counts.shape, moments.n_features, moments.counts.sum())
        text = "rules of %d tasks, %d classes and %d features from %.6g rows in %.2f s"
        _LOG.info(text, *size, time.perf_counter() - begin)
        return rules

    @property
    def is_mirrored(self) -> bool:
        """Whether scores and thresholds are about the first of two classes."""
        return check_pos_label(self.parameters["pos_label"], self.classes)

    @property
    def goal(self) -> Goal | None:
        """What thresholds are for; None if they are zero log odds."""
        asked = check_threshold(self.parameters["threshold"])
        if asked is None:
            return None
        moments = self.statistics.moments
        check_can_have_threshold(len(moments.classes), self.statistics.sample is not None)
        if asked.name not in ("error", "cost"):
            return Goal(*asked)
        priors = check_priors(self.parameters["priors"], moments.counts)
        costs = check_costs(self.parameters["class_weight"], moments.classes, priors)
        return Goal("cost", goal_costs(asked, costs, len(moments.tasks)), asked.together)

    def _options(self) -> Options:
        """The parameters as the mathematics takes them."""
        statistics, asked = self.statistics, self.parameters
        moments = statistics.moments
        check_several_classes(moments.classes)
        check_frequencies(moments, statistics.sample)
        check_n_components(asked["n_components"], len(moments.classes) - 1)
        priors = check_priors(asked["priors"], moments.counts)
        costs = check_costs(asked["class_weight"], moments.classes, priors)
        return Options(
            asked["labels"],
            asked["scale"],
            asked["multi_class"],
            asked["metric"],
            asked["unseen_classes"] == "share",
            priors,
            np.log(priors * costs),
            self.goal,
            check_shares(asked["priors"], moments.counts),
            self.is_mirrored,
        )

    def with_rows(self, rows: CheckedRows, model: Any, *, is_part: bool) -> Learnt:
        """After a batch of rows, which takes weight from those before it if these fade.

        How many rows are sampled, by which key, and how they fade are parameters of the model.
        """
        size, forget, key = model.row_sample, model.forget, check_random_state(model.random_state)
        if forget == 0:
            cutoff = Cutoff.of(self.pile) if size > 0 else None
            is_hopeless = None if cutoff is None else partial(cutoff.is_hopeless, key)
            return self.plus(
                Statistics.from_checked(
                    rows, size, key=key, is_part=is_part, is_hopeless=is_hopeless
                )
            )
        before = self.statistics if self.pile else None
        return self.instead(faded_statistics(rows, size, key, forget=forget, before=before))

    def plus(self, statistics: Statistics) -> Learnt:
        """After more statistics."""
        part = below_cutoff(self._with_declared(statistics), self.pile)
        return replace(self, pile=piled(self.pile, part), found=None)

    def instead(self, statistics: Statistics) -> Learnt:
        """With other statistics instead of all."""
        return replace(self, pile=((1, self._with_declared(statistics)),), found=None)

    def declaring(self, classes: Ids) -> Learnt:
        """With more classes to be expected."""
        known = self.declared
        both = classes if known is None else identifiers.union(known, classes)
        return replace(self, declared=both)

    def without_rows(self) -> Learnt:
        """The same answers for rows without sampled rows, most of the size of a model."""
        known, free = self.statistics, self.statistics.unlabelled
        free = None if free is None else Statistics(free.moments, None)
        statistics = Statistics(known.moments, None, unlabelled=free)
        rules = replace(self.rules, forecasts=self.rules.expected._replace(rows=None))
        light = replace(self, pile=((1, statistics),), found=rules)
        vars(light)["filling"] = self.filling  # computed from all rows
        return light

    def _with_declared(self, statistics: Statistics) -> Statistics:
        """With the classes that are to be expected, if they have no rows yet."""
        if self.declared is None:
            return statistics
        moments = statistics.moments
        classes = identifiers.union(moments.classes, self.declared)
        return replace(statistics, moments=moments.among(moments.tasks, classes))


def rule_parameters(model: Any) -> dict[str, Any]:
    """Parameters that rules are found with, checked; later changes wait for more rows."""
    check_parameters(model)
    return {name: getattr(model, name) for name in _OF_RULES}
