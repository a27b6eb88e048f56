"""The head of the first file and what was asked for → a recipe, still without categories."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from kinspan._validation.messages import some
from kinspan.cli.table.recipe import FeatureColumn, Recipe
from kinspan.engines.files._arrow import NOTHING, TEXT, is_number, kind_of_ids
from kinspan.engines.files._layout import table_layout
from kinspan.engines.files._reading import naming
from kinspan.engines.files._request import Request
from kinspan.engines.files._tables import Table, open_table


class Wishes(NamedTuple):
    """What was asked for."""

    task: str | None
    label: str
    features: Sequence[str] = ()  # names and patterns; none: all columns but task and label
    exclude: Sequence[str] = ()
    categorical: str = "error"
    missing: str = "error"
    as_text: Sequence[str] = ()  # columns that hold text, whatever it looks like
    delimiter: str | None = None

    def request(self, numeric: tuple[str, ...] = ()) -> Request:
        """The same in the words of the reader of files."""
        ids = frozenset({self.task or "", self.label} & set(self.as_text))
        return Request(self.task, self.label, None, numeric, ids, self.delimiter, None)


def drafted(files: Sequence[Path], wishes: Wishes) -> Recipe:
    """The recipe by the first file that has rows; categories are still to be found."""
    for path in files:
        with naming(path):
            table = open_table(path, wishes.request())
            columns = _columns(table, wishes)
            numeric = tuple(column.name for column in columns if column.categories is None)
            layout = table_layout(str(path), table, wishes.request(numeric))
        if NOTHING not in layout.kinds.values():
            return Recipe(columns, wishes.task, wishes.label, layout.kinds, wishes.missing)
    named = " or ".join(repr(name) for name in (wishes.task, wishes.label) if name is not None)
    raise ValueError(f"{some([str(path) for path in files])}: no row has a value in {named}")


def _columns(table: Table, wishes: Wishes) -> tuple[FeatureColumn, ...]:
    _check_named(table, wishes)
    names = _chosen(table, wishes)
    texts = [name for name in names if _is_text(table, name, wishes)]
    others = [name for name in names if name not in texts and not _is_numeric(table, name)]
    if texts and wishes.categorical == "error":
        raise ValueError(
            f"columns {_typed(table, names, [*texts, *others])} are not numeric; make features of "
            "text with --categorical encode, or leave columns out with --exclude"
        )
    if others:
        raise ValueError(
            f"columns {_typed(table, names, others)} are neither numbers nor text; leave them out "
            "with --exclude, or convert them"
        )
    return tuple(FeatureColumn(name, () if name in texts else None) for name in names)


def _check_named(table: Table, wishes: Wishes) -> None:
    asked = {"--task": wishes.task, "--label": wishes.label}
    named = [(option, name) for option, name in asked.items() if name is not None]
    for option, name in [*named, *(("--as-text", name) for name in wishes.as_text)]:
        if name not in table.names:
            hint = "" if len(table.names) > 1 else "; is there another --delimiter?"
            raise ValueError(f"{option} {name}: no such column; there are {_all(table)}{hint}")


def _chosen(table: Table, wishes: Wishes) -> list[str]:
    """Columns in the order in which they are named, those of a pattern in that of the file."""
    roles = {wishes.task, wishes.label}
    usual = [name for name in table.names if name not in table.aside and name not in roles]
    wanted = usual
    if wishes.features:
        found = (_matching(table, pattern, "--features") for pattern in wishes.features)
        wanted = [name for names in found for name in dict.fromkeys(names) if name not in roles]
    left_out = [name for p in wishes.exclude for name in _matching(table, p, "--exclude")]
    names = [name for name in dict.fromkeys(wanted) if name not in left_out]
    if not names:
        raise ValueError(f"no column is left as a feature; there are {_all(table)}")
    return names


def _matching(table: Table, pattern: str, option: str) -> list[str]:
    if pattern in table.names:
        return [pattern]
    found = [name for name in table.names if fnmatchcase(name, pattern)]
    if not found:
        raise ValueError(f"{option} {pattern}: no such column; there are {_all(table)}")
    return found


def _is_text(table: Table, name: str, wishes: Wishes) -> bool:
    return name in wishes.as_text or kind_of_ids(table.types[name]) == TEXT


def _is_numeric(table: Table, name: str) -> bool:
    """A column without values in the first rows of a text file may have some later."""
    kind = table.types[name]
    return is_number(kind) or (table.is_text and kind_of_ids(kind) == NOTHING)


def _typed(table: Table, order: list[str], names: list[str]) -> str:
    shown = [f"{name!r} ({table.types[name]})" for name in order if name in names]
    return ", ".join(shown[:10]) + (f", … ({len(shown)} in all)" if len(shown) > 10 else "")


def _all(table: Table) -> str:
    return some(table.names, at_most=20)
