"""Step 2 for the fit: moments and sampled rows → moments in the basis of the covariance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.large import chosen, squared_size
from kinspan._rows.stored_rows import without_zeros
from kinspan._rows.types import Floats, Ids
from kinspan.class_moments import ClassMoments
from kinspan.metric import (
    Basis,
    Covariance,
    Root,
    SampledRows,
    ScaledMoments,
    SparseRows,
    around,
    covariance_of_rows,
    feature_scale,
    in_basis,
    in_metric,
    is_scaled,
    origin,
)
from kinspan.risk import Residuals, ScaleChange
from kinspan.row_sample import RowSample
from kinspan.selection.decisions import SHARES
from kinspan.selection.judged import Judged, judged_rows
from kinspan.selection.scales import (
    RowsOfScale,
    Scaling,
    Tails,
    by_tails,
    is_one_scale,
    scaling,
)


class Unlabelled(NamedTuple):
    """Rows without labels of every task."""

    counts: Floats  # (tasks,)
    means: Floats  # (tasks, features)


class Prepared(NamedTuple):
    """What all candidates are solved in."""

    origin: Floats  # (features,): what was subtracted from everything, in the units of the input
    scaled: ScaledMoments  # in the basis of the covariance, where there is one
    pooled: ScaledMoments  # the same in a scale that all tasks share
    covariance: Covariance | None
    sample: RowSample | None  # the rows behind the covariance
    shares: tuple[float, ...]  # of the covariance in the metric, to be tried
    unlabelled: Unlabelled  # in the basis
    change: RowsOfScale | None = None
    judged: Judged | None = None  # the sampled rows that are left out

    def root(self, share: float) -> Root:
        """The inverse root of the metric."""
        if self.covariance is None:
            return Root.of_diagonal(np.ones(self.scaled.means.shape[2]))
        return self.covariance.root(share)

    @property
    def axes(self) -> Basis | None:
        """The directions of the basis; None for those of the features."""
        return None if self.covariance is None else self.covariance.basis

    def turned_back(self, coef: Floats) -> Floats:
        """Rules for rows in the basis, or along its axes → rules for scaled rows."""
        return coef if self.covariance is None else self.covariance.basis.turned_back(coef)

    def in_metric(self, share: float) -> ScaledMoments:
        """Moments in the metric with a share of the covariance."""
        if self.covariance is None:
            return self.scaled
        return in_metric(self.scaled, self.covariance, share)

    def shared_in_metric(self, share: float) -> tuple[ScaledMoments, Unlabelled]:
        """The same in the scale that tasks share, and rows without labels."""
        if self.covariance is None:
            return self.pooled, self.unlabelled
        means = self.covariance.root(share).turned(self.unlabelled.means)
        pooled = in_metric(self.pooled, self.covariance, share)
        return pooled, self.unlabelled._replace(means=means)

    @property
    def is_as_one(self) -> bool:
        """Whether all tasks are taken as one."""
        return self.sample is not None and len(self.scaled.counts) < len(self.sample.tasks)

    def light(self) -> Prepared:
        """The same without what only leaving out rows needs."""
        if self.covariance is None:
            return self
        return self._replace(covariance=self.covariance.without_rows(), change=None)

    @property
    def left_out(self) -> RowSample:
        """The sampled rows that are left out."""
        assert self.sample is not None
        assert self.judged is not None
        return self.sample._kept(self.judged.rows)

    def rows(self, shares: Sequence[float]) -> Residuals:
        """Rows that are left out, for the metrics with these shares of the covariance."""
        found, sample = self.covariance, self.left_out
        assert found is not None
        assert self.judged is not None
        tasks, places = sample.task_codes, self.judged.rows
        if self.is_as_one:
            tasks = np.zeros_like(tasks)
        scale = None
        if self.change is not None:
            change, residuals = (part[places] for part in self.change)
            basis = found.basis.astype(change.dtype)
            scale = ScaleChange(change, residuals, shares, basis)
        return Residuals(
            chosen(found.residuals, places),
            np.stack([found.stretch(share) for share in shares]),
            tasks,
            sample.class_codes,
            sample.weights,
            np.array(shares) / (found.mean_value * found.n_rows),
            scale,
            np.array([found.noise(share).longer for share in shares]),
            [found.root(share) for share in shares if found.bent],
            np.stack([found.squared_lengths(share)[places] for share in shares], axis=1),
        )


def prepared_bases(
    moments: ClassMoments,
    sample: RowSample | None,
    scale: str | None,
    metric: float | str,
    unlabelled: ClassMoments | None,
) -> Iterator[Prepared]:
    """One basis for every scale of the features: several where left-out rows are to weigh them.

    Rows of a basis are found when it is asked for, and not kept here: most of a basis are rows.
    """
    start = origin(moments)
    if sample is not None:
        sample = sample.aligned(moments.tasks, moments.classes, moments.n_features).effective()
    around_start = replace(moments, means=around(moments, start))
    if scale != "auto" or sample is None:
        stored = None if sample is None else without_zeros(sample.stored)
        one = scaling(around_start, sample, start, "pooled" if scale == "auto" else scale, stored)
        found = emptied([one])
        del one
    else:
        found = _scalings(around_start, sample, start)
    del around_start  # as large as all means
    while scalings := list(islice(found, 1)):
        yield prepare(start, scalings.pop(), sample, moments.tasks, metric, unlabelled)


def _scalings(moments: ClassMoments, sample: RowSample, start: Floats) -> Iterator[Scaling]:
    """In the scales that make different rules."""
    asked: list[str | None] = ["pooled", None]
    pooled = feature_scale(moments, "pooled")
    if is_scaled(moments):
        asked = ["pooled"]
    elif is_one_scale(pooled):
        asked = [None]
    stored = without_zeros(sample.stored)
    first = [scaling(moments, sample, start, asked[0], stored)]
    tails = Tails.of(sample, first[0], pooled)
    yield first.pop()
    for one in asked[1:]:
        yield scaling(moments, sample, start, one, stored)
    if tails is not None:
        yield by_tails(moments, sample, start, tails, stored)


Kept = TypeVar("Kept")


def emptied(values: list[Kept]) -> Iterator[Kept]:
    """All values in turn, none of which is kept here."""
    values.reverse()
    while values:
        yield values.pop()


def prepare(
    start: Floats,
    scaling: Scaling,
    sample: RowSample | None,
    tasks: Ids,
    metric: float | str,
    unlabelled: ClassMoments | None,
) -> Prepared:
    """The basis of the covariance, in which every metric is diagonal."""
    scaled, pooled, _, change = scaling
    free = _without_labels(tasks, unlabelled, start, pooled.scale)
    covariance = None if sample is None else _covariance(scaling, sample)
    if sample is None or covariance is None:
        return Prepared(start, scaled, pooled, None, None, (0.0,), free)
    shares = SHARES if metric == "auto" else (float(metric),)
    covariance.look_at(tuple(dict.fromkeys((0.0, *shares))))  # without a metric, for formulas
    turned = in_basis(scaled, covariance)
    if unlabelled is None:
        free = free._replace(means=np.zeros((len(tasks), turned.means.shape[2])))
    else:
        free = free._replace(means=covariance.basis.coordinates(free.means))
    return Prepared(
        start,
        turned,
        turned if pooled is scaled else in_basis(pooled, covariance),
        covariance,
        sample,
        shares,
        free,
        change,
        judged_rows(sample),
    )


def _without_labels(
    tasks: Ids, unlabelled: ClassMoments | None, start: Floats, scale: Floats
) -> Unlabelled:
    """Rows without labels of every task, scaled."""
    counts, means = np.zeros(len(tasks)), np.zeros((len(tasks), scale.shape[1]))
    if unlabelled is None:
        return Unlabelled(counts, means)
    places = identifiers.lookup(tasks, unlabelled.tasks)
    here = places >= 0
    counts[places[here]] = unlabelled.counts[here, 0]
    means[places[here]] = around(unlabelled, start)[here, 0]
    return Unlabelled(counts, means / scale)


def _covariance(scaling: Scaling, sample: RowSample) -> Covariance | None:
    """Covariance of the sampled rows; None where no cell has two different ones.

    They are not needed in the axes of the features any more.
    """
    scaled, pooled, residuals, _ = scaling
    means = scaled.means if pooled is scaled else np.concatenate([scaled.means, pooled.means])
    size = 1e-24 * squared_size(means)
    if not isinstance(residuals, SparseRows) and squared_size(residuals) <= size:
        return None  # what is left of equal rows is rounding
    tasks = sample.task_codes if len(scaled.counts) > 1 else np.zeros_like(sample.task_codes)
    cells = tasks * scaled.counts.shape[1] + sample.class_codes
    counts = scaled.counts[tasks, sample.class_codes]
    rows = SampledRows(cells, counts, sample.weights, sample.keys)
    return covariance_of_rows(residuals, rows, means, overwrite=True)
