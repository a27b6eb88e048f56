"""A chunk of a table and a recipe → numbers and ids of its rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.exceptions import FileError
from kinspan.tables.arrow import NUMBERS, is_number, is_string, pyarrow
from kinspan.tables.chunks import Chunk
from kinspan.tables.dialect import Dialect
from kinspan.tables.ids import CodedIds, values_of_categories
from kinspan.tables.kinds import as_instants, without_empty_type
from kinspan.tables.reader import Reader
from kinspan.tables.recipe import FeatureColumn
from kinspan.tables.rows import FileRows, ids_of_chunk, numbers
from kinspan.tables.strays import fault_of
from kinspan.tables.tally import Tally

OF_FRAMES = "fit"  # the place of a recipe that was made from a frame
MICROSECONDS_PER_DAY = 86_400e6


class UsableRows(NamedTuple):
    """The rows of a chunk that can be used."""

    kept: Mask  # (rows of the chunk,): which rows these are
    rows: FileRows


def encode_chunk(chunk: Chunk, reader: Reader, tally: Tally) -> UsableRows:
    """Numbers and ids of the rows of a chunk; missing numbers are NaN."""
    recipe, request = reader.recipe, reader.request
    parts = [_features(chunk, column, recipe.dialect, tally) for column in recipe.columns]
    X = np.concatenate(parts, axis=1)
    needed = [name for role, name in request.columns().items() if role != "label"]
    lacking = {name: _is_missing(chunk, name) for name in needed}
    absent = np.logical_or.reduce([np.zeros(len(X), dtype=bool), *lacking.values()])
    missing = np.isnan(X)
    if recipe.missing == "error" and (absent.any() or missing.any()):
        raise FileError(chunk.path, _first_missing(chunk, reader, missing, lacking))
    kept = ~absent
    if recipe.missing == "drop":
        kept &= ~missing.any(axis=1)
    tally.rows += len(X)
    tally.dropped += len(X) - int(kept.sum())
    ids = (ids_of_chunk(chunk, role, request, reader.layout, kept) for role in ("task", "label"))
    task, label = ids
    if label is not None:
        tally.unlabelled += int((label.codes < 0).sum())
        if recipe.kinds["label"] == NUMBERS:
            _refuse_fractions(chunk, request.label, label)
    X = X[kept]
    # A text that is missing is a hole in every feature of its column, and one value.
    tally.filled += sum(int(np.isnan(part[kept, :1]).sum()) for part in parts)
    _refuse_infinite(chunk, reader, X, kept)
    return UsableRows(kept, FileRows(chunk.first_row, X, task, label, None))


def texts_of(column: Any, dialect: Dialect) -> tuple[list[str], Codes]:
    """Distinct texts of a column, and the code of every row; −1 where it is missing."""
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    column = values_of_categories(column) if pa.types.is_dictionary(column.type) else column
    texts = column.cast(pa.string()).combine_chunks()
    is_none = compute.is_in(texts, pa.array(dialect.missing_values or (), pa.string()))
    texts = compute.if_else(is_none, pa.scalar(None, pa.string()), texts)
    coded = texts.dictionary_encode()
    distinct = coded.dictionary.to_pylist()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    return distinct, codes


def _features(chunk: Chunk, column: FeatureColumn, dialect: Dialect, tally: Tally) -> Floats:
    """(rows, features of a column): NaN where a value is missing."""
    values = without_empty_type(chunk.columns.column(column.name))
    if column.is_date:
        return days_of(column.name, values, dialect)[:, None]
    if column.categories is None:
        return np.asarray(numbers(values), dtype=np.float64)[:, None]
    distinct, codes = texts_of(values, dialect)
    place = {category: j for j, category in enumerate(column.categories)}
    other = len(place)
    places = np.array([*(place.get(text, other) for text in distinct), other], dtype=np.intp)
    is_missing, which = codes < 0, places[codes]
    n_other = int(np.count_nonzero((which == other) & ~is_missing))
    if n_other and not column.has_rare:
        tally.unknown[column.name] += n_other
    one_hot = np.eye(other + 1, len(column.features))[which]
    one_hot[is_missing] = np.nan
    return one_hot


def days_of(name: str, column: Any, dialect: Dialect) -> Floats:
    """Dates and times as days since 1970, NaN where they are missing."""
    pa = pyarrow()
    is_text = is_string(column.type)
    if is_number(column.type):
        raise ValueError(
            f"column {name!r} holds dates in the fit, and {column.type} here; make dates of such "
            "numbers, or text such as 2024-05-01"
        )
    column = column.cast(pa.string()) if is_text else column
    try:
        instants = as_instants(column, dialect) if is_text else column.cast(pa.timestamp("us"))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        fault = fault_of(name, column, dialect) if is_text else None
        text = f"column {name!r} holds dates in the fit, and something else here: {error}"
        way_out = "or name the columns to use with features=[…]"
        raise ValueError(f"{fault or f'{text}; convert it'}, {way_out}") from None
    microseconds = instants.cast(pa.int64()).cast(pa.float64(), safe=False)
    return np.asarray(microseconds.to_numpy(), dtype=np.float64) / MICROSECONDS_PER_DAY


def _is_missing(chunk: Chunk, name: str) -> Mask:
    compute, column = pyarrow("pyarrow.compute"), chunk.columns.column(name)
    return np.asarray(compute.is_null(column, nan_is_null=True).to_numpy(), dtype=bool)


def _refuse_fractions(chunk: Chunk, name: str, label: CodedIds) -> None:
    ids = np.asarray(label.ids, dtype=np.float64)
    fractions = ids[ids != np.floor(ids)]
    if len(fractions):
        raise FileError(
            chunk.path,
            f"label column {name!r} holds numbers such as {fractions[0]:g}; it should hold "
            f"classes. If these are classes, use as_text=[{name!r}]",
        )


def _first_missing(chunk: Chunk, reader: Reader, missing: Mask, lacking: dict[str, Mask]) -> str:
    """Name the first missing value."""
    absent = {name: is_missing for name, is_missing in lacking.items() if is_missing.any()}
    row = int(np.flatnonzero(np.logical_or.reduce([missing.any(axis=1), *absent.values()]))[0])
    name = next((name for name, is_missing in absent.items() if is_missing[row]), None)
    is_of_frame = reader.first == OF_FRAMES  # which keeps all rows
    way_out = "drop such rows" if is_of_frame else "missing='drop' drops such rows"
    if name is None:
        name = _column_of(reader, int(np.flatnonzero(missing[row])[0]))
        way_out = "missing='keep' keeps NaN" if is_of_frame else way_out
        way_out = f"missing='mean' fills in what is expected, {way_out}"
    if reader.first == "the model":
        way_out = "the model fills in none; fit it with missing='mean', or drop such rows"
    return f"column {name!r} is missing in {_row(chunk, row)}; {way_out}"


def _refuse_infinite(chunk: Chunk, reader: Reader, X: Floats, kept: Mask) -> None:
    if not np.isinf(X).any():
        return
    row, feature = (int(place) for place in np.argwhere(np.isinf(X))[0])
    name = _column_of(reader, feature)
    where = _row(chunk, int(np.flatnonzero(kept)[row]))
    raise FileError(chunk.path, f"column {name!r} is {X[row, feature]} in {where}; correct it")


def _column_of(reader: Reader, feature: int) -> str:
    """The column from which a feature comes."""
    return [column.name for column in reader.recipe.columns for _ in column.features][feature]


def _row(chunk: Chunk, row: int) -> str:
    return f"row {chunk.first_row + row + 1:,} (the first is 1)"
