"""A fitted model → everything that the page shows, as plain data; tasks are numbered by need."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.answers.score_forecasts import ScoreForecasts
from kinspan.answers.seen_from import goal_said, shares_of
from kinspan.answers.summary import by_need, one_answer
from kinspan.answers.unlabelled import explanation_of_unlabelled
from kinspan.report._plain import named, rounded
from kinspan.report.curves import (
    curves,
    errors_with_twice_the_labels,
    labels_for_a_third_less,
)
from kinspan.report.doubts import doubts
from kinspan.report.related import helpers, related

_SHORT_OF_LABELS = {"no labels", "one class", "tiny class"}


def contents(
    model: Any, title: str | None, leave_out: bool, scores: list[ScoreForecasts] | None = None
) -> dict[str, Any]:
    """The data that `page` puts into the page."""
    order, scores = by_need(model), scores or []
    doubtful = doubts(model, order)
    rows = _rows(model, order, doubtful)
    for row, of_task in zip(rows, _scores(model, order, scores), strict=True):
        row["scores"] = of_task
    return {
        "title": title or f"Report on {len(order):,} task{'s' * (len(order) != 1)}",
        "about": _about(model),
        "figures": _figures(rows),
        "scores": [_mean(of) for of in scores],
        "tasks": rows,
        "curves": curves(model, order),
        "help": helpers(model, order, leave_out),
        "related": related(model, order),
        "doubts": doubtful,
    }


def _about(model: Any) -> dict[str, Any]:
    moments = model.moments_
    return {
        "classes": named(model.classes_),
        "features": moments.n_features,
        "labels": rounded(moments.counts.sum(), 2),
        "fades": moments.squared_weights is not None,
        "rows_kept": model.sample_ is not None,
        "alone": model.labels == "single",
        "unlabelled": _unlabelled(model),
        "weighed": _weighed(model._learnt.parameters["priors"]),
        "majority": rounded(np.mean(1.0 - shares_of(model).max(axis=1))),
        "one_answer": rounded(one_answer(model)),
        "goal": goal_said(model),
    }


def _unlabelled(model: Any) -> str | None:
    """How many tasks have learnt from rows without labels, where there are such rows."""
    found = explanation_of_unlabelled(model)
    return found.sentence if found.tasks else None


def _weighed(priors: Any) -> str:
    """How the forecast counts classes."""
    if priors is None:
        return "equally"
    return "frequency" if isinstance(priors, str) else "given"


def _scores(
    model: Any, order: Codes, scores: list[ScoreForecasts]
) -> list[list[dict[str, float | None]]]:
    """Of every task in this order: what is forecast of every score."""
    ids = model.tasks_.tolist()
    found: list[list[dict[str, float | None]]] = [[] for _ in order]
    for of in scores:
        place = {task: i for i, task in enumerate(of.tasks)}
        for row, t in zip(found, order.tolist(), strict=True):
            i = place[ids[t]]
            row.append({name: rounded(part[i]) for name, part in _parts(of).items()})
    return found


def _parts(of: ScoreForecasts) -> dict[str, Floats]:
    return dict(zip(("value", "low", "high", "majority", "chance"), of.numbers, strict=True))


def _mean(of: ScoreForecasts) -> dict[str, Any]:
    """Over the tasks where it is known, next to what knowing nothing gives."""
    known = np.isfinite(of.value)
    parts = {
        name: rounded(part[known].mean()) if known.any() else None
        for name, part in _parts(of).items()
        if name not in ("low", "high")
    }
    return {"title": of.title, "known": int(known.sum()), "note": of.note, **parts}


def _rows(model: Any, order: Codes, doubtful: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names, counts = named(model.tasks_), model.moments_.effective().counts
    doubled = errors_with_twice_the_labels(model)
    kinds: list[list[str]] = [[] for _ in order]
    for doubt in doubtful:
        for place, _ in doubt["tasks"]:
            kinds[place].append(doubt["kind"])
    return [
        {
            "name": names[t],
            "forecast": rounded(model.forecast_error_[t]),
            "low": rounded(model.forecast_interval_[t, 0]),
            "high": rounded(model.forecast_interval_[t, 1]),
            "alone": rounded(model.single_task_error_[t]),
            "gain": rounded(model.transfer_gain_[t]),
            "labels": rounded(counts[t], 1),
            "doubled": rounded(doubled[t]),
            **labels_for_a_third_less(model, int(t)),
            "doubts": kinds[place],
        }
        for place, t in enumerate(order)
    ]


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean errors over the tasks where both are known, and how many gain, lose or need labels."""
    known = [row for row in rows if None not in (row["forecast"], row["alone"])]
    gains = [round(row["gain"], 3) for row in known]  # as shown: tenths of a point
    return {
        "known": len(known),
        "forecast": rounded(np.mean([row["forecast"] for row in known])) if known else None,
        "alone": rounded(np.mean([row["alone"] for row in known])) if known else None,
        "gaining": sum(gain > 0 for gain in gains),
        "losing": sum(gain < 0 for gain in gains),
        "largest_loss": rounded(max((-gain for gain in gains), default=0.0)),
        "short_of_labels": sum(bool(_SHORT_OF_LABELS & set(row["doubts"])) for row in rows),
    }
