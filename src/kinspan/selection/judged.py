"""Which of the sampled rows are left out and scored, where rows times classes are too many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Mask
from kinspan.row_sample import RowSample
from kinspan.selection.decisions import PRIOR_ROWS

_SCORES = 1 << 21  # of a candidate: rows times classes


class Judged(NamedTuple):
    """Sampled rows that candidates are judged by."""

    rows: Codes | slice  # positions in the sample
    skipped: Mask  # (tasks, classes): there are rows, but none of them is judged


def judged_rows(sample: RowSample) -> Judged:
    """All rows, or of a task with too many the same number of each class, by their keys.

    A task keeps at least as many as count in the evidence of all tasks.
    """
    n_tasks, n_classes = len(sample.tasks), len(sample.classes)
    n_scores = 1 if n_classes == 2 else n_classes
    most = max(_SCORES // (n_tasks * n_scores), int(PRIOR_ROWS.constant))
    skipped = np.zeros((n_tasks, n_classes), dtype=bool)
    tasks = sample.task_codes
    if np.bincount(tasks, minlength=1).max() <= most:
        return Judged(slice(None), skipped)
    order = np.lexsort((sample.keys, _places(sample.cells), tasks))
    rows = np.sort(order[_places(tasks) < most])
    skipped.flat[sample.cells] = True
    skipped.flat[sample.cells[rows]] = False
    return Judged(rows, skipped)


def _places(codes: Codes) -> Codes:
    """(rows,): the place of every row among those of the same code, which are neighbours."""
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return np.arange(len(codes)) - np.repeat(starts, np.diff(starts, append=len(codes)))
