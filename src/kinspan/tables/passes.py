"""All files → the categories of text columns, and the means that replace missing numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinspan.tables.arrow import pyarrow
from kinspan.tables.encoding import encode_chunk, texts_of
from kinspan.tables.errors import FileError
from kinspan.tables.fills import ByTask, Fills, sums_of_present
from kinspan.tables.ids import CodedIds
from kinspan.tables.reader import Reader
from kinspan.tables.recipe import FeatureColumn, Recipe
from kinspan.tables.rows import FileRows
from kinspan.tables.strays import Cells
from kinspan.tables.tally import Advance, Tally

MOST_CATEGORIES = 200


def encoded_rows(
    files: Sequence[Path], reader: Reader, fills: Fills | None, tally: Tally, advance: Advance
) -> Iterator[FileRows]:
    """The usable rows of all files, in their order."""
    for path in files:
        for chunk in reader.chunks(path):
            rows = encode_chunk(chunk, reader, fills, tally).rows
            if len(rows.X):
                yield rows
            advance(chunk.columns.num_rows)


def with_categories(
    files: Sequence[Path], reader: Reader, as_text: Collection[str], advance: Advance
) -> Recipe:
    """The recipe with the categories in the text columns of files.

    Columns of text files that are numbers but for a few cells are refused, unless they are said to
    hold text.
    """
    recipe = reader.recipe
    cells = {name: Cells(name, recipe.dialect) for name in recipe.categorical}
    found: dict[str, set[str]] = {name: set() for name in recipe.categorical}
    only_text = replace(recipe, columns=tuple(FeatureColumn(name, ()) for name in found))
    for path in files:
        for chunk in reader._replace(recipe=only_text, roles=()).chunks(path):
            for name, known in found.items():
                column = chunk.columns.column(name)
                if chunk.is_text and name not in as_text:
                    cells[name].add(column.cast(pyarrow().string()))
                if len(known) <= MOST_CATEGORIES:
                    known.update(texts_of(column)[0])
                if len(known) > MOST_CATEGORIES and cells[name].refusal is None:
                    raise FileError(path, _too_many(name, known))
            advance(chunk.columns.num_rows)
    for name, known in found.items():
        refusal = cells[name].refusal
        if refusal is not None:
            raise FileError(files[0], refusal) if len(files) == 1 else ValueError(refusal)
        if not known:
            raise ValueError(f"column {name!r} has no values; leave it out with exclude=[…]")
    categories = {name: tuple(sorted(known)) for name, known in found.items()}
    columns = (FeatureColumn(c.name, categories.get(c.name)) for c in recipe.columns)
    complete = replace(recipe, columns=tuple(columns))
    twice = [name for name, n in Counter(complete.feature_names).items() if n > 1]
    if twice:
        raise ValueError(f"two features are called {twice[0]!r}: rename the column of this name")
    return complete


def _too_many(name: str, known: set[str]) -> str:
    return (
        f"column {name!r} has more than {MOST_CATEGORIES} categories, such as {min(known)!r}; "
        f"leave it out with exclude=[{name!r}]"
    )


def means_of(files: Sequence[Path], reader: Reader, advance: Advance) -> Fills:
    """The mean of every feature in every task."""
    total: ByTask | None = None
    for rows in encoded_rows(files, reader, None, Tally(), advance):
        task = CodedIds.constant(0, len(rows.X)) if rows.task is None else rows.task
        part = sums_of_present(rows.X, task)
        total = part if total is None else total + part
    if total is None:
        raise ValueError("no row has a task and a label")
    fills = Fills.of_sums(total)
    empty = np.isnan(fills.means[-1])
    if empty.any():
        name = reader.recipe.feature_names[int(np.flatnonzero(empty)[0])]
        raise ValueError(
            f"column {name!r} has no values to take the mean of; use exclude=[{name!r}]"
        )
    return fills
