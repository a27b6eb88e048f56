"""`kinspan explain`: a model and a task → which tasks help it, and by how much."""

from __future__ import annotations

from typing import Annotated

import typer

from kinspan.answers._table import percent, points
from kinspan.cli import options, stored, tasks
from kinspan.cli.output import Output, name_of
from kinspan.tables.tally import number

EXAMPLES = """
Examples:

kinspan explain model.kinspan --task acme
kinspan explain model.kinspan --task acme --most 25 --json
"""


def explain(
    model: options.ModelFile,
    task: Annotated[str, typer.Option("--task", metavar="TASK", help="The task to explain.")],
    most: Annotated[
        int, typer.Option("--most", min=1, help="How many other tasks to leave out.")
    ] = 10,
    as_json: options.Json = False,
) -> None:
    """Say which tasks help a task, and by how much.

    The tasks with the largest shares in its rule are left out in turn.
    """
    output = Output(as_json)
    fitted = stored.read_model(model).value
    asked = tasks.task_named(fitted, task)
    with output.progress(f"leaving out {number(min(most, len(fitted.tasks_) - 1), 'task')}"):
        answer = fitted.explain_transfer(asked, most=most)
    pairs = list(zip(answer.tasks, answer.gain, answer.relatedness, strict=True))
    output.table(
        f"{name_of(asked)}: forecast error {percent(answer.forecast_error)}, alone "
        f"{percent(answer.single_task_error)}",
        ["task", "gain in points", "relatedness"],
        [[name_of(other), points(gain), f"{cosine:+.2f}"] for other, gain, cosine in pairs],
    )
    output.say("Gain: by how many points less the others would save without that task.")
    output.say("Relatedness: the cosine of its differences between classes; negative: reversed.")
    output.result(
        task=asked,
        forecast_error=answer.forecast_error,
        single_task_error=answer.single_task_error,
        helpers=[{"task": s, "gain": gain, "relatedness": cosine} for s, gain, cosine in pairs],
    )
