"""`kinspan moments`: the table of a site → moments, which leave the site instead of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from kinspan import Statistics
from kinspan._validation.parameters import check_random_state
from kinspan.cli import options, stored
from kinspan.cli.learning import learn_tables
from kinspan.cli.output import Output
from kinspan.cli.places import check_place
from kinspan.cli.rare_categories import without_rare
from kinspan.engines.files._sums import Sampling
from kinspan.tables.columns import ColumnChoice
from kinspan.tables.recipe import Recipe
from kinspan.tables.tally import number, whole

EXAMPLES = """
Examples:

kinspan moments site_a.csv --task clinic --label ill --out a.moments
kinspan moments site_b.csv --like a.moments --out b.moments
kinspan moments site_a.csv --task clinic --label ill --reservoir 50 \\
    --min-count 20 --out a.moments
"""


def moments(
    data: options.Data = None,
    task: options.TaskColumn = None,
    label: options.LabelColumn = None,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The moments.")] = "",
    like: options.Like = None,
    min_count: options.MinCount = 5,
    reservoir: options.Reservoir = 0,
    random_state: options.RandomState = None,
    features: options.Features = None,
    exclude: options.Exclude = None,
    categorical: options.Categorical = "error",
    rare: options.Rare = 1,
    missing: options.Missing = "error",
    unlabelled: options.Unlabelled = None,
    as_text: options.AsText = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    missing_values: options.MissingValues = None,
    checkpoint: options.Checkpoint = None,
    as_json: options.Json = False,
) -> None:
    """Count, average and square the rows of a site: no row leaves unless requested.

    The file contains the names of tasks, classes and columns, and for every class of every task
    the number of rows, their mean and their second moments. All columns are features unless
    --features names some. Add the files of all sites with kinspan merge, and fit the sum with
    kinspan fit --moments.
    """
    output = Output(as_json)
    if not out:
        raise ValueError("name the file for the moments with --out FILE")
    check_place(out, like)
    dialect = options.checked_dialect(delimiter, encoding, decimal, thousands, missing_values)
    how: ColumnChoice | Recipe
    if like is not None:
        named = task, label, unlabelled, features, exclude, as_text
        _refuse_both(*named, categorical != "error", rare > 1)
        other = stored.read_recipe(like)
        how = replace(other, missing=missing, dialect=dialect.over(other.dialect))
    else:
        how = options.column_choice(
            *((task, label), (features, exclude, as_text), categorical, missing, dialect, rare),
            unlabelled,
        )
    sampling = Sampling(reservoir, check_random_state(random_state))
    later = "to be filled in by the fit"
    recipe, found = learn_tables(data or (), how, sampling, output, out, checkpoint, later)
    leaving = _without_small(found, min_count, output)
    if like is None:  # otherwise the categories come from the other site, which knows them
        leaving, recipe = without_rare(leaving, recipe, min_count, output)
    stored.write(out, leaving, recipe, checkpoint)
    _show(leaving, recipe, out, output)


def _refuse_both(*given: object) -> None:
    if any(given):
        raise ValueError("--like determines the columns: name none of them with it")


def _without_small(found: Statistics, min_count: int, output: Output) -> Statistics:
    counts = found.moments.counts
    small = (counts > 0) & (counts < min_count)
    if small.sum() == (counts > 0).sum():
        raise ValueError(
            f"every class of every task has fewer than {min_count} rows: nothing may leave with "
            f"--min-count {min_count}"
        )
    if small.any():
        output.note(
            f"withheld: {number(int(small.sum()), 'cell')} (classes of tasks) of fewer than "
            f"{min_count} rows, {number(counts[small].sum(), 'row')} in all (--min-count)"
        )
    return found.without_small(min_count)


def _show(leaving: Statistics, recipe: Recipe, out: str, output: Output) -> None:
    n_cells = int(leaving.moments.present.sum())
    free = leaving.unlabelled
    samples = [part.sample for part in (leaving, free) if part is not None]
    n_rows = sum(len(sample.cells) for sample in samples if sample is not None)
    rows = "no rows" if n_rows == 0 else f"and {n_rows:,} ROWS LEAVE THIS SITE (--reservoir)"
    output.say(
        f"{out}: counts, means and second moments of {number(n_cells, 'cell')} "
        f"({number(len(leaving.moments.tasks), 'task')}, "
        f"{number(len(leaving.moments.classes), 'class')}, "
        f"{number(leaving.moments.n_features, 'feature')}); {rows}"
    )
    if free is not None:
        n_free = number(float(free.moments.counts.sum()), "row")
        output.say(f"Also the same of {n_free} without labels, by task")
    output.say(f"Features that leave: {', '.join(recipe.feature_names)}")
    output.result(
        out=out,
        cells=n_cells,
        rows_counted=whole(float(leaving.moments.counts.sum())),
        rows_without_labels=0 if free is None else whole(float(free.moments.counts.sum())),
        rows_that_leave=n_rows,
        tasks=leaving.moments.tasks,
        classes=leaving.moments.classes,
        features=recipe.feature_names,
    )
