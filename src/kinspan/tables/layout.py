"""The first file → its layout: names and order of features and kinds of ids, for all files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._validation.messages import near, some
from kinspan.tables import arrow
from kinspan.tables.arrow import BOOLEANS, INTEGERS, NOTHING, NUMBERS, TEXT, kind_of_type, pyarrow
from kinspan.tables.dialect import other_delimiter
from kinspan.tables.ids import other_kind
from kinspan.tables.request import Request
from kinspan.tables.strays import look
from kinspan.tables.table import OpenTable

_IDS = ("task", "label")
_LOOKED_AT_ONCE = 1 << 16  # rows


class FileLayout(NamedTuple):
    """What all files have in common."""

    first: str  # the file that it comes from
    features: tuple[str, ...] | None  # their names; None in matrices and columns of vectors
    columns: tuple[str, ...] | None  # features and the task column, in the order of the file
    kinds: dict[str, str]  # the kinds of tasks and labels
    left_out: dict[str, str]  # columns that are not features, and their types
    is_matrix: bool = False  # numbers only, without names

    @property
    def names(self) -> NDArray[Any] | None:
        """The names of the features as an array."""
        return None if self.features is None else np.array(self.features, dtype=object)


def table_layout(first: str, table: OpenTable, request: Request) -> FileLayout:
    """The layout of a table."""
    check_columns(table, request)
    roles = request.columns()
    kinds = {role: _kind(table, name, request) for role, name in roles.items() if role in _IDS}
    if isinstance(request.features, str):
        return FileLayout(first, None, None, kinds, {})
    others = [name for name in table.names if name not in roles.values()]
    if request.features is not None:
        task = (request.task,) if "task" in roles else ()
        return FileLayout(first, request.features, (*task, *request.features), kinds, {})
    features = tuple(name for name in others if _is_feature(table, name))
    if not features:
        raise ValueError(
            f"no column is numeric besides {some(list(roles.values()))}; columns are "
            f"{with_types(table, table.names)}"
        )
    chosen = {*features, roles.get("task")}
    columns = tuple(name for name in table.names if name in chosen)
    left_out = {name: str(table.types[name]) for name in others if name not in chosen}
    return FileLayout(first, features, columns, kinds, left_out)


def check_columns(table: OpenTable, request: Request) -> None:
    """Requested columns exist, once, and have types that can be read."""
    roles = request.columns()
    if len(table.types) < len(table.names):
        name, times = Counter(table.names).most_common(1)[0]
        raise ValueError(f"column {name!r} occurs {times} times")
    asked = [(f"{role}={name!r}", name) for role, name in roles.items()]
    features = request.features
    listed = (features,) if isinstance(features, str) else features or ()
    asked += [(f"the feature {name!r}", name) for name in listed]
    known = some(table.names, at_most=20)
    for what, name in asked:
        if name not in table.types:
            meant = _hint(table) or near(name, table.names)
            raise ValueError(f"{what} is not a column; there are {known}{meant}")
    if isinstance(features, str):
        if not arrow.is_vector(table.types[features]):
            raise ValueError(
                f"features={features!r} is one column of {table.types[features]}, and would have "
                f"to hold lists of numbers; name columns as a list, features=[{features!r}]"
            )
    else:
        _refuse_types(table, listed, "features", request)
    weights = [name for role, name in roles.items() if role == "sample_weight"]
    _refuse_types(table, weights, "weights", request)


def check_agrees(
    layout: FileLayout, table: OpenTable, request: Request, texts: Sequence[str] = ()
) -> None:
    """Another file has the same features and text columns, and ids of the same kind."""
    check_columns(table, request)
    if layout.features is not None:
        missing = [name for name in (*layout.features, *texts) if name not in table.types]
        if missing:
            raise ValueError(
                f"columns {some(missing)} are missing, which {layout.first} has; columns are "
                f"{some(table.names, at_most=20)}"
            )
        where = f" (as they are in {layout.first})"
        _refuse_types(table, layout.features, "features", request, where)
        if request.features is None:
            _refuse_more(layout, table, _more(layout, table, request))
    for role, name in request.columns().items():
        if role not in _IDS:
            continue
        found, kind = _kind(table, name, request), layout.kinds[role]
        if found not in _readable_as(kind, table):
            raise ValueError(other_kind(f"{role} column {name!r}", found, kind, layout.first))


def with_own_features(layout: FileLayout, table: OpenTable, request: Request) -> FileLayout:
    """The layout of another file, with the features that it has, in the order of the first."""
    if layout.features is None or request.features is not None:
        return layout
    check_columns(table, request)
    more = _more(layout, table, request)
    _refuse_more(layout, table, [name for name in more if name in layout.left_out])
    common = [name for name in layout.features if name in table.types]
    if not common:
        raise ValueError(
            f"none of the features of {layout.first} is there; name columns alike in all files. "
            f"Columns are {some(table.names, at_most=20)}"
        )
    return layout._replace(features=(*common, *more))


def text_types(layout: FileLayout, table: OpenTable, request: Request) -> dict[str, Any]:
    """The types that columns of a text file are read as."""
    if not table.is_text:
        return {}
    pa = pyarrow()
    known = {INTEGERS: pa.int64(), NUMBERS: pa.float64(), TEXT: pa.string(), BOOLEANS: pa.bool_()}
    is_bool = pa.types.is_boolean  # "true" is not a number yet
    types = {
        name: pa.bool_() if is_bool(table.types[name]) else pa.float64()
        for name in layout.features or ()
    }
    for role, name in request.columns().items():
        kind = layout.kinds.get(role, NUMBERS)
        if kind == INTEGERS and kind_of_type(table.types[name]) == NUMBERS:
            kind = NUMBERS  # 7.0, which is 7: programs write integers so where some are missing
        types[name] = known.get(kind, pa.string())
    return types


def _readable_as(kind: str, table: OpenTable) -> set[str]:
    """Kinds of columns that can be read as ids of a kind; in text files types are guesses."""
    readable = {kind, NOTHING}
    if kind in {INTEGERS, NUMBERS}:
        readable |= {INTEGERS, NUMBERS}
    if table.is_text and kind == TEXT:
        readable |= {INTEGERS, NUMBERS, BOOLEANS}
    if table.is_text and kind == BOOLEANS:
        readable |= {INTEGERS}
    return readable


def _kind(table: OpenTable, name: str, request: Request) -> str:
    """The kind of ids in a column."""
    if name in request.as_text:
        return TEXT
    kind = kind_of_type(table.types[name])
    if table.is_text:  # dates and times in a text file are text, as in pandas
        return kind if kind in {INTEGERS, NUMBERS, BOOLEANS, NOTHING} else TEXT
    if kind is None:
        raise ValueError(
            f"column {name!r} holds {table.types[name]}, which cannot be ids; use text or "
            f"integers, or try as_text=[{name!r}]"
        )
    return kind


def is_numeric(table: OpenTable, name: str) -> bool:
    """Numbers, or no values: there may be some in later rows."""
    kind = table.types[name]
    return arrow.is_number(kind) or kind_of_type(kind) == NOTHING


def _is_feature(table: OpenTable, name: str) -> bool:
    is_empty = kind_of_type(table.types[name]) == NOTHING and not table.is_text
    return name not in table.index_columns and is_numeric(table, name) and not is_empty


def _refuse_types(
    table: OpenTable, names: Sequence[str], what: str, request: Request, where: str = ""
) -> None:
    for name in names:
        if not is_numeric(table, name):
            strays = _strays(table, name, request)
            found = strays or f"column {name!r} holds {table.types[name]}, and {what} must be "
            way_out = "make such values missing" if strays else "convert the column"
            raise ValueError(
                f"{found}{'' if strays else 'numbers'}{where}; {way_out}, or name the columns to "
                "use with features=[…]"
            )


def _strays(table: OpenTable, name: str, request: Request) -> str | None:
    """What is wrong with a column of text of which most cells are numbers."""
    if not arrow.is_string(table.types[name]):
        return None
    batches = table.stream([name], {name: pyarrow().string()}, None, _LOOKED_AT_ONCE)
    return look(batches, [name], request.dialect)[0].fault


def _more(layout: FileLayout, table: OpenTable, request: Request) -> list[str]:
    """Features of another file that the first does not have."""
    known = {*(layout.features or ()), *request.columns().values()}
    return [name for name in table.names if name not in known and _is_feature(table, name)]


def _refuse_more(layout: FileLayout, table: OpenTable, more: list[str]) -> None:
    if more:
        other_type = layout.left_out.get(more[0])
        there = "" if other_type is None else f", where {more[0]!r} holds {other_type}"
        raise ValueError(
            f"numeric columns {with_types(table, more)} are not features of {layout.first}"
            f"{there}; name the columns to use with features=[…]"
        )


def with_types(table: OpenTable, names: list[str], at_most: int = 5) -> str:
    """The first few columns, with their types."""
    shown = ", ".join(f"{name!r} ({table.types[name]})" for name in names[:at_most])
    return shown if len(names) <= at_most else f"{shown}, … ({len(names)} in all)"


def _hint(table: OpenTable) -> str:
    """A text file with one column probably has another delimiter."""
    return other_delimiter(table.names[0]) if table.is_text and len(table.names) == 1 else ""
