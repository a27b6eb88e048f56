"""Tables → a recipe and statistics, with progress and notes."""

from __future__ import annotations

from collections.abc import Sequence

from kinspan.cli.output import Output
from kinspan.cli.table.columns import Wishes, drafted
from kinspan.cli.table.learning import Learnt, learnt, means_of, with_categories
from kinspan.cli.table.reader import Reader, rows_known
from kinspan.cli.table.recipe import Recipe
from kinspan.cli.table.sources import sources
from kinspan.cli.table.writing import check_apart


def learn_tables(
    data: Sequence[str],
    wishes: Wishes | Recipe,
    delimiter: str | None,
    row_sample: int,
    out: Output,
    written: str,
    checkpoint: str | None = None,
) -> tuple[Recipe, Learnt]:
    """Read tables as is wished, or by a recipe that is there already, to write a file of them."""
    check_apart(written, checkpoint)
    if checkpoint is not None and "-" in data:
        raise ValueError("--checkpoint needs files: what comes in on - cannot be read again")
    with sources(data, written, checkpoint) as files:
        is_given = isinstance(wishes, Recipe)
        recipe = wishes if isinstance(wishes, Recipe) else drafted(files, wishes)
        first = "the file named by --like" if is_given else str(files[0])
        reader = Reader(recipe, ("task", "label"), first, delimiter)
        n_rows = rows_known(files)
        if recipe.categorical and not is_given:
            with out.progress("reading categories", n_rows) as moved:
                recipe = with_categories(recipe, files, reader, moved)
            reader = reader._replace(recipe=recipe)
        fills = None
        if recipe.missing == "mean":
            with out.progress("reading means", n_rows) as moved:
                fills = means_of(files, reader, moved)
        with out.progress("reading", n_rows) as moved:
            found = learnt(files, reader, fills, row_sample, moved, checkpoint)
    for note in found.tally.notes():
        out.note(note)
    return recipe, found
