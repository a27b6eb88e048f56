"""A batch without the sampled rows that cannot enter the sample of all rows so far."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinspan._memory.statistics import Pile, Statistics
from kinspan._rows import identifiers
from kinspan.row_sample import RowSample


def below_cutoff(part: Statistics, pile: Pile) -> Statistics:
    """The same statistics without sampled rows whose keys are above the last one of a full cell.

    With many cells a batch would otherwise keep most of its rows, and nearly all for nothing.
    """
    known = pile[0][1].sample if pile else None
    if part.sample is None or known is None or part.sample.recency is not None:
        return part
    return replace(part, sample=_below_last(part.sample, known))


def _below_last(sample: RowSample, known: RowSample) -> RowSample:
    n_classes = len(known.classes)
    tasks = identifiers.lookup(known.tasks, sample.tasks)[sample.task_codes]
    classes = identifiers.lookup(known.classes, sample.classes)[sample.class_codes]
    cells = np.arange(len(known.tasks) * n_classes)
    starts, ends = (np.searchsorted(known.cells, cells, side) for side in ("left", "right"))
    is_full = ends - starts >= known.bound
    last = np.full(len(cells), np.iinfo(np.uint64).max, np.uint64)
    last[is_full] = known.keys[ends[is_full] - 1]
    is_new = (tasks < 0) | (classes < 0)
    kept = is_new | (sample.keys <= last[np.where(is_new, 0, tasks * n_classes + classes)])
    return sample._kept(kept)
