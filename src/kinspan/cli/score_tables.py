"""Forecasts of scores → a table, and JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan.answers.score_forecasts import BLIND, ScoreForecasts, counted, ends, number
from kinspan.cli import tasks
from kinspan.cli.output import Output, name_of


def show_forecast(of: ScoreForecasts, labels: str, most: int, output: Output) -> None:
    """The worst tasks first; `labels` is the heading of their numbers of labels."""
    rows = [
        [name_of(task), counted(labels), number(value), ends(low, high), *map(number, blind)]
        for task, value, low, high, *blind, labels in zip(
            *(of.tasks, *of.numbers, of.labels), strict=True
        )
    ]
    known = np.isfinite(of.value)
    means = [
        number(float(part[known].mean())) if known.any() else "unknown"
        for part in (of.value, of.majority, of.chance)
    ]
    head = ["task", labels, of.title, "90 % interval", "majority", "chance"]
    last = ["mean", counted(of.labels.sum(axis=0)), means[0], "", *means[1:]]
    shown = tasks.heading(len(rows), most, f"worst {of.title}")
    output.table(f"Forecast of {of.title}: {shown}", head, rows[:most], last)
    output.say(BLIND)
    note_of_class(of.note, output)


def note_of_class(text: str, output: Output) -> None:
    """What to know of the class that scores are about, with the option in the place of Python."""
    said = text.replace("pos_label=", "kinspan fit --pos-label ")
    said = said.replace("threshold='f1'", "kinspan fit --threshold f1")
    if text and said not in output.notes:
        output.note(said)


def forecast_as_json(of: ScoreForecasts) -> dict[str, Any]:
    """The score, and what is forecast for every task."""
    return {
        "score": of.score,
        "tasks": [
            {
                "task": task,
                "value": value,
                "interval": [low, high],
                "majority": majority,
                "chance": chance,
            }
            for task, value, low, high, majority, chance in zip(of.tasks, *of.numbers, strict=True)
        ],
    }
