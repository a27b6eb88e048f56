"""Rows on a device → a sample of them; only the few with small hashes come to the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinspan._arrays.elsewhere import DeviceColumn, on_host
from kinspan._arrays.libraries import (
    copied_to_numpy,
    device,
    in_spans,
    moved,
    namespace,
    widest_int,
)
from kinspan._device.cells import DeviceCells
from kinspan._device.keys import short_keys
from kinspan._device.moments import passed_over
from kinspan._rows import identifiers
from kinspan._rows.kept_rows import bounded
from kinspan._rows.keys import RowKey, likely_keys
from kinspan._rows.many_rows import Busy, places_of_keys
from kinspan._rows.strata import n_strata, places_in_table
from kinspan._rows.types import Codes, Floats, Mask
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
    key: RowKey
    weights_on_device: Any

    def sample(self, chosen: Any) -> Any:
        """The sample of chosen rows, which come to the CPU in blocks."""
        spans = in_spans(chosen.shape[0], _BLOCK_BYTES // (8 * self.X.shape[1]))
        parts = [self.part(chosen[span]) for span in spans] or [self.part(chosen)]
        return sum(parts[1:], parts[0])

    def part(self, chosen: Any, weights: Floats | None = None) -> Any:
        """The sample of chosen rows, with weights of their own if these are given."""
        xp, n_classes = namespace(self.X), self.cells.shape[1]
        rows = copied_to_numpy(xp.take(self.X, chosen, axis=0))
        places = copied_to_numpy(chosen)
        codes = copied_to_numpy(xp.take(self.codes, chosen, axis=0))
        checked = CheckedRows(
            rows,
            self.cells.classes.ids[codes % n_classes],
            self.cells.tasks.ids[codes // n_classes],
            self.weights_of(chosen, places) if weights is None else weights,
        )
        fading = None if self.fading is None else self.fading[places]
        return self.of_rows(checked, self.size, fading, self.key)

    def weights_of(self, chosen: Any, places: Codes) -> Any:
        weights = self.weights
        if isinstance(weights, DeviceColumn) and device(weights.array) == device(chosen):
            return copied_to_numpy(namespace(chosen).take(weights.array, chosen, axis=0))
        return None if weights is None else np.asarray(weights)[places]

    def cells_of(self, sample: Any) -> Codes:
        """(cells of a sample,): the same cells on the device."""
        tasks = identifiers.lookup(self.cells.tasks.ids, sample.tasks)
        classes = identifiers.lookup(self.cells.classes.ids, sample.classes)
        return (tasks[:, None] * self.cells.shape[1] + classes).reshape(-1)


def device_sample(
    of_rows: Callable[..., Any],
    checked: CheckedRows,
    size: int,
    fading: Floats | None,
    key: RowKey,
) -> Any:
    """The sample of all rows, from the samples that `of_rows` makes of some of them on the CPU.

    As on the CPU, short keys leave few rows; cells with too few different ones take more.
    """
    found, X, weights = passed_over(checked), checked.features, checked.weights
    xp, codes = namespace(X.array), found.cells.codes
    rows = _Rows(of_rows, X.array, found.cells, codes, weights, size, fading, key, found.weights)
    has_weight = xp.ones_like(codes, dtype=xp.bool) if weights is None else found.weights > 0
    counts = found.rows_of_cells
    bound = bounded(size, int(np.count_nonzero(counts)), X.shape[1])
    if fading is not None or not (counts > bound).any():
        return rows.sample(xp.nonzero(has_weight)[0])
    short = short_keys(X.array, key, found.hashes)
    wanted = np.full(len(counts), float(bound))
    while True:
        bounds = moved(likely_keys(counts, wanted).astype(np.int64), X.array)
        taken = has_weight & (short <= xp.take(bounds, codes, axis=0))
        chosen = xp.nonzero(taken)[0]
        cells, of_chosen = (on_host(xp.take(a, chosen, axis=0)) for a in (codes, short))
        is_cut = np.bincount(cells, minlength=len(counts)) < counts
        kept = (places_of_keys(cells, of_chosen) < bound) | ~is_cut[cells]
        sample = rows.sample(xp.take(chosen, moved(np.flatnonzero(kept), X.array), axis=0))
        of_cell = rows.cells_of(sample)
        small = of_cell[sample.cells[~sample.is_frequent]]
        too_few = is_cut & (np.bincount(small, minlength=len(counts)) < bound)
        if not too_few.any():
            return _with_others(rows, sample, short, has_weight, is_cut, bound)
        wanted[too_few] *= 4


def _with_others(
    rows: _Rows, sample: Any, short: Any, has_weight: Any, is_cut: Mask, bound: int
) -> Any:
    """With the strata of cells of which not all rows were looked at, and their frequent rows."""
    if not is_cut.any():
        return sample
    xp, of_cell = namespace(rows.X), rows.cells_of(sample)
    places = places_in_table(xp.astype(rows.codes, widest_int(rows.X)), short, bound)
    n_places = len(is_cut) * n_strata(bound)
    busy = Busy.of(_counted(places, rows.weights_on_device, n_places), is_cut, bound)
    chosen = xp.nonzero(has_weight & xp.take(moved(busy.places, rows.X), places, axis=0))[0]
    cells, keys = (copied_to_numpy(xp.take(a, chosen, axis=0)) for a in (rows.codes, short))
    weights = rows.weights_of(chosen, copied_to_numpy(chosen))
    last = np.zeros(len(is_cut), dtype=np.uint32)
    last[of_cell] = sample.columns().last_short(sample.n_cells)
    best, votes = busy.most_frequent(
        cells.astype(np.intp), keys.astype(np.uint32), weights, last, bound
    )
    frequent = rows.part(xp.take(chosen, moved(best, rows.X), axis=0), votes)
    place = np.full(len(is_cut), -1)
    place[of_cell] = np.arange(len(of_cell))
    strata = busy.strata.placed(place[busy.strata.cells])
    return sample.completed(is_cut[of_cell], strata, frequent)


def _counted(places: Any, weights: Any, n_places: int) -> Floats:
    """(places,): sums of weights, where the rows are if the library can do that."""
    xp = namespace(places)
    if hasattr(xp, "bincount"):
        found = copied_to_numpy(xp.bincount(places, weights, minlength=n_places))
    else:
        own = None if weights is None else copied_to_numpy(weights)
        found = np.bincount(copied_to_numpy(places), own, n_places)
    return found.astype(np.float64)
