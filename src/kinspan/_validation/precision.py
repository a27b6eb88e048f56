"""Moments → warnings of digits lost where numbers are very large, very small or far from zero."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Floats, Mask, Moments, SampledRows
from kinspan._validation.messages import some
from kinspan.exceptions import PrecisionWarning

_COARSE = 1.0 / 8.0  # of a standard deviation: rounding steps from here on are not small against it
_USUAL = 1e3  # numbers up to here are not offsets
_LEAST_SQUARE = 1e-304  # below, mean squares of deviations have lost digits
_LEAST_SIZE = 1e-152  # its root
_LEAST_SHARE = 1e-8  # of the spread of other tasks: beyond, the order of rows begins to matter


def warn_of_lost_digits(
    moments: Moments, sample: SampledRows | None, scale: str | None, names: Sequence[str] | None
) -> None:
    """One warning for all problems; the type of sampled rows is the precision of the input."""
    single = sample is not None and sample.stored.dtype == np.float32
    spread = _spread(moments)
    coarse = _is_coarse(moments, spread, np.float32 if single else np.float64)
    faint = _is_faint(moments, spread)
    found = []
    if coarse.any():
        features, tasks = (np.asarray(coarse.any(axis=axis)) for axis in (0, 1))
        found.append(
            f"{_named('feature', features, names)} is so far from zero, in {_of(moments, tasks)}, "
            "that steps between numbers are not small against its standard deviation; subtract an "
            "offset from what was measured" + ", or use float64" * single
        )
    if faint.any():
        found.append(
            f"the squares of {_named('feature', np.asarray(faint.any(axis=0)), names)} vanish, as "
            "those of all numbers below 1e-150; multiply these features by a constant"
        )
    quiet = np.zeros(len(spread), dtype=bool) if scale == "task" else _is_quiet(spread)
    if quiet.any():
        found.append(
            f"{_of(moments, quiet)} varies so much less than others that little of it is left in "
            "a common scale; use scale='task', or another unit there"
        )
    if found:
        warnings.warn("; ".join(found), PrecisionWarning, stacklevel=2)


def warn_of_inexact_rest(is_doubtful: Mask) -> None:
    """Warn of differences whose errors are not small against deviations."""
    if is_doubtful.any():
        features = some(np.flatnonzero(is_doubtful.any(axis=(0, 1))).tolist())
        warnings.warn(
            f"so little of feature {features} is left, compared with what was removed or with its "
            "distance from zero, that subtraction cannot determine its means or its spread; learn "
            "from the rows that are left instead",
            PrecisionWarning,
            stacklevel=3,
        )


def _spread(moments: Moments) -> Floats:
    """(tasks, features): standard deviations within classes."""
    freedom = np.maximum(moments.counts - 1.0, 0.0).sum(axis=1)
    freedom = np.where(freedom > 0, freedom, 1.0)[:, None, None]
    found = np.empty((len(freedom), moments.n_features))
    for tasks in blocks(len(found), moments.squares[:1].size):
        np.sqrt((moments.squares[tasks] / freedom[tasks]).sum(axis=1), out=found[tasks])
    return found


def _is_coarse(moments: Moments, spread: Floats, kind: Any) -> Mask:
    """(tasks, features): where numbers are rounded to less than deviations need.

    Features that do not vary lose nothing; nor do small numbers that are the same everywhere but
    for rounding, such as shares that add up to one.
    """
    step = float(np.finfo(kind).eps) * _sizes_of_means(moments)
    coarse = (spread > 0) & (step > _COARSE * spread)
    if coarse.any():
        of_cells = moments.means[moments.present]
        is_constant = np.ptp(of_cells, axis=0) <= 4.0 * step.max(axis=0)
        is_constant &= np.abs(of_cells).max(axis=0) <= _USUAL
        coarse &= ~is_constant
    return np.asarray(coarse)


def _sizes_of_means(moments: Moments) -> Floats:
    """(tasks, features): the largest."""
    found = np.empty((len(moments.counts), moments.n_features))
    for tasks in blocks(len(found), moments.means[:1].size):
        np.abs(moments.means[tasks]).max(axis=1, out=found[tasks])
    return found


def _is_faint(moments: Moments, spread: Floats) -> Mask:
    """(tasks, features): where squares have lost digits, or have all vanished."""
    small = (spread > 0) & (spread**2 < _LEAST_SQUARE)
    if (spread > 0).all():
        return np.asarray(small)
    size = _sizes_of_means(moments)
    some_class = moments.means[np.arange(len(size)), moments.counts.argmax(axis=1)][:, None]
    differ = ((moments.means != some_class) & moments.present[..., None]).any(axis=1)
    several = np.any(moments.counts > 1, axis=1, keepdims=True)
    return np.asarray(small | ((spread == 0) & (size < _LEAST_SIZE) & differ & several))


def _is_quiet(spread: Floats) -> Mask:
    """(tasks,): whose spread is negligible against that of others."""
    largest = spread.max(axis=0)
    share = (spread / np.where(largest > 0, largest, 1.0)).max(axis=1, initial=0.0)
    return np.asarray((share > 0) & (share < _LEAST_SHARE))


def _named(what: str, which: Mask, names: Sequence[str] | None) -> str:
    places = np.flatnonzero(which).tolist()
    return f"{what} {some(places if names is None else [names[i] for i in places])}"


def _of(moments: Moments, which: Mask) -> str:
    ids = moments.tasks[which].tolist()
    return f"task {some(ids)}"
