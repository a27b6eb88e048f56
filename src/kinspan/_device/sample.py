"""Rows on a device → a sample of them; only the few with small hashes come to the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinspan._arrays.elsewhere import DeviceColumn, on_host
from kinspan._arrays.libraries import copied_to_numpy, device, in_spans, moved, namespace
from kinspan._device.cells import DeviceCells
from kinspan._device.keys import short_keys
from kinspan._device.moments import passed_over
from kinspan._rows import identifiers
from kinspan._rows.kept_rows import bounded
from kinspan._rows.keys import likely_keys
from kinspan._rows.types import Codes, Floats
from kinspan._validation.labelled_rows import CheckedRows

_BLOCK_BYTES = 1 << 28  # of rows moved at a time


class _Rows(NamedTuple):
    """Rows on a device, and how a sample is made of some of them on the CPU."""

    of_rows: Callable[..., Any]
    X: Any
    cells: DeviceCells
    codes: Any
    weights: Any
    size: int
    fading: Floats | None

    def sample(self, chosen: Any) -> Any:
        """The sample of chosen rows, which come to the CPU in blocks."""
        spans = in_spans(chosen.shape[0], _BLOCK_BYTES // (8 * self.X.shape[1]))
        parts = [self._part(chosen[span]) for span in spans] or [self._part(chosen)]
        return sum(parts[1:], parts[0])

    def _part(self, chosen: Any) -> Any:
        xp, n_classes = namespace(self.X), self.cells.shape[1]
        rows = copied_to_numpy(xp.take(self.X, chosen, axis=0))
        places = copied_to_numpy(chosen)
        codes = copied_to_numpy(xp.take(self.codes, chosen, axis=0))
        checked = CheckedRows(
            rows,
            self.cells.classes.ids[codes % n_classes],
            self.cells.tasks.ids[codes // n_classes],
            self._weights(chosen, places),
        )
        return self.of_rows(
            checked, self.size, None if self.fading is None else self.fading[places]
        )

    def _weights(self, chosen: Any, places: Codes) -> Any:
        weights = self.weights
        if isinstance(weights, DeviceColumn) and device(weights.array) == device(chosen):
            return copied_to_numpy(namespace(chosen).take(weights.array, chosen, axis=0))
        return None if weights is None else np.asarray(weights)[places]

    def different(self, sample: Any) -> Codes:
        """(cells,): how many different rows of every cell are in a sample."""
        tasks = identifiers.lookup(self.cells.tasks.ids, sample.tasks)[sample.task_codes]
        classes = identifiers.lookup(self.cells.classes.ids, sample.classes)[sample.class_codes]
        shape = self.cells.shape
        return np.bincount(tasks * shape[1] + classes, minlength=shape[0] * shape[1])


def device_sample(
    of_rows: Callable[..., Any], checked: CheckedRows, size: int, fading: Floats | None
) -> Any:
    """The sample of all rows, from the samples that `of_rows` makes of some of them on the CPU.

    As on the CPU, short keys leave few rows; cells with too few different ones take all their rows.
    """
    found, X, weights = passed_over(checked), checked.features, checked.weights
    xp, codes = namespace(X.array), found.cells.codes
    rows = _Rows(of_rows, X.array, found.cells, codes, weights, size, fading)
    has_weight = xp.ones_like(codes, dtype=xp.bool) if weights is None else found.weights > 0
    if fading is not None:
        return rows.sample(xp.nonzero(has_weight)[0])
    counts = found.rows_of_cells
    size = bounded(size, int(np.count_nonzero(counts)), X.shape[1])
    bounds = moved(likely_keys(counts, size).astype(np.int32), X.array)
    keys = short_keys(X.array, found.hashes)
    taken = has_weight & (keys < xp.take(bounds, codes, axis=0))
    chosen = xp.nonzero(taken)[0]
    sample = rows.sample(chosen)
    n_taken = np.bincount(on_host(xp.take(codes, chosen, axis=0)), minlength=len(counts))
    is_short = (n_taken < counts) & (rows.different(sample) < size)
    if not is_short.any():
        return sample
    of_short = xp.take(moved(is_short, X.array), codes, axis=0)
    return sample + rows.sample(xp.nonzero(of_short & has_weight & ~taken)[0])
