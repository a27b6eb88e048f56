"""The pass over rows of a PyTorch tensor on a CUDA device, by kernels of Triton."""
# mypy: disable-error-code="import-not-found, no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kinspan._device.cells import DeviceCells
from kinspan._device.tiles import SUMS, layout_of
from kinspan._device.triton_groups import grouped, readable
from kinspan._device.triton_sums import Packed, cell_totals, some_rows
from kinspan._rows.sums import CellMoments
from kinspan._rows.types import Codes

_IN_SINGLE = (torch.float32, torch.float16, torch.bfloat16)


class TritonPass:
    """Rows grouped by cell, read once where they lie."""

    hashes: Any = None  # (rows,), after a pass with multipliers
    rows_of_cells: Codes  # (cells,): number of rows, after a pass

    def __init__(self, X: Any, cells: DeviceCells, weights: Any, multipliers: Any = None) -> None:
        self._X, self._weights, self._multipliers = readable(X), weights, multipliers
        with torch.cuda.device_of(X):
            self._groups = grouped(
                cells.tasks.values,
                cells.classes.values,
                *cells.shape,
                layout_of(SUMS, X.element_size()).chunk_rows,
                weights,
                (cells.tasks.lowest, cells.classes.lowest),
            )

    def some_rows(self) -> Any:
        """(cells, features): a row of each cell, zero where there is none."""
        with torch.cuda.device_of(self._X):
            kind = torch.float32 if self._X.dtype in _IN_SINGLE else torch.float64
            return some_rows(self._X, self._groups, kind)

    def around(self, reference: Any) -> tuple[CellMoments, bool]:
        """Moments from deviations from a reference, and whether it was near enough."""
        with torch.cuda.device_of(self._X):
            found = cell_totals(self._X, self._groups, reference, self._weights, self._multipliers)
        if found.hashes is not None:
            self.hashes, self._multipliers = found.hashes, None  # once is enough
        here = Packed.of(np.asarray(found.packed.cpu()), *reference.shape)
        self.rows_of_cells = here.n_rows.astype(np.intp)
        return CellMoments(here.weights, here.means, here.squares), not here.lost.any()

    def in_double(self, reference: NDArray[Any]) -> Any:
        """A reference on the device, in double precision."""
        return torch.from_numpy(reference.astype(np.float64)).to(self._X.device)
