"""All files → the categories of their text columns, and their rows as numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from kinspan.tables.categories import FoundCategories
from kinspan.tables.encoding import encode_chunk
from kinspan.tables.errors import naming_file
from kinspan.tables.reader import Reader
from kinspan.tables.recipe import Recipe
from kinspan.tables.rows import FileRows
from kinspan.tables.tally import Advance, Tally


def encoded_rows(
    files: Sequence[Path], reader: Reader, tally: Tally, advance: Advance
) -> Iterator[FileRows]:
    """The usable rows of all files, in their order; missing numbers are NaN."""
    for path in files:
        for chunk in reader.chunks(path):
            with naming_file(path):
                rows = encode_chunk(chunk, reader, tally).rows
            if len(rows.X):
                yield rows
            advance(chunk.columns.num_rows)


def read_categories(
    files: Sequence[Path], reader: Reader, as_text: Collection[str], rare: int, advance: Advance
) -> Recipe:
    """The recipe with the categories in the text columns of files."""
    found = FoundCategories(reader.recipe, as_text, rare)
    for path in files:
        recipe = reader.of_file(path).recipe if reader.recipe.missing == "mean" else reader.recipe
        only_text = reader._replace(recipe=recipe.only(recipe.categorical), roles=())
        with naming_file(path):
            for chunk in only_text.chunks(path) if recipe.categorical else ():
                found.add(chunk)
                advance(chunk.columns.num_rows)
    with naming_file(files[0]) if len(files) == 1 else nullcontext():
        return found.recipe()
