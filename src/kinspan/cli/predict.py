"""`kinspan predict`: a model and new rows → the rows with their classes and probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinspan.cli import options, stored
from kinspan.cli.output import Output, name_of
from kinspan.cli.places import check_format, check_other, has_types, rows_writer, sources
from kinspan.tables.arrow import pyarrow
from kinspan.tables.chunks import Chunk, open_table
from kinspan.tables.encoding import UsableRows, encode
from kinspan.tables.errors import naming_file
from kinspan.tables.fills import Fills
from kinspan.tables.reader import Reader
from kinspan.tables.reading import n_rows_of
from kinspan.tables.tally import Advance, Tally, number
from kinspan.tables.writing import Writer

EXAMPLES = """
Examples:

kinspan predict model.kinspan new.csv --out scored.csv
kinspan predict model.kinspan 'new/*.parquet' --out scored.parquet
kinspan predict model.kinspan new.csv --unseen shared --only-answers
cat new.csv | kinspan predict model.kinspan - > scored.csv
"""


class _Scoring(NamedTuple):
    """What is needed to predict rows."""

    model: Any
    reader: Reader
    fills: Fills | None
    tally: Tally
    only_answers: bool
    is_typed: bool  # whether the format that is written has types


def predict(
    model: options.ModelFile,
    data: options.Data = None,
    out: options.Scored = "-",
    task: options.TaskColumn = None,
    unseen: options.Unseen = None,
    only_answers: options.OnlyAnswers = False,
    delimiter: options.Delimiter = None,
    as_json: options.Json = False,
) -> None:
    """Predict new rows, in their order: the class, and the probability of every class.

    All columns of the table are kept; `predicted` and `p_…` are added to them.
    """
    output = Output(as_json)
    if as_json and out == "-":
        raise ValueError("--json and the rows would both go to standard output; use --out FILE")
    check_format(out)
    if out != "-":
        check_other(out, model)
    read = stored.read_model(model)
    recipe = stored.table_recipe(read, model, task, None)
    reader = Reader(recipe, ("task",), "the model", options.checked_delimiter(delimiter))
    fills = Fills.of_model(read.value) if recipe.missing == "mean" else None
    scoring = _Scoring(
        stored.for_arrays(read.value, unseen), reader, fills, Tally(), only_answers, has_types(out)
    )
    with (
        sources(data or (), out) as files,
        rows_writer(out) as writer,
        output.progress("scoring", n_rows_of(files)) as advance,
    ):
        _score(scoring, files, writer, advance)
    _report(scoring.tally, out, output)


def _score(scoring: _Scoring, files: list[Path], writer: Writer, advance: Advance) -> None:
    names: list[str] | None = None
    for path in files:
        for chunk in scoring.reader.chunks(path, unchanged=not scoring.only_answers):
            with naming_file(path):
                answered = _answered(scoring, chunk)
                names = _same_columns(answered.column_names, names)
            writer.write(answered.select(names))
            advance(chunk.columns.num_rows)
    if names is None:
        writer.write(_nothing(scoring, files[0]))


def _answered(scoring: _Scoring, chunk: Chunk) -> Any:
    """The columns of a chunk and of its answers."""
    reader, pa = scoring.reader, pyarrow()
    usable = encode(chunk, reader, scoring.fills, scoring.tally)
    kept = chunk.unchanged
    if kept is None:
        task = reader.recipe.task
        kept = chunk.columns.select([] if task is None else [task])
    answers = _answers(scoring.model, usable)
    taken = [name for name in answers if name in kept.column_names]
    if taken:
        raise ValueError(
            f"there is a column {taken[0]!r} already; use --only-answers, or rename it"
        )
    columns = {name: kept.column(name) for name in kept.column_names}
    if scoring.is_typed:  # columns outside the recipe stay text, though they may look like numbers
        known = columns.keys() & set(chunk.columns.column_names)
        columns |= {name: chunk.columns.column(name) for name in known}
    return pa.table({**columns, **answers})


def _answers(model: Any, usable: UsableRows) -> dict[str, Any]:
    """Columns with the class and the probabilities; empty where a row has no answer."""
    pa, (kept, rows) = pyarrow(), usable
    place = np.where(kept, np.cumsum(kept) - 1, 0)
    if not kept.any():
        return _empty_answers(model, len(kept))
    task = None if rows.task is None else rows.task.values()
    classes = np.asarray(model.predict(rows.X, task=task))
    shares = model.predict_proba(rows.X, task=task)
    found = {"predicted": pa.array(classes[place], mask=~kept, type=_type(model.classes_))}
    for j, name in enumerate(_probabilities(model)):
        found[name] = pa.array(shares[place, j], mask=~kept)
    return found


def _probabilities(model: Any) -> list[str]:
    return [f"p_{name_of(label)}" for label in model.classes_.tolist()]


def _type(classes: Any) -> Any:
    return pyarrow().array(classes.tolist()).type


def _empty_answers(model: Any, n_rows: int) -> dict[str, Any]:
    pa = pyarrow()
    found = {"predicted": pa.nulls(n_rows, _type(model.classes_))}
    return found | {name: pa.nulls(n_rows, pa.float64()) for name in _probabilities(model)}


def _nothing(scoring: _Scoring, path: Path) -> Any:
    """The head of a table without rows."""
    reader, pa = scoring.reader, pyarrow()
    names = open_table(path, reader.delimiter).names
    if scoring.only_answers:
        names = [name for name in names if name == reader.recipe.task]
    columns = {name: pa.array([], pa.string()) for name in names}
    return pa.table({**columns, **_empty_answers(scoring.model, 0)})


def _same_columns(found: list[str], first: list[str] | None) -> list[str]:
    if first is None or set(found) == set(first):
        return first or found
    other = min(set(found) ^ set(first))
    raise ValueError(f"column {other!r} is in some files only; use --only-answers")


def _report(tally: Tally, out: str, output: Output) -> None:
    unanswered, tally.dropped = tally.dropped, 0
    for note in tally.notes():
        output.note(note)
    if unanswered:
        output.note(f"{number(unanswered, 'row')} without an answer: a value is missing")
    if out != "-":
        output.say(f"{number(tally.rows, 'row')} scored: {out}")
    output.result(out=out, rows=tally.rows, unanswered=unanswered)
