"""Statistics minus those of some rows, and in which way the result is not exact."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._memory.cutoff import n_not_sampled
from kinspan._memory.features import are_other
from kinspan._memory.statistics import Statistics
from kinspan._rows import identifiers
from kinspan._rows.holes import ObservedMoments, observed_moments
from kinspan._rows.sums import cell_moments
from kinspan._rows.types import Codes, Floats, Ids, Mask
from kinspan._validation.moments import (
    check_any_unlabelled,
    check_not_more,
    check_sampled,
    check_something_left,
)
from kinspan._validation.precision import warn_of_inexact_rest
from kinspan.class_moments import ClassMoments
from kinspan.exceptions import InexactRemovalWarning
from kinspan.row_sample import RowSample

_SHORT = (
    "the sample of {} classes of tasks is shorter than a new fit would make it: the rows that "
    "would take the place of those removed were not kept"
)


class Unlearnt(NamedTuple):
    """The rest after a removal."""

    statistics: Statistics
    inexact: list[str]  # how it differs from a fit that never had the rows


def unlearnt(before: Statistics, removed: Statistics) -> Unlearnt:
    """Moments by subtraction; the sample without the rows that are known to be removed.

    Tasks that have rows without labels stay.
    """
    free, of_free = _free_unlearnt(before.unlabelled, removed.unlabelled)
    before, placed = replace(before, unlabelled=free), None if free is None else free.moments.tasks
    if not removed.moments.counts.any():
        return Unlearnt(before, of_free)
    found = _unlearnt(before, removed, placed)
    return found._replace(inexact=found.inexact + of_free)


def _free_unlearnt(
    before: Statistics | None, removed: Statistics | None
) -> tuple[Statistics | None, list[str]]:
    """The same for rows without labels."""
    if removed is None:
        return before, []
    check_any_unlabelled(before is not None)
    assert before is not None
    if not before.moments.subtracted(removed.moments)[0].counts.any():
        return None, []
    found = _unlearnt(before, removed, None)
    return found.statistics, found.inexact


def _unlearnt(before: Statistics, removed: Statistics, placed: Ids | None) -> Unlearnt:
    whole, found = before.moments.subtracted(removed.moments)
    rest = whole.without_empty()
    check_something_left(rest)
    is_empty = ~before.moments.present.any(axis=1)  # a new task without rows
    tasks = identifiers.union(rest.tasks, before.moments.tasks[is_empty])
    tasks = tasks if placed is None else identifiers.union(tasks, placed)
    moments = rest.among(tasks, rest.classes)
    inexact = []
    if before.moments.squared_weights is not None and removed.moments.squared_weights is None:
        inexact.append("rows were removed with their full weight, but may have faded since")
    if before.sample is None:
        warn_of_inexact_rest(found.is_doubtful())
        return Unlearnt(replace(before, moments=moments), inexact)
    sample, more = _sample_without(before.sample, moments, removed)
    is_whole = _is_whole(sample, moments) & (_counts_among(removed.moments, moments) > 0)
    known = _among(is_whole, moments, before.moments)
    warn_of_inexact_rest(found.is_doubtful(_deviation(sample)) & ~known[..., None])
    moments = _of_rows(moments, sample, is_whole)
    return Unlearnt(replace(before, moments=moments, sample=sample), inexact + more)


def among_features_of(whole: Statistics, removed: Statistics) -> Statistics:
    """Statistics of rows to remove that came with fewer features than there are now."""
    if not are_other(removed.feature_names, whole.feature_names):
        return removed
    if whole.sample is not None and removed.sample is not None:
        check_sampled(int(n_not_sampled(removed.sample, whole.sample)))
    return removed.among(whole.feature_names)


def _is_whole(sample: RowSample, moments: ClassMoments) -> Mask:
    """Cells whose remaining rows are all in the sample, at full weight."""
    if moments.squared_weights is not None:
        return np.zeros(moments.counts.shape, dtype=bool)
    weight = _kept(sample, moments)[1]
    check_not_more(weight, moments.counts)
    return np.asarray(moments.present & (weight > moments.counts * (1 - 1e-9)))


def _deviation(sample: RowSample) -> Floats:
    """(features,): standard deviations of sampled rows within their cells."""
    if not len(sample.cells):
        return np.zeros(sample.n_features)
    n_cells = int(sample.cells.max()) + 1
    numbers, _, squares = _moments(sample.rows, sample.cells, n_cells, None)
    freedom = np.maximum(np.maximum(numbers - 1.0, 0.0).sum(axis=0), 1.0)
    return np.asarray(np.sqrt(squares.sum(axis=0) / freedom))


def _moments(
    rows: NDArray[Any], cells: Codes, n_cells: int, weights: Floats | None
) -> ObservedMoments:
    """Moments of sampled rows, with (cells, 1 or features) numbers of values."""
    if np.isnan(rows).any():
        return observed_moments(rows, cells, n_cells, weights)
    counts, means, squares = cell_moments(rows, cells, n_cells, weights)
    return ObservedMoments(counts[:, None], means, squares)


def _of_rows(moments: ClassMoments, sample: RowSample, is_whole: Mask) -> ClassMoments:
    """Moments of some cells computed again from their rows, to all digits."""
    if not is_whole.any():
        return moments
    chosen = is_whole.ravel()[sample.cells]
    cells, weights = sample.cells[chosen], sample.weights[chosen]
    found = _moments(sample.rows[chosen], cells, is_whole.size, weights)
    shape, where = moments.means.shape, is_whole[..., None]
    means = np.where(where, found.means.reshape(shape), moments.means)
    squares = np.where(where, found.squares.reshape(shape), moments.squares)
    observed = moments.observed
    if observed is not None:
        observed = np.where(where, found.observed.reshape(*shape[:2], -1), observed)
    return replace(moments, means=means, squares=squares, observed=observed)


def _sample_without(
    sample: RowSample, moments: ClassMoments, removed: Statistics
) -> tuple[RowSample, list[str]]:
    """The remaining rows, their cells counted among the remaining tasks and classes."""
    ids = moments.tasks, moments.classes, moments.n_features
    touched, bound = _counts_among(removed.moments, moments) > 0, sample.bound
    known = _is_known(sample, moments, removed) | ~touched
    if removed.sample is not None:
        sample = sample - removed.sample
    sample = sample.aligned(*ids).of_cells(moments.present & known)
    unknown = moments.present & ~known
    short = too_short(sample, moments) & known & (touched | (sample.bound > bound))
    inexact = []
    if unknown.any():
        inexact.append(
            f"moments do not tell which rows were removed: the sample of {unknown.sum()} classes "
            "of tasks is empty now; remove Statistics with the same row_sample instead"
        )
    if short.any():
        inexact.append(_SHORT.format(short.sum()))
    return sample, inexact


def without_task(before: RowSample | None, sample: RowSample | None, rest: ClassMoments) -> None:
    """Warn if other tasks would have more sampled rows without a task that was removed."""
    if before is None or sample is None or sample.bound == before.bound:
        return
    short = too_short(sample, rest)
    if short.any():
        warnings.warn(_SHORT.format(short.sum()), InexactRemovalWarning, stacklevel=3)


def too_short(sample: RowSample, moments: ClassMoments) -> Mask:
    """Cells of which a new fit would keep more rows than the sample has."""
    number, weight = _kept(sample, moments)
    return np.asarray((number < sample.bound) & (weight < moments.counts * (1 - 1e-6)))


def _is_known(sample: RowSample, moments: ClassMoments, removed: Statistics) -> Mask:
    """Cells for which the sample of removed rows has all rows that the sample can have."""
    if removed.sample is None:
        return np.zeros(moments.counts.shape, dtype=bool)
    counts = _counts_among(removed.moments, moments)
    there = removed.sample.aligned(moments.tasks, moments.classes, moments.n_features)
    has_all = _kept(there, moments)[1] > counts * (1 - 1e-9)
    return np.asarray(has_all | (removed.sample.bound >= sample.bound))


def _counts_among(removed: ClassMoments, moments: ClassMoments) -> Floats:
    """Counts of removed rows in the remaining tasks and classes."""
    return _among(removed.counts, removed, moments)


def _among(values: NDArray[Any], of: ClassMoments, moments: ClassMoments) -> NDArray[Any]:
    """Values of cells in the order of other moments; zero for cells that these lack."""
    codes = (
        identifiers.lookup(of.tasks, moments.tasks),
        identifiers.lookup(of.classes, moments.classes),
    )
    is_there = (codes[0] >= 0)[:, None] & (codes[1] >= 0)
    return np.where(is_there, values[np.ix_(*codes)], np.zeros((), values.dtype))


def _kept(sample: RowSample, moments: ClassMoments) -> tuple[Floats, Floats]:
    """Number and weight of the sampled rows of every cell."""
    shape = moments.counts.shape
    ones = np.ones(len(sample.cells))
    number, weight = (
        np.bincount(sample.cells, values, minlength=shape[0] * shape[1]).astype(np.float64)
        for values in (ones, sample.weights)
    )
    return number.reshape(shape), weight.reshape(shape)
