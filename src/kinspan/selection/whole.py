"""Statistics that may have holes → the fit of a complete table."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Floats, Mask
from kinspan._validation.moments import check_some_values
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Options
from kinspan.selection.filling import FilledSample, Filling, filled_moments, places_of_tasks
from kinspan.selection.fit import fit
from kinspan.selection.outcome import FittedRules
from kinspan.selection.task_means import n_values
from kinspan.selection.taught import Labelled
from kinspan.selection.unlabelled import with_unlabelled
from kinspan.selection.wrong_labels import Audit, audit


class Whole(NamedTuple):
    """Everything that a fit needs, without holes."""

    moments: ClassMoments
    sample: RowSample | None
    unlabelled: ClassMoments | None
    unlabelled_rows: RowSample | None = None
    known: Mask | None = None  # (features,): those of which there is a value; None is all
    filling: Filling | None = None  # what was filled in, where there were holes

    @classmethod
    def of(
        cls,
        moments: ClassMoments,
        sample: RowSample | None,
        unlabelled: ClassMoments | None,
        unlabelled_rows: RowSample | None = None,
    ) -> Whole:
        """With holes filled in, where there are some."""
        if moments.observed is None and (unlabelled is None or unlabelled.observed is None):
            return cls(moments, sample, unlabelled, unlabelled_rows)
        known = np.asarray(n_values(moments, unlabelled).any(axis=0))
        filling, filled = FilledSample.of(moments, sample, unlabelled)
        whole = filled_moments(moments, filling.fills[:-1], sample, filled)
        free = unlabelled_rows
        if free is not None:
            free = replace(free, stored=filling.filled(free.rows, places_of_tasks(free, moments)))
        if unlabelled is not None:
            fills = filling.fills[identifiers.lookup(moments.tasks, unlabelled.tasks)]
            unlabelled = filled_moments(unlabelled, fills, unlabelled_rows, free)
        return cls(whole, filled, unlabelled, free, None if known.all() else known, filling)

    def of_features(self, kept: Mask) -> Whole:
        """Of some features only."""
        sample, rows = (
            None if some is None else replace(some, stored=some.stored[:, kept])
            for some in (self.sample, self.unlabelled_rows)
        )
        unlabelled = None if self.unlabelled is None else self.unlabelled.of_features(kept)
        return Whole(self.moments.of_features(kept), sample, unlabelled, rows)


def fit_whole(whole: Whole, options: Options) -> FittedRules:
    """The rules of all tasks; a feature of which there is no value at all counts for nothing."""
    if whole.known is None:
        rows = Labelled(whole.moments.effective(), whole.sample, options, whole.unlabelled)
        rules, free = fit(*rows), whole.unlabelled_rows
        return rules if free is None else with_unlabelled(rules, rows, free)
    check_some_values(whole.known)
    return _widened(fit_whole(whole.of_features(whole.known), options), whole.known)


def audit_whole(whole: Whole, options: Options, rates: Floats | None) -> Audit | None:
    """The same with rows that count as much as their labels are likely to be right.

    Rates of wrong labels may be given, (classes,).
    """
    if whole.known is None:
        return audit(whole.moments.effective(), whole.sample, options, whole.unlabelled, rates)
    check_some_values(whole.known)
    found = audit_whole(whole.of_features(whole.known), options, rates)
    return found and found._replace(rules=_widened(found.rules, whole.known))


def _widened(rules: FittedRules, known: Mask) -> FittedRules:
    """Rules of some features as rules of all."""
    coef = np.zeros((*rules.coef.shape[:2], len(known)))
    scale = np.ones((len(rules.scale), len(known)))
    coef[..., known], scale[:, known] = rules.coef, rules.scale
    return replace(rules, coef=coef, scale=scale)
