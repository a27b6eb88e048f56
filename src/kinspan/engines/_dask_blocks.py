"""A dask collection and values of its rows → work on every block of rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

import dask.array as da
import dask.config
import numpy as np
from dask.base import is_dask_collection
from dask.utils import is_dataframe_like, is_series_like

from kinspan._rows import identifiers
from kinspan._validation.rows import is_single_id


def is_frame(X: Any) -> bool:
    """Whether X is a dask data frame rather than a dask array."""
    return bool(is_dask_collection(X) and is_dataframe_like(X))


def whole_rows(X: Any) -> Any:
    """X with blocks that contain all columns."""
    if is_frame(X):
        return X
    if not isinstance(X, da.Array):
        raise TypeError(
            f"X is of type {type(X).__name__}; pass a dask array or data frame, "
            "for rows in memory use the methods of the model"
        )
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; expected a 2D array, one row per sample")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})  # type: ignore[no-untyped-call]


def names_column(X: Any, value: Any) -> bool:
    """Whether an argument is the name of a column of X."""
    return is_frame(X) and is_one_id(value) and value in list(X.columns)


def is_one_id(value: Any) -> bool:
    """Whether an argument is one value for all rows, such as a tuple."""
    return value is not None and is_single_id(value, n_samples=-1)


def feature_columns(X: Any, *given: Any) -> Any:
    """An empty frame with the columns of X that no argument names."""
    return X._meta.drop(columns=[value for value in given if names_column(X, value)])


def by_block(
    work: Callable[..., Any],
    X: Any,
    given: dict[str, Any],
    *,
    meta: Any,
    **shared: Any,
) -> Any:
    """A lazy collection of `work(rows, **of these rows, **shared)` of every block of X.

    A given value is None, one id for all rows, the name of a column, which is removed from the
    rows, or one value per row. Work on an array returns two-dimensional blocks.
    """
    columns = {name: value for name, value in given.items() if names_column(X, value)}
    rest = {name: value for name, value in given.items() if name not in columns}
    same = {name: value for name, value in rest.items() if value is None or is_one_id(value)}
    cut = {name: _cut_like(X, value, name) for name, value in rest.items() if name not in same}
    on_block = partial(_on_block, work, tuple(cut), columns, same)
    if is_frame(X):
        return X.map_partitions(
            on_block, *cut.values(), meta=meta, enforce_metadata=False, **shared
        )
    with_indices = chain.from_iterable((values, "i") for values in cut.values())
    return da.blockwise(  # type: ignore[no-untyped-call]
        on_block,
        "ij",
        X,
        "ij",
        *with_indices,
        adjust_chunks={"j": meta.shape[1]},
        align_arrays=False,
        meta=meta,
        dtype=meta.dtype,
        **shared,
    )


def _on_block(
    work: Callable[..., Any],
    cut: tuple[str, ...],
    columns: dict[str, Any],
    same: dict[str, Any],
    X: Any,
    *values: Any,
    **shared: Any,
) -> Any:
    """The work of a worker on a block."""
    given = dict(zip(cut, values, strict=True))
    given |= {name: X[column] for name, column in columns.items()}
    for name, value in same.items():
        ids = None if value is None else identifiers.as_array([value])
        given[name] = None if ids is None else np.repeat(ids, X.shape[0])
    for name, part in given.items():
        if part is not None and len(part) != X.shape[0]:
            raise ValueError(
                f"a partition has {X.shape[0]} rows of X and {len(part)} of {name}; cut both alike"
            )
    rows = X.drop(columns=list(columns.values())) if columns else X
    return work(rows, **given, **shared)


def _cut_like(X: Any, values: Any, name: str) -> Any:
    """One value per row as a collection with the partitions of X."""
    values = _cut_like_frame(X, values, name) if is_frame(X) else _cut_like_array(X, values, name)
    if values.npartitions != X.npartitions:
        raise ValueError(
            f"{name} has {values.npartitions} partitions and X has {X.npartitions}, some of "
            f"unknown size; partition both alike, or make {name} a column of a data frame"
        )
    return values


def _cut_like_frame(X: Any, values: Any, name: str) -> Any:
    if is_dask_collection(values) and is_series_like(values):
        return values
    if not isinstance(values, da.Array):
        raise TypeError(
            f"{name} is of type {type(values).__name__}, but how many rows a partition of the data "
            f"frame X has is unknown; make {name} a column of X, or a dask series or array"
        )
    import dask.dataframe as dd  # noqa: PLC0415  # needs pandas

    with dask.config.set({"dataframe.convert-string": False}):  # ids may be any objects
        return dd.from_dask_array(values)


def _cut_like_array(X: Any, values: Any, name: str) -> Any:
    if is_dask_collection(values) and is_series_like(values):
        return values.map_partitions(np.asarray, meta=np.empty(0, object))
    if not isinstance(values, da.Array):
        array = identifiers.as_array(values)
        if array.ndim == 0:
            raise TypeError(f"{name} is of type {type(values).__name__}; pass one value per row")
        values = da.from_array(array, chunks=-1)  # type: ignore[no-untyped-call]
    if np.isnan(X.shape[0]) or np.isnan(values.shape[0]):
        return values
    if values.shape[0] != X.shape[0]:
        raise ValueError(
            f"{name} has {values.shape[0]} values for {X.shape[0]} rows; pass one per row"
        )
    return values.rechunk({0: X.chunks[0]})
