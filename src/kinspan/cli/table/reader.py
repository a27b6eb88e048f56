"""Files → chunks of the columns that a recipe names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kinspan._validation.messages import some
from kinspan.cli.table.recipe import Recipe
from kinspan.engines.files._arrow import TEXT, pyarrow
from kinspan.engines.files._layout import Layout, check_agrees, text_types
from kinspan.engines.files._reading import n_rows_of, naming
from kinspan.engines.files._request import Request
from kinspan.engines.files._rows import regrouped
from kinspan.engines.files._tables import Table, open_table

BATCH_ROWS: int | None = None  # rows read at once; None: about 32 MB of numbers


class Chunk(NamedTuple):
    """Some rows of a file."""

    path: Path
    first_row: int  # the place of the first in its file, from 0
    columns: Any  # pyarrow table of what the recipe names
    kept: Any  # pyarrow table of all columns, text files as they are written; None: not asked for
    is_text: bool  # whether an empty cell is all that a missing text leaves

    @property
    def names(self) -> set[str]:
        """The columns that the recipe names."""
        return set(self.columns.column_names)


class Reader(NamedTuple):
    """How files are read."""

    recipe: Recipe
    roles: tuple[str, ...]  # which of task and label are needed
    first: str  # what the recipe comes from, for messages
    delimiter: str | None = None

    @property
    def request(self) -> Request:
        """The columns in the words of the reader of files."""
        recipe = self.recipe
        task, label = (getattr(recipe, r) if r in self.roles else None for r in ("task", "label"))
        kinds = {"task": task, "label": label}
        as_text = (name for role, name in kinds.items() if recipe.kinds.get(role) == TEXT)
        texts = frozenset(name for name in as_text if name is not None)
        return Request(task, label, None, recipe.numeric, texts, self.delimiter, BATCH_ROWS)

    def chunks(self, path: Path, *, keep: bool = False) -> Iterator[Chunk]:
        """The rows of a file, in their order."""
        with naming(path):
            table = open_table(path, self.request)
            self._check(table)
            yield from self._chunks(path, table, keep)

    def _check(self, table: Table) -> None:
        recipe, request = self.recipe, self.request
        layout = Layout(self.first, recipe.numeric, None, recipe.kinds, {})
        missing = [name for name in recipe.categorical if name not in table.names]
        if missing:
            raise ValueError(
                f"columns {some(missing)} are missing, which {self.first} has; there are "
                f"{some(table.names, at_most=20)}"
            )
        check_agrees(layout, table, request)

    def _chunks(self, path: Path, table: Table, keep: bool) -> Iterator[Chunk]:
        recipe, request = self.recipe, self.request
        roles = list(request.columns().values())
        names = list(dict.fromkeys([*recipe.numeric, *recipe.categorical, *roles]))
        layout = Layout(self.first, recipe.numeric, None, recipe.kinds, {})
        texts = dict.fromkeys(recipe.categorical, pyarrow().string())
        at_once = request.rows_at_once(len(table.names) if keep else len(recipe.feature_names))
        if keep and not table.is_text:
            pairs: Iterator[Any] = ((c, c) for c in _streamed(table, table.names, {}, at_once))
        else:
            needed = _streamed(
                table, names, {**text_types(layout, table, request), **texts}, at_once
            )
            pairs = zip(needed, _as_written(table, at_once) if keep else _nothing(), strict=keep)
        first_row = 0
        for columns, kept in pairs:
            yield Chunk(path, first_row, columns, kept, table.is_text)
            first_row += columns.num_rows


def _streamed(table: Table, names: list[str], types: dict[str, Any], at_once: int) -> Iterator[Any]:
    return regrouped(table.stream(names, types, None, at_once), at_once)


def _as_written(table: Table, at_once: int) -> Iterator[Any]:
    """All columns of a text file as text: 007 stays 007."""
    types = dict.fromkeys(table.names, pyarrow().string())
    return _streamed(table, table.names, types, at_once)


def _nothing() -> Iterator[None]:
    while True:
        yield None


def rows_known(files: Sequence[Path]) -> int | None:
    """Rows of all files, where all say how many they have."""
    numbers = [n_rows_of(path) for path in files]
    return None if None in numbers else sum(n or 0 for n in numbers)
