"""Files and a recipe → chunks of the columns that the recipe names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kinspan._validation.messages import some
from kinspan.tables.arrow import TEXT
from kinspan.tables.chunks import Chunk, chunks, open_table
from kinspan.tables.errors import naming_file
from kinspan.tables.layout import FileLayout, check_agrees
from kinspan.tables.recipe import Recipe
from kinspan.tables.request import Request

BATCH_ROWS: int | None = None  # rows per chunk; None: as many as a request chooses


class Reader(NamedTuple):
    """How files are read."""

    recipe: Recipe
    roles: tuple[str, ...]  # which of task and label are needed
    first: str  # where the recipe comes from, for messages
    delimiter: str | None = None

    @property
    def request(self) -> Request:
        """The request for the columns of the recipe."""
        recipe = self.recipe
        names = {role: getattr(recipe, role) for role in self.roles}
        texts = (name for role, name in names.items() if recipe.kinds.get(role) == TEXT)
        as_text = frozenset(name for name in texts if name is not None)
        task, label = names.get("task"), names.get("label")
        return Request(task, label, None, recipe.numeric, as_text, self.delimiter, BATCH_ROWS)

    @property
    def layout(self) -> FileLayout:
        """The layout that all files must have."""
        return FileLayout(self.first, self.recipe.numeric, None, self.recipe.kinds, {})

    def chunks(self, path: Path, *, unchanged: bool = False) -> Iterator[Chunk]:
        """The rows of a file, in their order."""
        recipe, request = self.recipe, self.request
        with naming_file(path):
            table = open_table(path, self.delimiter)
            missing = [name for name in recipe.categorical if name not in table.names]
            if missing:
                raise ValueError(
                    f"columns {some(missing)} are missing, which {self.first} has; there are "
                    f"{some(table.names, at_most=20)}"
                )
            check_agrees(self.layout, table, request)
            width = len(table.names) if unchanged else len(recipe.feature_names)
            yield from chunks(
                path,
                table,
                request,
                self.layout,
                width,
                texts=recipe.categorical,
                unchanged=unchanged,
            )
