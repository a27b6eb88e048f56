"""Moments → features of single tasks that look as if they had other units than elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import floor, log10
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import f as f_test

from kinspan._rows.blocks import blocks
from kinspan._rows.stored_rows import all_numbers
from kinspan._rows.types import Codes, Floats, Mask, Moments, SampledRows
from kinspan.exceptions import UnitsWarning

_LEAST = 10.0  # times as large or as small
_MOST = 1e8  # more than this is a question of precision
_OUTLYING = 6.0  # median deviations of all tasks; about four standard deviations
_ALIKE = 3.0  # times: factors of different sizes that agree
_CHANCE = 1e-3  # of one false alarm, where all tasks have the same spread
_ROUNDING = 1e-5  # of sums in single precision
_SHOWN = 5


class OtherUnits(NamedTuple):
    """A feature of a task that looks as if it had other units."""

    task: Any  # id
    feature: int
    factor: float  # how many times as large as elsewhere

    @property
    def size(self) -> str:
        """The factor in words."""
        much = max(self.factor, 1.0 / self.factor)
        return f"{_round(much):,} times as {'large' if self.factor > 1.0 else 'small'}"


def warn_of_other_units(
    moments: Moments,
    sample: SampledRows | None,
    scale: str | None,
    names: Sequence[str] | None,
) -> None:
    """One warning for all features and tasks."""
    found = [] if scale == "task" else other_units(moments, sample)
    if found:
        shown = [f"{_named(one, names)} looks {one.size}" for one in found[:_SHOWN]]
        more = f" ({len(found):,} such in all)" if len(found) > _SHOWN else ""
        said = f"{'; '.join(shown)}{more} as in other tasks: other units?"
        warnings.warn(said, UnitsWarning, stacklevel=2)


class _Sizes(NamedTuple):
    """(tasks, features): what a unit multiplies, of tasks with degrees of freedom."""

    n: Floats  # (tasks, 1 or features): values
    freedom: Floats  # (tasks, 1 or features): values less classes
    spread: Floats  # standard deviation within classes; NaN where there is none
    mean: Floats  # the absolute value
    root: Floats  # root mean square
    is_one_signed: Mask  # (1, features): whether all values may have the same sign


def other_units(moments: Moments, sample: SampledRows | None = None) -> list[OtherUnits]:
    """Features of tasks with other units than elsewhere, the largest factors first.

    Sampled rows say how heavy the tails of a feature are; without them, its moments have to.
    """
    freedom = np.maximum(moments.numbers - 1.0, 0.0).sum(axis=1)
    tasks = np.flatnonzero((freedom > 0).any(axis=1))
    if len(tasks) < 2:
        return []
    with np.errstate(all="ignore"):
        spread = _spread(moments, tasks, freedom)
        least, most = np.fmin.reduce(spread, axis=0), np.fmax.reduce(spread, axis=0)
        columns = np.flatnonzero(most >= _LEAST * least)
        if len(columns) == 0:
            return []
        few = _sizes(moments, tasks, freedom, spread, columns)
        factors = _factors(few.spread)
        places = np.argwhere(_is_outlying(factors) & _is_of_all(few, factors))
        if len(places):
            worth = _worth(few)
            if sample is not None:
                worth = np.minimum(worth, _worth_by_rows(moments, sample, columns, tasks))
            places = places[_is_no_chance(few, factors, worth, places, moments.n_features)]
    found = factors[tuple(places.T)]
    ids = moments.tasks.tolist()
    return [
        OtherUnits(ids[tasks[places[i, 0]]], int(columns[places[i, 1]]), float(np.exp(found[i])))
        for i in np.argsort(-np.abs(found), kind="stable")
    ]


def _spread(moments: Moments, tasks: Codes, freedom: Floats) -> Floats:
    """(tasks, features): standard deviations within the classes of some tasks; NaN without any."""
    found = np.empty((len(tasks), moments.n_features))
    for some in blocks(len(tasks), moments.squares[:1].size):
        variance = moments.squares[tasks[some]].sum(axis=1) / freedom[tasks[some]]
        np.sqrt(np.where(variance > 0, variance, np.nan), out=found[some])
    return found


def _sizes(
    moments: Moments, tasks: Codes, freedom: Floats, spread: Floats, columns: Codes
) -> _Sizes:
    """Numbers of one sign have means of that sign and (Σx)² ≥ Σx², in every cell."""
    counts, of_tasks = moments.numbers[tasks], freedom[tasks]
    if counts.shape[2] > 1:
        counts, of_tasks = counts[..., columns], of_tasks[:, columns]
    means, squares = (part[tasks][..., columns] for part in (moments.means, moments.squares))
    n, within = counts.sum(axis=1), squares.sum(axis=1)
    mean = np.abs((counts * means).sum(axis=1)) / n
    root = np.sqrt((within + (counts * means**2).sum(axis=1)) / n)
    mixed = counts * (counts - 1.0) * means**2 < (1.0 - _ROUNDING) * squares
    of_both = (means < 0).any(axis=(0, 1)) & (means > 0).any(axis=(0, 1))
    is_mixed = np.asarray(mixed.any(axis=(0, 1)) | of_both)
    return _Sizes(n, of_tasks, spread[:, columns], mean, root, ~is_mixed[None])


def _factors(sizes: Floats) -> Floats:
    """Logarithms of factors between tasks and the others; of two halves, the larger has one."""
    logarithms = np.log(sizes)
    return np.asarray(logarithms - _median(logarithms))


def _median(values: Floats) -> Floats:
    """(features,): over the tasks that are not NaN; of two in the middle, the lower one.

    Between two halves with different units there is no task.
    """
    ordered, n = np.sort(values, axis=0), (~np.isnan(values)).sum(axis=0)
    middle = np.maximum(n - 1, 0)[None] // 2
    return np.asarray(np.take_along_axis(ordered, middle, axis=0)[0])


def _is_outlying(factors: Floats) -> Mask:
    """(tasks, features): where a factor is large, and larger than those between other tasks."""
    far = np.abs(factors)
    found = (far >= np.log(_LEAST)) & (far < np.log(_MOST))
    return np.asarray(found & (far >= _OUTLYING * _median(far)))


def _is_of_all(sizes: _Sizes, factors: Floats) -> Mask:
    """(tasks, features): where the factor of the spread is one of all sizes.

    A task that is only noisier has the root mean square of the others, and where values differ
    from zero more rarely, the mean falls faster than the spread. Of both signs, it is noise.
    """
    of_root, of_mean = (
        np.abs(_factors(size) - factors) <= np.log(_ALIKE) for size in (sizes.root, sizes.mean)
    )
    return np.asarray(of_root & (of_mean | ~sizes.is_one_signed))


def _is_no_chance(
    sizes: _Sizes, factors: Floats, worth: Floats, places: Codes, n_features: int
) -> Mask:
    """(places,): where the F-test of equal variances says so, for all cells together."""
    tasks, features = places.T
    freedom = sizes.freedom * np.broadcast_to(worth, factors.shape)
    own, others = freedom[tasks, features], np.median(freedom, axis=0)[features]
    ratio = np.exp(2.0 * factors[tasks, features])
    tail = np.minimum(f_test.cdf(ratio, own, others), f_test.sf(ratio, own, others))
    return np.asarray(tail <= _CHANCE / (len(factors) * n_features))


def _worth(sizes: _Sizes) -> Floats:
    """(features,): of a degree of freedom, where values are skewed.

    As for gamma variables, whose kurtosis 3 + 6 c² follows from their coefficient of variation c.
    Where both signs hide c, it is taken for one.
    """
    variation = _median(sizes.spread / sizes.mean)
    return np.asarray(1.0 / (1.0 + 3.0 * np.where(sizes.is_one_signed[0], variation, 1.0) ** 2))


def _worth_by_rows(moments: Moments, sample: SampledRows, columns: Codes, tasks: Codes) -> Floats:
    """(tasks, features): the same by the kurtosis within cells: var(s²)/σ⁴ is (κ − 1)/n, not 2/n.

    The larger one of the task and all tasks: of a handful of rows, none is far from the others.
    """
    sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
    n_tasks, n_classes = len(moments.tasks), len(moments.classes)
    means = moments.means.reshape(n_tasks * n_classes, -1)[:, columns]
    squares = (all_numbers(sample.stored[:, columns]) - means[sample.cells]) ** 2
    known = ~np.isnan(squares)
    weights = np.where(known, sample.weights[:, None], 0.0)
    squares, task = np.where(known, squares, 0.0), sample.cells // n_classes
    each = np.zeros((3, n_tasks, len(columns)))
    for total, power in zip(each, (0, 1, 2), strict=True):
        np.add.at(total, task, weights * squares**power)
    n, second, fourth = each
    own = n * fourth / np.where(second > 0, second, np.inf) ** 2
    of_all = (n * own).sum(axis=0) / np.maximum((n * (second > 0)).sum(axis=0), 1e-300)
    return np.asarray(2.0 / np.maximum(np.maximum(own, of_all)[tasks] - 1.0, 2.0))


def _named(one: OtherUnits, names: Sequence[str] | None) -> str:
    feature = f"feature {one.feature}" if names is None else repr(names[one.feature])
    return f"{feature} of task {one.task!r}"


def _round(much: float) -> int:
    """A power of ten that is near, or two digits."""
    power = 10.0 ** round(log10(much))
    if 0.7 < much / power < 1.0 / 0.7:
        return int(power)
    step = 10.0 ** (floor(log10(much)) - 1)
    return int(round(much / step) * step)
