"""Errors of conversion to numbers → errors that name the column and what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from kinspan._arrays.frames import frame_of
from kinspan._validation.messages import naming


@contextmanager
def naming_columns(X: Any) -> Iterator[None]:
    """Name X in errors, and the first column that cannot be numbers if that is the reason."""
    try:
        with naming("X"):
            yield
    except (ValueError, TypeError) as error:
        found = _first_text(X)
        if found is None:
            raise
        column, value = found
        if isinstance(value, (list, np.ndarray)):
            raise type(error)(
                f"X contains a {type(value).__name__} in every cell of column {column!r}; make a "
                f"column of each of its numbers, all of them with np.stack(X[{column!r}])"
            ) from error
        reason = str(error).removeprefix("X: ").partition("\n")[0]
        reason = "" if "DType" in reason else f": {reason}"  # of numpy, about dates
        raise type(error)(
            f"X contains {_shown(value)} in column {column!r}{reason}; make numbers of text and "
            "dates with kinspan.tables.TableEncoder, or drop the column"
        ) from error


def numeric(features: Any) -> Any:
    """Features that scikit-learn leaves as they are, of some frames, as numbers."""
    return features if features.dtype.kind in "biuf" else features.astype(np.float64)


def _first_text(X: Any) -> tuple[Any, Any] | None:
    """The first column with a value that is no number, and the value."""
    for name, values in _columns(X):
        if values.dtype.kind in "biufc":
            continue
        if values.dtype.kind in "mM":
            return name, values[0]
        for value in values.tolist():
            if not _is_number(value):
                return name, value
    return None


def _columns(X: Any) -> Iterator[tuple[Any, Any]]:
    """Names, or positions, and values of columns."""
    frame = frame_of(X)
    if frame is not None:
        yield from ((name, np.asarray(frame.get_column(name).to_numpy())) for name in frame.columns)
        return
    try:
        table = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
    except (ValueError, TypeError):  # rows of different lengths, or something else
        return
    if table.ndim == 2:
        yield from ((j, table[:, j]) for j in range(table.shape[1]))


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (ValueError, TypeError):
        return value is None
    return not isinstance(value, bytes)


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} " * (not isinstance(value, str)) + text[:60]
