"""sample_weight → frequencies of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinspan._arrays.elsewhere import DeviceColumn, column_of_rows
from kinspan._arrays.libraries import namespace, widest_float
from kinspan._rows.types import Codes, Floats, Moments, SampledRows
from kinspan._validation.in_order import in_order
from kinspan._validation.masks import unmasked_numbers
from kinspan._validation.messages import ALL_ZERO, MOST_ROWS, NOT_FREQUENCIES, TOO_MANY, of_length
from kinspan._validation.numbers import real_numbers


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> Any:
    """Frequency weights as finite non-negative doubles, on the device they are on, or None."""
    if sample_weight is None:
        return None
    column = unmasked_numbers(column_of_rows(in_order(sample_weight, "sample_weight")))
    if isinstance(column, DeviceColumn):
        of_length(column, n_samples, "sample_weight")
        xp = namespace(column.array)
        weights = xp.astype(column.array, widest_float(column.array))
    else:
        xp, weights = np, real_numbers("sample_weight", column)
        weights = np.full(n_samples, weights) if weights.ndim == 0 else weights
        if weights.ndim != 1:
            raise ValueError(
                f"sample_weight has shape {weights.shape}; it must be 1D, one weight per row"
            )
        of_length(weights, n_samples, "sample_weight")
    if not bool(xp.all(xp.isfinite(weights) & (weights >= 0))):
        raise ValueError(NOT_FREQUENCIES)
    if not bool(xp.any(weights > 0)):
        raise ValueError(ALL_ZERO)
    if bool(xp.any(weights > MOST_ROWS)):
        raise ValueError(TOO_MANY)
    return DeviceColumn(weights) if isinstance(column, DeviceColumn) else weights


def check_weights_of_cells(weights: Floats, cells: Codes, n_cells: int) -> None:
    """Weights are numbers of rows: those of many rows cannot add up to one or two."""
    total = np.bincount(cells, weights, minlength=n_cells).astype(np.float64)
    check_totals_of_cells(total, np.bincount(cells, weights > 0, minlength=n_cells))


def check_frequencies(moments: Moments, sample: SampledRows | None) -> None:
    """The same for sums of weights; the number of sampled rows is a lower bound on that of rows.

    Without a sample, a class of a task that counts less than one row is refused.
    """
    if moments.squared_weights is not None:
        return  # rows have faded
    counts, rows = moments.counts, np.ones(moments.counts.shape)
    few = (counts > 0) & (counts < 1 - 1e-9)
    if sample is not None:
        sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
        number = np.bincount(sample.cells, minlength=counts.size)
        rows = number.astype(np.float64).reshape(counts.shape)
        few = (counts < 2) & (counts < rows / 2)
    if few.any():
        task, label = (int(place) for place in np.argwhere(few)[0])
        raise ValueError(
            f"sample_weight adds up to {counts[task, label]:.3g} over {rows[task, label]:g} rows "
            f"or more of task {moments.tasks.tolist()[task]!r}, class "
            f"{moments.classes.tolist()[label]!r}; weights are frequencies: multiply them so "
            "that they count rows"
        )


def check_totals_of_cells(total: Floats, rows: NDArray[Any]) -> None:
    """The same for sums of the weights of cells, and their numbers of rows."""
    if ((total < 2) & (total < rows / 2)).any():
        cell = int(np.flatnonzero((total < 2) & (total < rows / 2))[0])
        raise ValueError(
            f"sample_weight adds up to {total[cell]:.3g} over {int(rows[cell])} rows of one class "
            "of a task; weights are frequencies: multiply them so that they count rows"
        )
