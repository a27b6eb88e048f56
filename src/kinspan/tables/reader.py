"""Files and a recipe → chunks of the columns that the recipe names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from kinspan.tables.arrow import TEXT
from kinspan.tables.chunks import Chunk, chunks, open_table
from kinspan.tables.errors import naming_file
from kinspan.tables.lacking import without_lacking
from kinspan.tables.layout import FileLayout
from kinspan.tables.recipe import Recipe
from kinspan.tables.request import Request

BATCH_ROWS: int | None = None  # rows per chunk; None: as many as a request chooses


class Reader(NamedTuple):
    """How files are read."""

    recipe: Recipe
    roles: tuple[str, ...]  # which of task and label are needed
    first: str  # where the recipe comes from, for messages

    @property
    def request(self) -> Request:
        """The request for the columns of the recipe."""
        recipe = self.recipe
        names = {role: getattr(recipe, role) for role in self.roles}
        texts = (name for role, name in names.items() if recipe.kinds.get(role) == TEXT)
        as_text = frozenset(name for name in texts if name is not None)
        task, label = names.get("task"), names.get("label")
        places, how = (task, label, None, recipe.numeric), (as_text, recipe.dialect, BATCH_ROWS)
        return Request(*places, *how, recipe.unlabelled)

    @property
    def layout(self) -> FileLayout:
        """The layout that all files must have."""
        return FileLayout(self.first, self.recipe.numeric, None, self.recipe.kinds, {})

    def of_file(self, path: Path, may_lack: Collection[str] | None = None) -> Reader:
        """Without columns that the file lacks, and may lack; None: any."""
        with naming_file(path):
            names = open_table(path, self.recipe.dialect).names
            recipe = without_lacking(self.recipe, names, may_lack)
        return self._replace(recipe=recipe)

    def chunks(self, path: Path, *, unchanged: bool = False) -> Iterator[Chunk]:
        """The rows of a file, in their order."""
        texts, n_features = self.recipe.read_as_text, len(self.recipe.feature_names)
        with naming_file(path):
            yield from chunks(
                path,
                self.request,
                self.layout,
                texts=texts,
                n_features=n_features,
                unchanged=unchanged,
            )
