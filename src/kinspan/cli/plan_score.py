"""A model, a score and a value → what to label in one task, or in all."""

from __future__ import annotations

from typing import Any

from kinspan.answers.labels_for_score import LabelsForScore, shown_more
from kinspan.answers.score_forecasts import number, score_forecasts
from kinspan.cli import tasks
from kinspan.cli.output import Output, name_of
from kinspan.cli.score_tables import note_of_class

UNCERTAIN = (
    "Cannot say: what very many labels tend to is too uncertain; with --task its interval is shown."
)


def plan_score(
    fitted: Any, task: Any, score: Any, wanted: Any, output: Output, show_all: bool
) -> None:
    """The worst task first, if none is named."""
    if task is not None:
        _plan_one(fitted.labels_needed(task, wanted, score=score), output)
        return
    order = score_forecasts(fitted, score, argument="--score")
    plans = [fitted.labels_needed(name, wanted, score=score) for name in order.tasks]
    shown = plans if show_all else plans[: tasks.SHOWN]
    ways = [of.label for of in plans[0].ways]
    output.table(
        tasks.heading(len(plans), len(shown), f"worst {order.title}"),
        ["task", f"{order.title} now", *ways, "very many rows"],
        [
            [name_of(plan.task), number(plan.present), *map(shown_more, plan.ways), _limit(plan)]
            for plan in shown
        ],
    )
    output.say(f"Labels to add for {wanted:g}: of the class, of rows as they come, or of each.")
    if any(of.verdict == "uncertain" for plan in shown for of in plan.ways):
        output.say(UNCERTAIN)
    note_of_class(order.note, output)
    output.result(score=order.score, wanted=wanted, tasks=[_as_json(plan) for plan in plans])


def _plan_one(plan: LabelsForScore, output: Output) -> None:
    title, columns, rows, note = plan._table()
    output.table(title, list(columns), [list(row) for row in rows])
    note_of_class(note, output)
    output.result(**_as_json(plan))


def _limit(plan: LabelsForScore) -> str:
    return number(next(of.limit for of in plan.ways if of.label == "rows"))


def _as_json(plan: LabelsForScore) -> dict[str, Any]:
    ways = [{**of._asdict(), "ends": list(of.ends)} for of in plan.ways]
    return {
        **{"task": plan.task, "score": plan.score, "wanted": plan.wanted},
        **{"present": plan.present, "ways": ways},
    }
