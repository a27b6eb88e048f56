"""Tables and a choice of columns, or a recipe → the recipe and the statistics of all rows."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from kinspan import Statistics
from kinspan._memory.piles import total
from kinspan.cli.lacking_columns import lacking_said
from kinspan.cli.output import Output
from kinspan.cli.places import check_checkpoint, sources
from kinspan.engines.files._checkpoint import Checkpoint, Finished
from kinspan.engines.files._report import ReadFile
from kinspan.engines.files._sums import Sampling, with_rows
from kinspan.tables.columns import ColumnChoice, draft_recipe
from kinspan.tables.passes import encoded_rows, read_categories
from kinspan.tables.reader import Reader
from kinspan.tables.reading import n_rows_of
from kinspan.tables.recipe import Recipe
from kinspan.tables.tally import Advance, Tally, number
from kinspan.tables.task_like import task_like


def learn_tables(
    data: Sequence[str],
    how: ColumnChoice | Recipe,
    sampling: Sampling,
    output: Output,
    written: str,
    checkpoint: str | None = None,
    filled: str = "filled in",
) -> tuple[Recipe, Statistics]:
    """Read tables with progress bars, in up to two passes, and note what was dropped."""
    check_checkpoint(written, checkpoint, data)
    with sources(data, written, checkpoint) as files:
        n_rows = n_rows_of(files)
        if isinstance(how, Recipe):
            reader = Reader(how, ("task", "label"), "the file named by --like")
            _note_lacking(reader, files, output)
        else:
            recipe = draft_recipe(files, how)
            reader = Reader(recipe, ("task", "label"), str(files[0]))
            if recipe.task is None:
                _note_task(reader, files, output)
            _note_lacking(reader, files, output)
            if recipe.categorical:
                with output.progress("reading categories", n_rows) as advance:
                    complete = read_categories(files, reader, how.as_text, how.rare, advance)
                    reader = reader._replace(recipe=complete)
        with output.progress("reading", n_rows) as advance:
            statistics, tally = _statistics(files, reader, sampling, advance, checkpoint)
    for note in (*tally.notes(filled), *_without_values(statistics)):
        output.note(note)
    return reader.recipe, statistics


def _note_task(reader: Reader, files: Sequence[Path], output: Output) -> None:
    """Say which column looks like the task, where none is named."""
    first = next(reader.chunks(files[0]), None)
    found = None if first is None else task_like(first.columns.drop_columns([reader.recipe.label]))
    if found is not None:
        name, n_values, n_rows = found
        output.note(
            f"all rows are one task, but {name!r} looks like tasks: {n_values:,} values in "
            f"{number(n_rows, 'row')}; name it with --task {shlex.quote(name)}, or leave it out "
            "with --exclude"
        )
    elif len(files) > 1:
        output.note(
            f"all rows of {len(files)} files are one task; if the files are tasks, add a column "
            "that names them, for --task"
        )


def _note_lacking(reader: Reader, files: Sequence[Path], output: Output) -> None:
    """Say which columns are missing in all rows of a file."""
    for path in files if reader.recipe.missing == "mean" else ():
        for note in lacking_said(path, reader.recipe, reader.of_file(path).recipe):
            output.note(note)


def _statistics(
    files: Sequence[Path],
    reader: Reader,
    sampling: Sampling,
    advance: Advance,
    checkpoint: str | None,
) -> tuple[Statistics, Tally]:
    """The statistics of all rows; a checkpoint keeps those of finished files."""
    kept = Checkpoint(checkpoint, files, _asked(reader, sampling))
    begun = kept.begun()
    tally = Tally() if begun.notes is None else Tally.of_json(begun.notes)
    advance(tally.rows)

    def steps() -> Generator[Finished, None, None]:
        pile, read = begun.pile, begun.read
        for path in files[begun.n_files :]:
            own = reader.of_file(path) if reader.recipe.missing == "mean" else reader
            names = np.array(own.recipe.feature_names, dtype=object)
            for rows in encoded_rows([path], own, tally, advance):
                pile = with_rows(pile, rows, sampling, names)
            read = [*read, ReadFile(path, 0)]
            yield Finished(pile, read, [], asdict(tally))

    pile = kept.last(begun, steps()).pile
    if not pile:
        raise ValueError(
            f"no row can be learnt from: {tally.dropped:,} of {tally.rows:,} lack a "
            "value; --missing mean fills in what is missing among the features"
        )
    return total(pile).among(reader.recipe.feature_names), tally


def _asked(reader: Reader, sampling: Sampling) -> dict[str, Any]:
    """Everything that the statistics of files depend on."""
    how = {"row_sample": sampling.size, "random_state": sampling.key.name}
    return {**reader.recipe.to_json(), **how}


def _without_values(found: Statistics) -> list[str]:
    """What to say of features that have no value in any row."""
    if found.moments.observed is None or found.feature_names is None:
        return []
    empty = np.flatnonzero(found.moments.observed.sum(axis=(0, 1)) == 0)
    return [f"{found.feature_names[i]!r} has no value in any row: it counts as none" for i in empty]
