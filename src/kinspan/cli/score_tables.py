"""Forecasts of scores → a table, and JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan.answers.score_forecasts import ScoreForecasts, counted, ends, number
from kinspan.cli.output import Output, name_of


def show_forecast(of: ScoreForecasts, most: int, output: Output) -> None:
    """The worst tasks first."""
    rows = [
        [name_of(task), counted(labels), number(value), ends(low, high), number(chance)]
        for task, value, low, high, chance, labels in zip(
            *(of.tasks, of.value, of.low, of.high, of.chance, of.labels), strict=True
        )
    ]
    known = np.isfinite(of.value)
    means = [
        number(float(part[known].mean())) if known.any() else "unknown"
        for part in (of.value, of.chance)
    ]
    head = ["task", "labels", of.title, "90 % interval", "chance"]
    last = ["mean", counted(of.labels.sum(axis=0)), means[0], "", means[1]]
    output.table(f"Forecast of {of.score}, the worst first", head, rows[:most], last)
    note_of_class(of.note, output)


def note_of_class(text: str, output: Output) -> None:
    """What to know of the class that scores are about, with the option in the place of Python."""
    said = text.replace("pos_label=", "kinspan fit --pos-label ")
    if text and said not in output.notes:
        output.note(said)


def forecast_as_json(of: ScoreForecasts) -> dict[str, Any]:
    """The score, and what is forecast for every task."""
    columns = of.tasks, of.value, of.low, of.high, of.chance
    return {
        "score": of.score,
        "tasks": [
            {"task": task, "value": value, "interval": [low, high], "chance": chance}
            for task, value, low, high, chance in zip(*columns, strict=True)
        ],
    }
