"""`kinspan predict`: a model and new rows → the rows with their classes and probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kinspan._rows import identifiers
from kinspan.cli import options
from kinspan.cli.output import Output, name_of
from kinspan.cli.places import check_format, check_other, has_types, rows_writer, sources
from kinspan.cli.scoring import Scoring
from kinspan.tables.arrow import pyarrow
from kinspan.tables.chunks import Chunk, open_table
from kinspan.tables.encoding import UsableRows
from kinspan.tables.reading import n_rows_of
from kinspan.tables.tally import Advance, number
from kinspan.tables.writing import Writer, without_formulas

EXAMPLES = """
Examples:

kinspan predict model.kinspan new.csv --out scored.csv
kinspan predict model.kinspan 'new/*.parquet' --out scored.parquet
kinspan predict model.kinspan new.csv --unseen shared --only-answers
cat new.csv | kinspan predict model.kinspan - > scored.csv
"""


def predict(
    model: options.ModelFile,
    data: options.Data = None,
    out: options.Scored = "-",
    task: options.TaskColumn = None,
    unseen: options.Unseen = None,
    only_answers: options.OnlyAnswers = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    missing_values: options.MissingValues = None,
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
    dialect = options.checked_dialect(delimiter, encoding, decimal, thousands, missing_values)
    scoring = Scoring.of_file(model, {"task": task}, unseen, dialect)
    with (
        sources(data or (), out) as files,
        rows_writer(out, scoring.reader.recipe.dialect) as writer,
        output.progress("scoring", n_rows_of(files)) as advance,
    ):
        _score(scoring, files, writer, only_answers, has_types(out), advance)
    _report(scoring, out, output)


def _score(
    scoring: Scoring,
    files: list[Path],
    writer: Writer,
    only_answers: bool,
    is_typed: bool,
    advance: Advance,
) -> None:
    """Write the rows of all files with their answers."""
    task, names = scoring.reader.recipe.task, list[str]()

    def answered(chunk: Chunk, usable: UsableRows) -> Any:
        kept = chunk.unchanged
        if kept is None:
            kept = chunk.columns.select([] if task is None else [task])
        answers = _answers(scoring.model, usable)
        if not is_typed:
            answers["predicted"] = without_formulas(answers["predicted"])
        table = _with_answers(kept, chunk, answers, is_typed)
        names.extend([] if names else table.column_names)
        other = set(table.column_names) ^ set(names)
        if other:
            raise ValueError(f"column {min(other)!r} is in some files only; use --only-answers")
        return table

    for table in scoring.each(files, answered, advance, unchanged=not only_answers):
        writer.write(table.select(names))
    if not names:  # no rows
        known = open_table(files[0], scoring.reader.recipe.dialect).names
        kept = [name for name in known if name == task] if only_answers else known
        pa = pyarrow()
        head = {name: pa.array([], pa.string()) for name in kept}
        writer.write(pa.table({**head, **_empty_answers(scoring.model, 0)}))


def _with_answers(kept: Any, chunk: Chunk, answers: dict[str, Any], is_typed: bool) -> Any:
    """The columns to keep and the answers, as one table."""
    taken = [name for name in answers if name in kept.column_names]
    if taken:
        raise ValueError(
            f"there is a column {taken[0]!r} already; use --only-answers, or rename it"
        )
    columns = {name: kept.column(name) for name in kept.column_names}
    if is_typed:  # columns outside the recipe stay text, though they may look like numbers
        known = columns.keys() & set(chunk.columns.column_names)
        columns |= {name: chunk.columns.column(name) for name in known}
    return pyarrow().table({**columns, **answers})


def _answers(model: Any, usable: UsableRows) -> dict[str, Any]:
    """Columns with the class and the probabilities; empty where a row has no answer."""
    pa, (kept, rows) = pyarrow(), usable
    place = np.where(kept, np.cumsum(kept) - 1, 0)
    if not kept.any():
        return _empty_answers(model, len(kept))
    task = None if rows.task is None else rows.task.values()
    answers = identifiers.lookup(model.classes_, np.asarray(model.predict(rows.X, task=task)))
    shares = model.predict_proba(rows.X, task=task)
    found = {"predicted": _labels(model.classes_).take(pa.array(answers[place], mask=~kept))}
    for j, name in enumerate(_probabilities(model)):
        found[name] = pa.array(shares[place, j], mask=~kept)
    return found


def _probabilities(model: Any) -> list[str]:
    names = [f"p_{name_of(label)}" for label in model.classes_.tolist()]
    for j, name in enumerate(names):
        if name in names[:j]:
            twins = [model.classes_.tolist()[i] for i in (names.index(name), j)]
            raise ValueError(
                f"classes {twins[0]!r} and {twins[1]!r} of the model would share a column, {name}; "
                "fit with other labels"
            )
    return names


def _labels(classes: Any) -> Any:
    """The classes as a column, as their text where no column of a table has all of them."""
    pa, values = pyarrow(), classes.tolist()
    try:
        labels = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        labels = None
    if labels is None or pa.types.is_nested(labels.type):
        return pa.array([name_of(value) for value in values])
    return labels


def _empty_answers(model: Any, n_rows: int) -> dict[str, Any]:
    pa = pyarrow()
    found = {"predicted": pa.nulls(n_rows, _labels(model.classes_).type)}
    return found | {name: pa.nulls(n_rows, pa.float64()) for name in _probabilities(model)}


def _report(scoring: Scoring, out: str, output: Output) -> None:
    tally = scoring.tally
    unanswered, tally.dropped = tally.dropped, 0
    for note in scoring.notes():
        output.note(note)
    if unanswered:
        output.note(f"{number(unanswered, 'row')} without an answer: a value is missing")
    if out != "-":
        output.say(f"{number(tally.rows, 'row')} scored: {out}")
    output.result(out=out, rows=tally.rows, unanswered=unanswered)
