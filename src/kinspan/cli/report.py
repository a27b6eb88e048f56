"""`kinspan report`: a model → a page for decision makers."""

from __future__ import annotations

from typing import Annotated

import typer

from kinspan.cli import options, stored
from kinspan.cli.lists import listed
from kinspan.cli.output import Output
from kinspan.cli.places import check_place
from kinspan.tables.tally import number

EXAMPLES = """
Examples:

kinspan report model.kinspan --out report.html
kinspan report model.kinspan --out report.html --title "Churn, autumn"
kinspan report model.kinspan --out report.html --score average_precision,lift_at_budget=5%
"""


def report(
    model: options.ModelFile,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The page, one HTML file.")],
    title: Annotated[str | None, typer.Option("--title", help="The title of the page.")] = None,
    score: options.Scores = None,
    as_json: options.Json = False,
) -> None:
    """Write a page about a model: forecasts, who helps whom, and the value of more labels."""
    from kinspan.report import write_report  # noqa: PLC0415  # its library is an extra of its own

    output = Output(as_json)
    check_place(out, model)
    fitted = stored.read_model(model).value
    write_report(fitted, out, title=title, scores=listed(score))
    output.say(f"{number(len(fitted.tasks_), 'task')}: {out}")
    output.result(report=out)
