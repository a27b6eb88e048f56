"""Checks of moments and samples: that they can be combined, and that stored ones are possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.stored_rows import numbers_of
from kinspan._rows.types import Floats, Ids, Mask, Moments, SampledRows
from kinspan._validation.messages import some


def check_same_features(first: int, second: int) -> None:
    """Moments can be combined when they have the same number of features."""
    if first != second:
        raise ValueError(
            f"moments of {first} and of {second} features cannot be combined; use the same features"
        )


def check_common_names(first: Sequence[str] | None, second: Sequence[str] | None) -> None:
    """Where both have names of features, some are the same."""
    if first is None or second is None or set(first) & set(second):
        return
    raise ValueError(
        f"the features differ: the first has {some(list(first))}, the second {some(list(second))}, "
        "and none are the same; name columns alike at all sites"
    )


def check_known_names(known: Sequence[str] | None, names: Sequence[str] | None) -> None:
    """Where both have names of features, the second has none that the first lacks."""
    unknown = [name for name in names or () if known is not None and name not in set(known)]
    if unknown:
        raise ValueError(
            f"the features differ: {some(unknown)} was not learnt; the features are "
            f"{some(list(known or ()))}"
        )


def check_sampled(n_unknown: int) -> None:
    """Rows to remove have the keys of the columns that they were learnt with."""
    if n_unknown:
        raise ValueError(
            f"{n_unknown} of the rows to remove were not learnt, or with other columns or in "
            "another order of these; pass the columns that they came with"
        )


def check_removable(moments: Moments, removed: Moments) -> None:
    """Only rows that were counted can be removed."""
    codes = (
        identifiers.lookup(moments.tasks, removed.tasks),
        identifiers.lookup(moments.classes, removed.classes),
    )
    for name, ids, code in zip(
        ("task", "class"), (removed.tasks, removed.classes), codes, strict=True
    ):
        if (code < 0).any():
            raise ValueError(
                f"cannot remove rows of {name} {ids[code < 0].tolist()[0]!r}: there are none"
            )
    counts = moments.counts[np.ix_(*codes)]
    too_many = removed.counts > counts * (1 + 1e-9)
    if too_many.any():
        t, j = np.argwhere(too_many)[0]
        raise ValueError(
            f"cannot remove {removed.counts[t, j]:g} rows of task {removed.tasks.tolist()[t]!r}, "
            f"class {removed.classes.tolist()[j]!r}: there are {counts[t, j]:g}"
        )


def check_values_removable(before: Moments, removed: Moments, left: Floats) -> None:
    """Values that are removed were there, and those that stay are of `left` rows, one of each.

    Cells are the same of both. Rows that faded have less than the weight that is removed.
    """
    n, gone = before.numbers, removed.numbers
    fades = before.squared_weights is not None
    never_there = (gone > 0) & (n == 0) if fades else gone > n * (1 + 1e-9)
    stays = np.zeros((1, 1, 1)) if fades else n - gone > left[..., None] + 1e-9 * n
    too_many, of_no_row = (
        "they have more values of a feature than {}",
        "without them {} would have more values of a feature than rows",
    )
    for wrong, text in ((never_there, too_many), (stays, of_no_row)):
        if wrong.any():
            t, j = (int(i) for i in np.argwhere(wrong)[0][:2])
            cell = f"task {before.tasks.tolist()[t]!r}, class {before.classes.tolist()[j]!r}"
            raise ValueError(
                "the rows to remove were not among those that were learnt: " + text.format(cell)
            )


def check_moments(moments: Moments) -> None:
    """Stored arrays must be moments that some rows could have."""
    n_tasks, n_classes = len(moments.tasks), len(moments.classes)
    _check_ids(moments.tasks, moments.classes)
    shape = moments.means.shape
    if moments.counts.shape != (n_tasks, n_classes) or shape[:2] != (n_tasks, n_classes):
        raise ValueError("the arrays do not have the shape of the tasks and classes")
    if len(shape) != 3 or moments.squares.shape != shape:
        raise ValueError("means and squares have different shapes")
    for array in (moments.counts, moments.means, moments.squares):
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError("moments are finite doubles")
    if (moments.counts < 0).any() or (moments.squares < 0).any():
        raise ValueError("a count or a second moment is negative")
    if moments.squared_weights is not None:
        _check_squared_weights(moments.squared_weights, moments.counts)
        _check_effective(moments.squared_weights, moments)
    if moments.observed is not None:
        _check_observed(moments)


def _check_observed(moments: Moments) -> None:
    observed, most = moments.numbers, moments.counts[..., None] * (1 + 1e-9)
    if observed.shape != moments.means.shape or observed.dtype != np.float64:
        raise ValueError("there is not one number of values for each mean")
    if not ((observed >= 0) & (observed <= most)).all():
        raise ValueError("there are more values of a feature than rows, or fewer than none")
    if moments.means[observed == 0].any() or moments.squares[observed == 0].any():
        raise ValueError("a feature without values has a mean or a second moment")


def _check_ids(*ids: Ids) -> None:
    for values in ids:
        if identifiers.encode(values)[0].tolist() != values.tolist():
            raise ValueError("the ids are not in order, or one occurs twice")


def _check_squared_weights(squared: Floats, counts: Floats) -> None:
    """Σ w² of weights w ≤ 1 whose sum is the count."""
    if squared.shape != counts.shape or squared.dtype != np.float64:
        raise ValueError("squared weights do not have the shape of the counts")
    if not ((squared > 0) == (counts > 0)).all() or not (squared <= counts * (1 + 1e-9)).all():
        raise ValueError("squared weights do not belong to the counts")


def _check_effective(squared: Floats, moments: Moments) -> None:
    """As many rows of weight one as faded rows are worth have moments, too."""
    rows = moments.counts > 0
    with np.errstate(over="ignore"):
        larger = moments.counts[rows] / squared[rows]
        squares = moments.squares[rows] * larger[:, None]
        counts = moments.counts[rows] * larger
    if not (np.isfinite(squares).all() and np.isfinite(counts).all()):
        raise ValueError("squared weights are too small for the moments")


def check_sample(sample: SampledRows) -> None:
    """Stored arrays must be a sample that some rows could have."""
    n, n_cells = len(sample.cells), len(sample.tasks) * len(sample.classes)
    _check_ids(sample.tasks, sample.classes)
    if type(sample.size) is not int or sample.size < 1:
        raise ValueError(f"the size of the sample is {sample.size!r}, not a positive number")
    stored = sample.stored
    if stored.ndim != 2 or stored.dtype.kind != "f" or stored.shape[0] != n:
        raise ValueError("sampled rows are not a matrix with one row for each cell")
    if sample.keys.shape != (n,) or sample.keys.dtype != np.uint64 or sample.cells.shape != (n,):
        raise ValueError("there is not one key for each sampled row")
    if n and not (sample.cells.min() >= 0 and sample.cells.max() < n_cells):
        raise ValueError("a sampled row belongs to no cell")
    small = sample.cells[~sample.is_frequent]
    if len(small) and np.unique(small, return_counts=True)[1].max() > sample.size:
        raise ValueError("a cell has more sampled rows than the size of the sample")
    _check_strata(sample, n_cells)
    if not (np.lexsort((sample.keys, sample.cells)) == np.arange(n)).all():
        raise ValueError("sampled rows are not in order")
    for weights in (sample.weights, sample.recency):
        if weights is not None and not (weights.shape == (n,) and (weights > 0).all()):
            raise ValueError("there is not one positive weight for each sampled row")
    if np.isinf(numbers_of(stored)).any() or not np.isfinite(sample.weights).all():
        raise ValueError("sampled rows are finite")


def _check_strata(sample: SampledRows, n_cells: int) -> None:
    """Numbers of rows of strata, for cells of which not all rows are kept."""
    n, (codes, weights) = len(sample.cells), sample.strata
    if sample.is_frequent.shape != (n,) or sample.is_frequent.dtype != np.bool_:
        raise ValueError("it is not said of every sampled row why it was kept")
    if codes.ndim != 1 or codes.dtype != np.int64 or weights.shape != codes.shape:
        raise ValueError("there is not one number of rows for every stratum")
    if not (np.diff(codes) > 0).all() or not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError("strata are not in order, or have no rows")
    if len(codes) and not (codes[0] >= 0 and sample.strata.cells.max() < n_cells):
        raise ValueError("a stratum belongs to no cell")


def check_statistics(
    moments: Moments, sample: SampledRows | None, names: Sequence[str] | None
) -> None:
    """Stored parts must belong together."""
    if sample is not None and sample.n_features != moments.n_features:
        raise ValueError("moments and sampled rows have different numbers of features")
    if sample is not None and any(
        (identifiers.lookup(known, ids) < 0).any()
        for known, ids in ((moments.tasks, sample.tasks), (moments.classes, sample.classes))
    ):
        raise ValueError("a sampled row is of a task or class that the moments do not have")
    if (
        sample is not None
        and moments.observed is None
        and np.isnan(numbers_of(sample.stored)).any()
    ):
        raise ValueError("sampled rows lack values that the moments have")
    if names is None:
        return
    if len(names) != moments.n_features or not all(isinstance(name, str) for name in names):
        raise ValueError("there is not one name for each feature")


def check_same_key(first: str, second: str) -> None:
    """Rows must have been sampled by the same hash."""
    if first != second:
        raise ValueError(
            "these rows were sampled with different random_state; use the same at all sites, "
            "and set it again on a model that was loaded: it is not stored in files"
        )


def check_not_more(kept: Floats, counts: Floats) -> None:
    """The sample has no more rows of a cell than are left."""
    if (kept > counts * (1 + 1e-9) + 1e-9).any():
        raise ValueError(
            "the rows to remove were not among those that were learnt, or were removed before: "
            "without them the sample would have more rows of a class than are left"
        )


def check_were_there(impossible: Mask) -> None:
    """Second moments of the rows that are left cannot be negative."""
    if impossible.any():
        raise ValueError(
            "the rows to remove were not among those that were learnt: without them the second "
            "moment of a feature would be negative"
        )


def check_no_overflow(*sums: Floats) -> None:
    """The sum of finite moments may not be finite."""
    if not all(np.isfinite(part).all() for part in sums):
        raise ValueError("the sum of these moments overflows; divide the features by a constant")


def check_some_values(known: Mask) -> None:
    """At least one feature has a value."""
    if not known.any():
        raise ValueError("X has no values at all: NaN everywhere; there is nothing to learn from")


def check_something_left(moments: Moments) -> None:
    """At least one row remains."""
    if moments.counts.size == 0:
        raise ValueError("no row would be left after removing these; make a new model instead")


def check_any_unlabelled(there_are: bool) -> None:
    """Rows without labels can be removed where some were learnt."""
    if not there_are:
        raise ValueError("removed has rows without labels, but the model has learnt none")


def check_unlabelled(unlabelled: Any, moments: Moments) -> None:
    """Stored statistics of rows without labels: one class, of tasks that are there."""
    free = unlabelled.moments
    if len(free.classes) != 1 or unlabelled.unlabelled is not None:
        raise ValueError("rows without labels have classes")
    if free.n_features != moments.n_features:
        raise ValueError("rows without labels have other features than the others")
    if (identifiers.lookup(moments.tasks, free.tasks) < 0).any():
        raise ValueError("rows without labels belong to tasks that are not there")
