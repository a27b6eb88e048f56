"""Columns of text files without values in the first rows → the types that later rows give them."""

from __future__ import annotations

from collections.abc import Sequence

from kinspan.tables.arrow import NOTHING, kind_of_type, pyarrow
from kinspan.tables.dialect import Dialect
from kinspan.tables.kinds import as_in_a_file
from kinspan.tables.table import OpenTable


def without_values(table: OpenTable, names: Sequence[str]) -> list[str]:
    """Columns whose type is not known."""
    return [name for name in names if kind_of_type(table.types[name]) == NOTHING]


def with_late_types(table: OpenTable, names: Sequence[str], dialect: Dialect) -> OpenTable:
    """The table with types of columns that have their first value further below."""
    rest = without_values(table, names)
    if not table.is_text or not rest:
        return table
    pa, types = pyarrow(), dict(table.types)
    for batch in table.stream(rest, dict.fromkeys(rest, pa.string()), None, 0):
        found = {
            name: as_in_a_file(pa.chunked_array([batch.column(name)]), dialect).type
            for name in rest
        }
        # Truth is read as text: without a value in the first rows, a file is read as numbers.
        text = {name: pa.string() for name, kind in found.items() if pa.types.is_boolean(kind)}
        types |= found | text
        rest = [name for name in rest if pa.types.is_null(found[name])]
        if not rest:
            break
    return table._replace(types=types)
