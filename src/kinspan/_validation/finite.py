"""Sums and scores of rows that are no numbers → errors that name the column, or holes to fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._arrays.elsewhere import all_finite, is_elsewhere, on_host
from kinspan._arrays.libraries import is_sparse
from kinspan._rows.holes import has_holes
from kinspan._rows.types import Floats


def check_finite(
    scores: Floats, X: Any, names: NDArray[Any] | None, *, allows_holes: bool = False
) -> Floats:
    """Scores of rows; NaN and infinity in X show in them, except for holes that were filled."""
    if not all_finite(scores):
        refuse_non_finite(X, names, allows_holes=allows_holes)
    return scores


def check_may_have_holes(X: Any, names: NDArray[Any] | None, missing: str) -> None:
    """Rows in memory may lack values, where these are filled in."""
    if missing != "impute" or is_elsewhere(X) or not has_holes(X):
        refuse_non_finite(X, names)


def refuse_non_finite(X: Any, names: NDArray[Any] | None, *, allows_holes: bool = False) -> None:
    """Name the first column with NaN or infinity, and in how many rows it has them."""
    stored = sp.csc_array(X) if is_sparse(X) else None
    largest, where = 0.0, 0
    for column in range(X.shape[1]):
        if is_elsewhere(X):
            values = on_host(X.array[:, column])
        elif stored is None:
            values = X[:, column]
        else:
            values = stored.data[stored.indptr[column] : stored.indptr[column + 1]]
        if allows_holes:
            values = values[~np.isnan(values)]
        size = float(np.abs(values).max(initial=0.0))
        largest, where = max((largest, where), (size, column))
        n_bad = int(np.count_nonzero(~np.isfinite(values)))
        if n_bad:
            has_nan = bool(np.isnan(values).any())
            name = column if names is None else repr(names[column])
            raise ValueError(
                f"X contains {'NaN' if has_nan else 'infinity'} in column {name}, in {n_bad} of "
                f"{X.shape[0]} rows (the first such column); {_way_out(X, has_nan)}"
            )
    raise ValueError(
        f"X contains values so large that their squares overflow, up to {largest:.3g} in column "
        f"{where if names is None else repr(names[where])}; divide X by a constant"
    )


def _way_out(X: Any, has_nan: bool) -> str:
    if not has_nan:
        return "correct the values, or drop those rows"
    if is_elsewhere(X):
        return "missing values are filled in for rows in memory only: pass a NumPy array"
    return "impute the values (MultiTaskSPCA(missing='impute') does), or drop those rows"
