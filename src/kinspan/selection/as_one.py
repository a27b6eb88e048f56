"""The rows of all tasks as those of one, in the units of the input: step 2 for this candidate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinspan._rows.stored_rows import without_zeros
from kinspan._rows.types import Floats
from kinspan.class_moments import ClassMoments
from kinspan.metric import (
    SampledRows,
    around,
    around_other_means,
    common_scale,
    is_centred,
    scaled_by,
)
from kinspan.row_sample import RowSample
from kinspan.selection.prepared import Prepared, prepare
from kinspan.selection.scales import Scaling, light_residuals

_FEW = 8  # directions for every cell: with fewer, another decomposition is as fast


def as_one_task(
    moments: ClassMoments, sample: RowSample | None, start: Floats, metric: float | str
) -> Prepared | None:
    """In a basis of its own; None where tasks as one make no other rules."""
    around_start = replace(moments, means=around(moments, start))
    if sample is None or len(moments.tasks) == 1 or is_centred(around_start):
        return None
    together = _sum_of_tasks(around_start)
    scaled = scaled_by(together, common_scale(together))
    tasks, stored = np.zeros_like(sample.task_codes), without_zeros(sample.stored)
    residuals = light_residuals(scaled, sample, start, tasks, stored, sample.place)
    one = Scaling(scaled, scaled, residuals, None)
    prepared = prepare(start, one, sample, together.tasks, metric, None)
    return None if prepared.covariance is None else prepared


def can_be_moved(prepared: Prepared) -> bool:
    """Whether tasks as one are best found from the basis of tasks: it has the units of the input.

    And rows around the means of classes differ from rows around the means of cells in a few of its
    directions only.
    """
    n_tasks, n_classes, n_directions = prepared.scaled.means.shape
    is_unscaled = len(prepared.scaled.scale) == 1 and not np.ptp(prepared.scaled.scale)
    return is_unscaled and n_tasks > 1 and _FEW * n_tasks * n_classes <= n_directions


def as_one_moved(moments: ClassMoments, prepared: Prepared) -> Prepared | None:
    """The same in the basis of tasks."""
    around_start = replace(moments, means=around(moments, prepared.origin))
    if is_centred(around_start):
        return None
    before, sample = prepared.covariance, prepared.sample
    assert before is not None
    assert sample is not None
    scaled = scaled_by(_sum_of_tasks(around_start), prepared.scaled.scale)
    means = _mean_of_tasks(prepared.scaled.counts, prepared.scaled.means)
    offsets = (prepared.scaled.means - means).reshape(-1, means.shape[1])
    counts = scaled.counts[0, sample.class_codes]
    rows = SampledRows(sample.class_codes, counts, sample.weights, sample.keys)
    here = scaled._replace(means=means[None])
    return prepared._replace(
        scaled=here,
        pooled=here,
        covariance=around_other_means(before, offsets, sample.cells, rows, prepared.shares),
        unlabelled=prepared.unlabelled._replace(counts=np.zeros(1), means=here.means[:, 0]),
    )


def _sum_of_tasks(moments: ClassMoments) -> ClassMoments:
    counts = moments.counts.sum(axis=0)
    means = _mean_of_tasks(moments.counts, moments.means)
    between = np.einsum("tj,tjp->jp", moments.counts, (moments.means - means) ** 2)
    squares = moments.squares.sum(axis=0) + between
    return ClassMoments(
        moments.tasks[:1], moments.classes, counts[None], means[None], squares[None]
    )


def _mean_of_tasks(counts: Floats, means: Floats) -> Floats:
    """(classes, features): means of classes over all tasks."""
    n = counts.sum(axis=0)
    total = np.einsum("tj,tjp->jp", counts, means)
    return np.asarray(total / np.where(n > 0, n, 1.0)[:, None])
