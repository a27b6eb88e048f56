"""`kinspan explain`: which tasks help a task."""

from __future__ import annotations

from typing import Annotated

import typer

from kinspan.answers._table import percent, points
from kinspan.cli import options, stored, tasks
from kinspan.cli.output import Output, name_of, number

EXAMPLES = """
Examples:

kinspan explain model.kinspan --task acme
kinspan explain model.kinspan --task acme --most 25 --json
"""


def explain(
    model: options.ModelFile,
    task: Annotated[str, typer.Option("--task", metavar="TASK", help="The task to explain.")],
    most: Annotated[
        int, typer.Option("--most", min=1, help="How many other tasks to ask about.")
    ] = 10,
    as_json: options.Json = False,
) -> None:
    """Say which tasks help a task, and by how much.

    Each of the tasks that weigh most is left out in turn, exactly.
    """
    output = Output(as_json)
    fitted = stored.read_model(model).value
    asked = tasks.task_named(fitted, task)
    with output.progress(f"leaving out {number(min(most, len(fitted.tasks_) - 1), 'task')}"):
        found = fitted.explain_transfer(asked, most=most)
    pairs = list(zip(found.tasks, found.gain, found.relatedness, strict=True))
    output.table(
        f"{name_of(asked)}: forecast error {percent(found.forecast_error)}, alone "
        f"{percent(found.single_task_error)}",
        ["task", "gain in points", "relatedness"],
        [[name_of(other), points(gain), f"{cosine:+.2f}"] for other, gain, cosine in pairs],
    )
    output.say("Gain: by how many points the forecast error would rise without that task.")
    output.say("Relatedness: the cosine of its differences between classes; negative: reversed.")
    output.result(
        task=asked,
        forecast_error=found.forecast_error,
        single_task_error=found.single_task_error,
        helpers=[{"task": s, "gain": gain, "relatedness": cosine} for s, gain, cosine in pairs],
    )
