"""Rules of labelled rows, and rows without labels → the rules that have learnt from both.

The rule of its task gives every row without label a probability for each class. With these as
weights it counts in the class means, and the fit is repeated with them. Only moments change: scale,
covariance and evidence are still those of labelled rows.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import softmax

from kinspan._rows import identifiers
from kinspan._rows.sums import cell_moments
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample
from kinspan.scores import paired_scores
from kinspan.selection.candidates import Options, of_classes
from kinspan.selection.fit import combination_of
from kinspan.selection.input_units import InputUnits, rules_in_input_units


class Lines(Protocol):
    """Rules of all tasks and, last, of new ones, for rows as they come."""

    @property
    def coef(self) -> Floats:
        """(tasks + 1, 1 or classes, features)."""

    @property
    def intercept(self) -> Floats:
        """(tasks + 1, 1 or classes)."""


class Free(NamedTuple):
    """Rows without labels, of tasks with labels of two classes; equal rows count once."""

    tasks: Codes  # (rows,): in order, and rows of a task in that of their keys
    rows: Floats  # (rows, features)

    def some(self, rows: Mask) -> Free:
        """Some of the rows."""
        return Free(self.tasks[rows], self.rows[rows])

    def numbers(self) -> Codes:
        """(rows,): the place of every row among those of its task."""
        return places_in(self.tasks)


class Labelled(NamedTuple):
    """What the labelled rules are fitted to."""

    moments: ClassMoments
    sample: RowSample | None
    options: Options
    unlabelled: ClassMoments | None  # of all rows without labels: these place new tasks

    def lines(self, moments: ClassMoments) -> InputUnits:
        """The rules of a fit with other moments, without forecasts and a rule of new tasks."""
        found, first = combination_of(moments, self.sample, self.options, self.unlabelled)
        found = found._replace(of_strangers=np.zeros_like(found.of_strangers))
        return rules_in_input_units(found, first, self.options)[0]

    def scores(self, rules: Lines, rows: Floats, tasks: Codes) -> Floats:
        """(rows, classes): scores without priors, around their mean over the classes of a task."""
        scores = of_classes(paired_scores(rows, tasks, rules.coef, rules.intercept))
        there = self.moments.present[tasks]
        scores = np.where(there, scores - self.options.log_priors[tasks], 0.0)
        mean = scores.sum(axis=1) / np.maximum(there.sum(axis=1), 1)
        return np.where(there, scores - mean[:, None], 0.0)


def free_rows(moments: ClassMoments, rows: RowSample) -> Free:
    """Rows without labels of tasks that have labels of two classes."""
    places = identifiers.lookup(moments.tasks, rows.tasks)[rows.task_codes]
    several = (places >= 0) & (moments.present.sum(axis=1) > 1)[places]
    return Free(places[several], rows.rows[several].astype(np.float64))


def places_in(groups: Codes) -> Codes:
    """(rows,): the place of every row in its group; rows are sorted by group."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    first = np.zeros(len(groups), dtype=np.intp)
    first[starts] = starts
    return np.asarray(np.arange(len(groups)) - np.maximum.accumulate(first))


def learnt_from(rules: Lines, known: Labelled, free: Free) -> InputUnits:
    """The fit with class means in which every row counts with its probabilities."""
    return known.lines(with_probabilities(rules, known, free))


def with_probabilities(rules: Lines, known: Labelled, free: Free) -> ClassMoments:
    """Moments of all rows: those without labels count as the rule of their task says."""
    if not len(free.tasks):
        return known.moments
    return known.moments + _soft(known.moments, free, probabilities(rules, known, free))


def probabilities(rules: Lines, known: Labelled, free: Free) -> Floats:
    """(rows, classes): of rows without labels, by the rule of their task."""
    scores = known.scores(rules, free.rows, free.tasks) + np.log(known.options.priors)[free.tasks]
    there = known.moments.present[free.tasks]
    return np.asarray(softmax(np.where(there, scores, -np.inf), axis=1))


def ratio(rules: Lines, taught: Lines, known: Labelled, free: Free) -> float:
    """How much larger the scores of rows without labels are by the taught rules."""
    sizes = [(known.scores(of, free.rows, free.tasks) ** 2).sum() for of in (rules, taught)]
    return float(np.sqrt(sizes[1] / sizes[0])) if min(sizes) > 0 else 1.0


def _soft(moments: ClassMoments, free: Free, shares: Floats) -> ClassMoments:
    """Moments of rows that belong to every class of their task with a share."""
    n_tasks = len(moments.tasks)
    found = [cell_moments(free.rows, free.tasks, n_tasks, of_class) for of_class in shares.T]
    parts = (np.stack(part, axis=1) for part in zip(*found, strict=True))
    return ClassMoments(moments.tasks, moments.classes, *parts)
