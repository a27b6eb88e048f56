"""Moments and sampled rows with holes → the same without, as if somebody had filled the rows.

A missing value takes the mean of its feature in its task (`task_means`), moved by what holes say of
missing values (`selective_holes`) and by what the other values of its row say of this one
(`other_values`). Sampled rows are filled, each as if the others alone were known. With o
of the n values of a cell there, their mean m and second moment s become, eqs. (46) and (47) of
docs/theory.md,

    m + (f − m) (n − o)/n,    s + (f − m)² o (n − o)/n + v (n − o),

where f and v are mean and variance of what the holes of the sampled rows of the cell took. If all
rows are sampled, these are the moments of the filled rows. The rest of the fit sees one complete
table, and left-out rows have the holes that rows to predict will have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.dense_sums import one_hot
from kinspan._rows.holes import filled_rows
from kinspan._rows.represented import weights_that_count
from kinspan._rows.types import Codes, Floats
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample
from kinspan.selection.other_values import OtherValues, regressed
from kinspan.selection.selective_holes import shift_of_holes
from kinspan.selection.task_means import means_of_tasks, n_values

_ROUNDING = 1e-12  # of the size of a feature: smaller deviations are those of a constant


@dataclass(frozen=True, eq=False)
class Filling:
    """What missing values of rows take."""

    fills: Floats  # (tasks + 1, features): in rows of which nothing else is known; last, new tasks
    others: OtherValues | None  # what other values of the row add; None if they say nothing

    def filled(self, X: Any, of_row: Codes) -> Any:
        """A copy of rows, whose tasks are places among the fills."""
        return filled_rows(X, self.fills, of_row, self.others and self.others.of)


class FilledSample(NamedTuple):
    """How holes are filled, and the sampled rows, each filled as if the others alone were known."""

    filling: Filling
    sample: RowSample | None

    @classmethod
    def of(
        cls, moments: ClassMoments, sample: RowSample | None, unlabelled: ClassMoments | None
    ) -> FilledSample:
        """From statistics with holes, or without: rows to predict may have them."""
        fills, shift = fills_of(moments, unlabelled), shift_of_holes(moments)
        if sample is None or not len(sample.cells):
            return cls(Filling(fills, None), sample)
        holes = np.isnan(sample.rows)
        own = fills[places_of_tasks(sample, moments)]
        deviations = np.where(holes, 0.0, sample.rows - own)
        weights = weights_that_count(sample.columns(), sample.bound, sample.n_cells)
        found = regressed(deviations, holes, weights, shift, _ROUNDING * np.abs(fills).max(axis=0))
        rows = np.array(sample.rows)  # in the precision that it has
        np.copyto(rows, own + found.left_out, where=holes, casting="same_kind")
        return cls(Filling(fills, found.others), replace(sample, stored=rows))


def fills_of(moments: ClassMoments, unlabelled: ClassMoments | None = None) -> Floats:
    """(tasks + 1, features): what holes take in every task and, last, in new ones, without others.

    That is the mean of the task, moved by what the holes say of missing values. A task without a
    value of a feature gets the mean of all tasks, and zero if they have none.
    """
    moved = np.vstack([n_values(moments, unlabelled) > 0, np.ones(moments.n_features, dtype=bool)])
    return means_of_tasks(moments, unlabelled) + np.where(moved, shift_of_holes(moments), 0.0)


def places_of_tasks(sample: RowSample, moments: ClassMoments) -> Codes:
    """(rows,): the task of every sampled row among those of the moments."""
    return np.asarray(identifiers.lookup(moments.tasks, sample.tasks)[sample.task_codes])


def filled_moments(
    moments: ClassMoments, fills: Floats, sample: RowSample | None, filled: RowSample | None
) -> ClassMoments:
    """The moments of filled rows, given some of these rows before and after.

    Holes of a cell of which no sampled row has one take the (tasks, features) fills.
    """
    if moments.observed is None:
        return moments
    n, there = moments.counts[..., None], moments.observed
    missing = np.maximum(n - there, 0.0)
    share = np.divide(missing, n, out=np.zeros_like(there), where=n > 0)
    taken, spread = fills[:, None], np.zeros(1)
    if sample is not None and filled is not None:
        taken, spread = _of_holes(moments, fills, sample, filled)
    means = np.where(there > 0, moments.means, np.where(n > 0, taken, 0.0))
    shift = np.where(missing > 0, taken - means, 0.0)
    squares = moments.squares + there * share * shift**2 + missing * spread
    return replace(moments, means=means + shift * share, squares=squares, observed=None)


def _of_holes(
    moments: ClassMoments, fills: Floats, sample: RowSample, filled: RowSample
) -> tuple[Floats, Floats]:
    """(tasks, classes, features) mean and variance of what holes of sampled rows took."""
    shape = moments.means.shape
    classes = identifiers.lookup(moments.classes, sample.classes)[sample.class_codes]
    cells = places_of_tasks(sample, moments) * shape[1] + classes
    weights = weights_that_count(sample.columns(), sample.bound, sample.n_cells)
    belongs = one_hot(cells, shape[0] * shape[1], weights, weights)
    holes = np.isnan(sample.rows)
    n = belongs @ holes.astype(np.float64)
    start = np.repeat(fills, shape[1], axis=0)
    beyond = np.where(holes, filled.rows - start[cells], 0.0)
    mean = (belongs @ beyond) / np.where(n > 0, n, 1.0)
    squares = belongs @ np.where(holes, beyond - mean[cells], 0.0) ** 2
    variance = squares / np.where(n > 0, n, 1.0)
    return (start + mean).reshape(shape), variance.reshape(shape)
