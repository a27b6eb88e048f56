"""`kinspan report`: a page for whoever must decide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kinspan.cli import options, stored
from kinspan.cli.output import Output, number
from kinspan.cli.table.writing import check_other, check_place

EXAMPLES = """
Examples:

kinspan report model.kinspan --out report.html
kinspan report model.kinspan --out report.html --title "Churn, autumn"
"""


def report(
    model: options.ModelFile,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The page, one HTML file.")],
    title: Annotated[str | None, typer.Option("--title", help="What stands on top of it.")] = None,
    as_json: options.Json = False,
) -> None:
    """Write a page about a model: needs, forecasts, who helps whom, what labels would buy."""
    from kinspan.report import write_report  # noqa: PLC0415  # its library is an extra of its own

    output = Output(as_json)
    check_place(Path(out))
    check_other(out, model)
    fitted = stored.read_model(model).value
    write_report(fitted, out, title=title)
    output.say(f"{number(len(fitted.tasks_), 'task')}: {out}")
    output.result(report=out)
