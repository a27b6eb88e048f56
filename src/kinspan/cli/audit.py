"""`kinspan audit`: a model and the rows it was fitted on → labels that are probably wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from kinspan.answers._table import interval, percent
from kinspan.answers.label_issues import LabelIssues
from kinspan.cli import options
from kinspan.cli.output import Output, name_of
from kinspan.cli.places import sources
from kinspan.cli.scoring import Scoring, unlabelled_note
from kinspan.tables.chunks import Chunk
from kinspan.tables.encoding import UsableRows
from kinspan.tables.reading import n_rows_of

EXAMPLES = """
Examples:

kinspan audit model.kinspan data.csv
kinspan audit model.kinspan 'data/*.parquet' --most 100 --json
"""

_RATES_SHOWN = 10


class JudgedLabel(NamedTuple):
    """A label of a table, named as in the JSON result."""

    file: str
    row: int  # in the file; the first is 1
    task: Any
    given_label: Any
    predicted_label: Any
    label_quality: float  # the probability that the label is right


def audit(
    model: options.ModelFile,
    data: options.Data = None,
    task: options.TaskColumn = None,
    label: options.LabelColumn = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many labels to show.")] = 20,
    random_state: options.RandomState = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    missing_values: options.MissingValues = None,
    as_json: options.Json = False,
) -> None:
    """List the labels that are probably wrong, the least likely first, and how many there are.

    Rows that the model has sampled are judged by rules that have not seen them.
    """
    output = Output(as_json)
    dialect = options.checked_dialect(delimiter, encoding, decimal, thousands, missing_values)
    scoring = Scoring.of_file(model, {"task": task, "label": label}, None, dialect)
    scoring.model.random_state = random_state
    with output.progress("judging labels"):
        issues = scoring.model.label_issues()
    with sources(data or ()) as files, output.progress("reading", n_rows_of(files)) as advance:
        judged, worst = 0, list[JudgedLabel]()
        for part in scoring.each(files, lambda *of: _judged(scoring.model, *of), advance):
            judged += len(part)
            worst = _worst([*worst, *part], issues.has_evidence, most)
    for note in (*scoring.notes(), *unlabelled_note(scoring.tally, "judged")):
        output.note(note)
    _show(issues, judged, worst, most, output)


def _worst(judged: list[JudgedLabel], has_evidence: bool, most: int) -> list[JudgedLabel]:
    """The least likely labels: all that are probably wrong, and some at least."""
    ordered = sorted(judged, key=lambda one: one.label_quality)
    wrong = sum(one.label_quality < 0.5 for one in ordered) if has_evidence else 0
    return ordered[: max(most, wrong)]


def _judged(model: Any, chunk: Chunk, usable: UsableRows) -> list[JudgedLabel]:
    """The labels of a chunk that can be judged."""
    if usable.rows.label is None or not len(usable.rows.label.ids):
        return []
    places = np.flatnonzero(usable.kept)[usable.rows.label.codes >= 0]
    rows = usable.rows.with_labels()
    assert rows.label is not None
    labels = rows.label.values()
    ids = None if rows.task is None else rows.task.values()
    found = model._judged(rows.X, labels, ids)
    of_row = np.repeat(model.tasks_[:1], len(labels)) if ids is None else ids
    numbers = chunk.first_row + 1 + places
    columns = (numbers, of_row, labels, found.predicted, found.quality)
    file = Path(chunk.path).name
    return [
        JudgedLabel(file, *row)
        for row in zip(*(column.tolist() for column in columns), strict=True)
        if np.isfinite(row[-1])
    ]


def _show(
    issues: LabelIssues, judged: int, worst: list[JudgedLabel], most: int, output: Output
) -> None:
    shown = worst[:most]
    several = len({one.file for one in worst}) > 1
    output.table(
        f"{issues.headline()} The {len(shown)} least likely of {judged:,}:",
        [*(["file"] if several else []), "row", "task", "label", "rather", "quality"],
        [
            [
                *([one.file] if several else []),
                f"{one.row:,}",
                *map(name_of, (one.task, one.given_label, one.predicted_label)),
                f"{one.label_quality:.3f}",
            ]
            for one in shown
        ],
    )
    _show_rates(issues, output)
    if judged != issues.copies.sum():
        output.say("Evidence and rates are those of the rows that the model keeps.")
    output.say("Quality: the probability that the label is right. Row: the first of a file is 1.")
    if issues.has_evidence:
        output.say(issues.caution())
    output.result(
        labels=judged,
        probably_wrong=sum(issues.has_evidence and one.label_quality < 0.5 for one in worst),
        evidence=issues.evidence,
        rate=issues.rate,
        rate_interval=issues.rate_interval,
        rates=[of._asdict() for of in _rates(issues)],
        issues=[one._asdict() for one in worst],
    )


class CellRate(NamedTuple):
    """The rate of wrong labels of a class of a task, named as in the JSON result."""

    task: Any
    label: Any
    labels: float  # how many were judged
    rate: float
    low: float
    high: float


def _rates(issues: LabelIssues) -> list[CellRate]:
    columns = (getattr(issues.rates, name).tolist() for name in CellRate._fields)
    return [CellRate(*of) for of in zip(*columns, strict=True)]


def _show_rates(issues: LabelIssues, output: Output) -> None:
    rates = _rates(issues)
    shown = rates[:_RATES_SHOWN] if issues.has_evidence else []
    if shown:
        output.table(
            f"The {len(shown)} largest rates of {len(rates):,}:",
            ["task", "label", "labels judged", "wrong", "90 % interval"],
            [
                [
                    *map(name_of, (of.task, of.label)),
                    f"{of.labels:,.6g}",
                    percent(of.rate),
                    interval((of.low, of.high)),
                ]
                for of in shown
            ],
        )
