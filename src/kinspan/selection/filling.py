"""Moments and sampled rows with holes → the same with the means of tasks in the holes.

A missing value takes the mean x̄ of its feature over the values of its task that are there, moved
by what its holes say of missing values (`selective_holes`). With o of the n values of a cell there,
their mean m and second moment s become, eqs. (46) and (47) of docs/theory.md,

    m + (x̄ − m) (n − o)/n,    s + (x̄ − m)² o (n − o)/n.

These are the moments of the filled rows, without the rows. Sampled rows are filled alike, so that
the rest of the fit sees one complete table: contrasts are shorter by the share of holes, noise is
less by as much, and left-out rows have the holes that rows to predict will have.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.holes import filled_rows
from kinspan._rows.types import Floats, Mask
from kinspan._validation.moments import check_some_values
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Options
from kinspan.selection.fit import fit
from kinspan.selection.outcome import FittedRules
from kinspan.selection.selective_holes import shift_of_holes
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
        fills, known = fills_of(moments, unlabelled), _n_values(moments, unlabelled).any(axis=0)
        sample, unlabelled_rows = (
            _filled_sample(rows, moments, fills) for rows in (sample, unlabelled_rows)
        )
        if unlabelled is not None:
            places = identifiers.lookup(moments.tasks, unlabelled.tasks)
            unlabelled = _filled(unlabelled, fills[places])
        whole = _filled(moments, fills[:-1])
        lacking = None if known.all() else np.asarray(known)
        return cls(whole, sample, unlabelled, unlabelled_rows, lacking)

    def of_features(self, kept: Mask) -> Whole:
        """Of some features only."""
        sample, rows = (
            None if some is None else replace(some, rows=some.rows[:, kept])
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


def fills_of(moments: ClassMoments, unlabelled: ClassMoments | None = None) -> Floats:
    """(tasks + 1, features): what missing values take in every task and, last, in new ones.

    That is the mean of the values of the task, moved by what the holes say of missing values. A
    task without a value of a feature gets the mean of all tasks, and zero if they have none.
    """
    n, sums = _n_values(moments, unlabelled), (moments.numbers * moments.means).sum(axis=1)
    if unlabelled is not None:
        places = identifiers.lookup(moments.tasks, unlabelled.tasks)
        np.add.at(sums, places, (unlabelled.numbers * unlabelled.means).sum(axis=1))
    total, n_total = sums.sum(axis=0), n.sum(axis=0)
    overall = total / np.where(n_total > 0, n_total, 1.0)
    shift = shift_of_holes(moments)
    means = np.where(n > 0, sums / np.where(n > 0, n, 1.0) + shift, overall)
    return np.vstack([means, overall + shift])


def _n_values(moments: ClassMoments, unlabelled: ClassMoments | None) -> Floats:
    """(tasks, features): values that are there."""
    n = np.zeros((len(moments.tasks), moments.n_features))
    for part in (moments, unlabelled):
        if part is not None:
            np.add.at(n, identifiers.lookup(moments.tasks, part.tasks), part.numbers.sum(axis=1))
    return n


def _filled_sample(
    sample: RowSample | None, moments: ClassMoments, fills: Floats
) -> RowSample | None:
    """Sampled rows with the fills of their tasks in the holes."""
    if sample is None:
        return None
    places = identifiers.lookup(moments.tasks, sample.tasks)[sample.task_codes]
    return replace(sample, rows=filled_rows(sample.rows, fills, places))


def _filled(moments: ClassMoments, fills: Floats) -> ClassMoments:
    """The moments of rows whose holes have the (tasks, features) fills in them."""
    if moments.observed is None:
        return moments
    n, there = moments.counts[..., None], moments.observed
    missing = np.maximum(n - there, 0.0)
    share = np.divide(missing, n, out=np.zeros_like(there), where=n > 0)
    means = np.where(there > 0, moments.means, np.where(n > 0, fills[:, None], 0.0))
    shift = np.where(missing > 0, fills[:, None] - means, 0.0)
    squares = moments.squares + there * share * shift**2
    return replace(moments, means=means + shift * share, squares=squares, observed=None)
