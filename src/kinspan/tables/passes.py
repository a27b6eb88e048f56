"""All files → the categories of text columns, and the means that replace missing numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinspan.tables.encoding import encode_chunk, texts_of
from kinspan.tables.errors import FileError
from kinspan.tables.fills import ByTask, Fills, sums_of_present
from kinspan.tables.ids import CodedIds
from kinspan.tables.reader import Reader
from kinspan.tables.recipe import FeatureColumn, Recipe
from kinspan.tables.rows import FileRows
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


def with_categories(files: Sequence[Path], reader: Reader, advance: Advance) -> Recipe:
    """The recipe with the categories in the text columns of files."""
    recipe = reader.recipe
    found: dict[str, set[str]] = {name: set() for name in recipe.categorical}
    only_text = replace(recipe, columns=tuple(FeatureColumn(name, ()) for name in found))
    for path in files:
        for chunk in reader._replace(recipe=only_text, roles=()).chunks(path):
            for name, known in found.items():
                distinct, codes = texts_of(chunk.columns.column(name), chunk.is_text)
                known |= {distinct[code] for code in np.unique(codes[codes >= 0])}
                if len(known) > MOST_CATEGORIES:
                    raise FileError(
                        path,
                        f"column {name!r} has more than {MOST_CATEGORIES} categories, such as "
                        f"{min(known)!r}; leave it out with exclude=[{name!r}]",
                    )
            advance(chunk.columns.num_rows)
    empty = [name for name, known in found.items() if not known]
    if empty:
        raise ValueError(f"column {empty[0]!r} has no values; leave it out with exclude=[…]")
    categories = {name: tuple(sorted(known)) for name, known in found.items()}
    columns = (FeatureColumn(c.name, categories.get(c.name)) for c in recipe.columns)
    complete = replace(recipe, columns=tuple(columns))
    twice = [name for name, n in Counter(complete.feature_names).items() if n > 1]
    if twice:
        raise ValueError(f"two features are called {twice[0]!r}: rename the column of this name")
    return complete


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
