"""All rows of files → categories, means to fill in, and statistics; a pass over the rows each."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._memory.cutoff import hopeful
from kinspan._memory.statistics import Pile, Statistics, piled, total
from kinspan.cli.table.encoding import TableRows, Tally, encoded, texts_of
from kinspan.cli.table.fills import ByTask, Fills, sums_of_present
from kinspan.cli.table.reader import Reader
from kinspan.cli.table.recipe import FeatureColumn, Recipe
from kinspan.engines.files._checkpoint import Checkpoint, Finished
from kinspan.engines.files._encoded import Encoded
from kinspan.engines.files._reading import FileError
from kinspan.engines.files._report import ReadFile
from kinspan.engines.files._rows import Rows
from kinspan.engines.files._sums import statistics_of

Moved = Callable[[int], Any]  # told how many rows were read
MOST_CATEGORIES = 200


class Learnt(NamedTuple):
    """Everything that a fit needs."""

    statistics: Statistics
    tally: Tally


def with_categories(recipe: Recipe, files: Sequence[Path], reader: Reader, moved: Moved) -> Recipe:
    """The recipe with the categories that the text columns of files have."""
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
                        f"{min(known)!r}; leave it out with --exclude {name}",
                    )
            moved(chunk.columns.num_rows)
    empty = [name for name, known in found.items() if not known]
    if empty:
        raise ValueError(f"column {empty[0]!r} has no values; leave it out with --exclude")
    known_to_all = replace(recipe, columns=tuple(_known(c, found) for c in recipe.columns))
    _refuse_twice(known_to_all.feature_names)
    return known_to_all


def _refuse_twice(names: Sequence[str]) -> None:
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise ValueError(f"two features are called {twice[0]!r}: rename the column of this name")


def _known(column: FeatureColumn, found: dict[str, set[str]]) -> FeatureColumn:
    if column.categories is None:
        return column
    return FeatureColumn(column.name, tuple(sorted(found[column.name])))


def means_of(files: Sequence[Path], reader: Reader, moved: Moved) -> Fills:
    """The mean of every feature in every task."""
    found: ByTask | None = None
    for rows in _rows(files, reader, None, Tally(), moved):
        if len(rows.X):
            part = sums_of_present(rows.X, _task(rows))
            found = part if found is None else found + part
    if found is None:
        raise ValueError("no row has a task and a label")
    fills = Fills.of_sums(found)
    empty = np.isnan(fills.means[-1])
    if empty.any():
        name = reader.recipe.feature_names[int(np.flatnonzero(empty)[0])]
        raise ValueError(f"column {name!r} has no values to take the mean of; use --exclude {name}")
    return fills


def learnt(
    files: Sequence[Path],
    reader: Reader,
    fills: Fills | None,
    row_sample: int,
    moved: Moved,
    checkpoint: str | None = None,
) -> Learnt:
    """The statistics of all rows; those of finished files may be kept meanwhile."""
    names = np.array(reader.recipe.feature_names, dtype=object)
    kept = Checkpoint(checkpoint, files, _asked(reader, fills, row_sample))
    done = kept.begun()
    tally = Tally() if done.notes is None else Tally.of_json(done.notes)
    moved(tally.rows)
    pile = done.pile
    try:
        for path in files[done.n_files :]:
            for rows in _rows([path], reader, fills, tally, moved):
                pile = _with(pile, rows, row_sample, names)
            done = Finished(pile, [*done.read, ReadFile(path, 0)], [], asdict(tally))
            kept.keep(done)
    except BaseException:
        kept.write(done)
        raise
    if not pile:
        raise ValueError(
            f"no row can be learnt from: {tally.dropped:,} of {tally.rows:,} lack a "
            "value; --missing mean fills in what is missing among the features"
        )
    return Learnt(replace(total(pile), feature_names=tuple(names.tolist())), tally)


def _with(pile: Pile, rows: TableRows, row_sample: int, names: NDArray[Any]) -> Pile:
    """Some rows more."""
    if not len(rows.X):
        return pile
    found = statistics_of(Rows(0, rows.X, _task(rows), rows.label, None), row_sample, names)
    return pile if found is None else piled(pile, hopeful(found, pile))


def _asked(reader: Reader, fills: Fills | None, row_sample: int) -> dict[str, Any]:
    """Everything that the statistics of files depend on; what is filled in comes from all files."""
    means = None if fills is None else hashlib.sha256(fills.means.tobytes()).hexdigest()
    recipe = reader.recipe.to_json()
    return {**recipe, "delimiter": reader.delimiter, "row_sample": row_sample, "means": means}


def _rows(
    files: Sequence[Path], reader: Reader, fills: Fills | None, tally: Tally, moved: Moved
) -> Iterator[TableRows]:
    for path in files:
        for chunk in reader.chunks(path):
            yield encoded(chunk, reader, fills, tally)
            moved(chunk.columns.num_rows)


def _task(rows: TableRows) -> Encoded:
    return Encoded.constant(0, len(rows.X)) if rows.task is None else rows.task
