"""A chunk of a table and a recipe → numbers and ids of its rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.cli.output import number
from kinspan.cli.table.fills import Fills
from kinspan.cli.table.reader import Chunk, Reader
from kinspan.cli.table.recipe import FeatureColumn
from kinspan.engines.files._arrow import NUMBERS, TEXT, pyarrow
from kinspan.engines.files._encoded import Encoded, as_kind, refuse_lines
from kinspan.engines.files._reading import FileError
from kinspan.engines.files._rows import ids_of_column


class TableRows(NamedTuple):
    """The rows of a chunk that can be used."""

    kept: Mask  # (rows of the chunk,): which these are
    X: Floats  # (rows, features)
    task: Encoded | None
    label: Encoded | None


@dataclass
class Tally:
    """What is worth saying of the rows that were read."""

    rows: int = 0
    dropped: int = 0  # rows without a value that is needed
    filled: int = 0  # values that took the place of missing ones
    unknown: Counter[str] = field(default_factory=Counter)  # rows with a new category, by column

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Tally:
        """What was worth saying of rows that were read before."""
        unknown = Counter({str(name): int(n) for name, n in stored["unknown"].items()})
        rows, dropped, filled = (int(stored[name]) for name in ("rows", "dropped", "filled"))
        return cls(rows, dropped, filled, unknown)

    def notes(self) -> list[str]:
        """Sentences."""
        said = []
        if self.dropped:
            said.append(
                f"{self.dropped:,} of {number(self.rows, 'row')} dropped: a value is missing"
            )
        if self.filled:
            said.append(f"{number(self.filled, 'missing value')} filled in with means of tasks")
        for name, n in self.unknown.items():
            said.append(f"unknown category of {name!r} in {number(n, 'row')}: it counts as none")
        return said


def encoded(chunk: Chunk, reader: Reader, fills: Fills | None, tally: Tally) -> TableRows:
    """Numbers and ids of the rows of a chunk, and which rows of it they are."""
    recipe = reader.recipe
    blocks = [_features(chunk, column, tally) for column in recipe.columns]
    X = np.concatenate(blocks, axis=1)
    absent = _without_ids(chunk, reader)
    missing = np.isnan(X)
    if recipe.missing == "error":
        _refuse_missing(chunk, reader, missing, absent)
    kept = ~absent
    if recipe.missing == "drop":
        kept &= ~missing.any(axis=1)
    tally.rows += len(X)
    tally.dropped += len(X) - int(kept.sum())
    task, label = (_ids(chunk, reader, role, kept) for role in ("task", "label"))
    X, missing = X[kept], missing[kept]
    if fills is not None and missing.any():
        tally.filled += int(missing.sum())
        fills.fill(X, missing, task)
    if recipe.missing != "mean" or fills is not None:  # else means are still to be found
        _refuse_infinite(chunk, reader, X, kept)
    return TableRows(kept, X, task, label)


def texts_of(column: Any, is_text: bool) -> tuple[list[str], Codes]:
    """Distinct texts of a column, and which of them every row has; −1 where it is missing."""
    pa = pyarrow()
    coded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    distinct = coded.dictionary.to_pylist()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    if is_text and "" in distinct:
        codes[codes == distinct.index("")] = -1
    return distinct, codes


def _features(chunk: Chunk, column: FeatureColumn, tally: Tally) -> Floats:
    """(rows, features of a column): NaN where it is missing."""
    values = chunk.columns.column(column.name)
    if column.categories is None:
        numbers = values.cast(pyarrow().float64(), safe=False).to_numpy()
        return np.asarray(numbers, dtype=np.float64)[:, None]
    distinct, codes = texts_of(values, chunk.is_text)
    place = {category: j for j, category in enumerate(column.categories)}
    unknown = len(place)
    places = np.array([*(place.get(text, unknown) for text in distinct), unknown], dtype=np.intp)
    is_missing, which = codes < 0, places[codes]
    n_unknown = int(np.count_nonzero((which == unknown) & ~is_missing))
    if n_unknown:
        tally.unknown[column.name] += n_unknown
    one_hot = np.eye(unknown + 1, unknown)[which]
    one_hot[is_missing] = np.nan
    return one_hot


def _without_ids(chunk: Chunk, reader: Reader) -> Mask:
    absent = np.zeros(chunk.columns.num_rows, dtype=bool)
    for name in reader.request.columns().values():
        absent |= _is_missing(chunk, name)
    return absent


def _is_missing(chunk: Chunk, name: str) -> Mask:
    compute, column = pyarrow("pyarrow.compute"), chunk.columns.column(name)
    missing = compute.is_null(column, nan_is_null=True)
    if chunk.is_text and pyarrow().types.is_string(column.type):
        missing = compute.or_(missing, compute.equal(column, ""))
    return np.asarray(missing.to_numpy(), dtype=bool)


def _ids(chunk: Chunk, reader: Reader, role: str, kept: Mask) -> Encoded | None:
    name = reader.request.columns().get(role)
    if name is None:
        return None
    column = chunk.columns.column(name)
    if not kept.all():
        column = column.filter(pyarrow().array(kept))
    kind = reader.recipe.kinds[role]
    found = ids_of_column(column, kind == TEXT)
    if not kept.any():
        return found
    if chunk.is_text:
        refuse_lines(found, f"{role} column {name!r}")
    found = as_kind(found, kind, f"{role} column {name!r}", reader.first)
    if role == "label" and kind == NUMBERS:
        _refuse_fractions(chunk, name, found)
    return found


def _refuse_fractions(chunk: Chunk, name: str, found: Encoded) -> None:
    ids = np.asarray(found.ids, dtype=np.float64)
    if (ids != np.floor(ids)).any():
        value = ids[ids != np.floor(ids)][0]
        raise FileError(
            chunk.path,
            f"label column {name!r} holds numbers such as {value:g}; it should hold classes. If "
            f"these are classes, use --as-text {name}",
        )


def _refuse_missing(chunk: Chunk, reader: Reader, missing: Mask, absent: Mask) -> None:
    if not (absent.any() or missing.any()):
        return
    row = int(np.flatnonzero(absent | missing.any(axis=1))[0])
    names = [*reader.request.columns().values()]
    if absent[row]:
        name = next(name for name in names if _is_missing(chunk, name)[row])
        way_out = "--missing drop drops such rows"
    else:
        name = _column_of(reader, int(np.flatnonzero(missing[row])[0]))
        way_out = "--missing mean fills in the mean of the task, --missing drop drops such rows"
    if reader.first == "the model":
        way_out = "the model was fitted with --missing error; fit it with --missing mean or drop"
    raise FileError(chunk.path, f"column {name!r} is missing in {_row(chunk, row)}; {way_out}")


def _refuse_infinite(chunk: Chunk, reader: Reader, X: Floats, kept: Mask) -> None:
    if np.isfinite(X).all():
        return
    row, feature = (int(place) for place in np.argwhere(~np.isfinite(X))[0])
    name = _column_of(reader, feature)
    where = _row(chunk, int(np.flatnonzero(kept)[row]))
    raise FileError(chunk.path, f"column {name!r} is {X[row, feature]} in {where}; correct it")


def _column_of(reader: Reader, feature: int) -> str:
    """The column that a feature comes from."""
    names = [column.name for column in reader.recipe.columns for _ in column.features]
    return names[feature]


def _row(chunk: Chunk, row: int) -> str:
    return f"row {chunk.first_row + row + 1:,} (the first is 1)"
