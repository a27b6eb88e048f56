"""`kinspan plan`: a model and an error rate, or a score → the labels needed to reach it."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from kinspan.answers._table import percent
from kinspan.answers.summary import by_need
from kinspan.cli import options, plan_score, stored, tasks
from kinspan.cli.output import Output, name_of
from kinspan.cli.plan_score import UNCERTAIN

EXAMPLES = """
Examples:

kinspan plan model.kinspan --task acme --error 0.05
kinspan plan model.kinspan --error 5%        # every task, largest error first
kinspan plan model.kinspan --score average_precision --reach 0.5
"""
_WORDS = {"uncertain": "cannot say", "no signal": "no signal yet"}
OTHER_GOAL = (
    "Other goal: the threshold is not for few errors; plan with the --score that it is for."
)
_MORE = (0, 5, 10, 20, 50, 100, 200, 500, 1000)


def plan(
    model: options.ModelFile,
    error: Annotated[
        str | None, typer.Option("--error", metavar="RATE", help="The error to reach: 0.05 or 5%.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option("--score", metavar="SCORE", help="A score to reach instead, such as roc_auc."),
    ] = None,
    reach: Annotated[
        float | None, typer.Option("--reach", metavar="VALUE", help="The value of --score.")
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="One task.", show_default="all")
    ] = None,
    show_all: options.AllTasks = False,
    as_json: options.Json = False,
) -> None:
    """Say how many more labels a task needs to reach an error, or that no number suffices.

    For a score, compare labels of the second class, of rows as they come, and of each class.
    """
    output = Output(as_json)
    if (error is None) == (score is None) or (score is None) != (reach is None):
        raise ValueError("use --error 0.05, or --score roc_auc with --reach 0.9")
    wanted = 0.0 if error is None else _rate(error)
    fitted = stored.read_model(model).value
    if error is None:
        one = None if task is None else tasks.task_named(fitted, task)
        plan_score.plan_score(fitted, one, score, reach, output, show_all)
    elif task is None:
        _plan_all(fitted, wanted, output, show_all)
    else:
        _plan_one(fitted, tasks.task_named(fitted, task), wanted, output)


def _rate(text: str) -> float:
    try:
        rate = float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        rate = -1.0
    if not 0.0 < rate < 1.0:
        raise ValueError(f"--error {text}: use a rate between 0 and 1, such as 0.05 or 5%")
    return rate


def _plan_one(fitted: Any, task: Any, wanted: float, output: Output) -> None:
    needed = fitted.labels_needed(task, wanted)
    more = sorted({*_MORE, *([] if needed.more_per_class is None else [needed.more_per_class])})
    errors = np.asarray(fitted.learning_curve(task, more))
    t = fitted.tasks_.tolist().index(task)
    if np.isfinite(errors).all():
        output.table(
            f"{name_of(task)}: {tasks.labels_title(fitted)} {tasks.labels_of(fitted, t)}",
            ["more in each class", "error to expect"],
            [[f"{n:,}", percent(float(e))] for n, e in zip(more, errors, strict=True)],
            ["very many", percent(needed.limit)],
        )
    output.say(repr(needed))
    curve = [{"more_per_class": n, "error": e} for n, e in zip(more, errors, strict=True)]
    output.result(**_result(needed), curve=curve)


def _plan_all(fitted: Any, wanted: float, output: Output, show_all: bool) -> None:
    ids = fitted.tasks_.tolist()
    plans = [(t, fitted.labels_needed(ids[t], wanted)) for t in by_need(fitted)]
    shown = plans if show_all else plans[: tasks.SHOWN]
    output.table(
        tasks.heading(len(plans), len(shown), "largest forecast error"),
        ["task", tasks.labels_title(fitted), "now", f"more for {percent(wanted)}", "very many"],
        [
            [
                name_of(ids[t]),
                tasks.labels_of(fitted, t),
                percent(needed.present_error),
                _more(needed),
                "–" if needed.verdict == "other goal" else percent(needed.limit),
            ]
            for t, needed in shown
        ],
    )
    output.say("More: labels to add to each class. Very many: what the error tends to.")
    if any(needed.verdict == "uncertain" for _, needed in shown):
        output.say(UNCERTAIN)
    if any(needed.verdict == "other goal" for _, needed in shown):
        output.say(OTHER_GOAL)
    output.result(error=wanted, tasks=[_result(needed) for _, needed in plans])


def _more(needed: Any) -> str:
    if needed.more_per_class is not None:
        return f"{needed.more_per_class:,}"
    return _WORDS.get(needed.verdict, str(needed.verdict))


def _result(needed: Any) -> dict[str, Any]:
    return dict(needed._asdict())
