"""Curves of a score and a value to reach → how many more labels, and of what."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan._validation.scores import LABELLED
from kinspan.answers._table import ShownAsTable, Table, quoted
from kinspan.answers.score_curves import ScoreCurve, mix_of
from kinspan.answers.score_forecasts import ends, number, without_a_look
from kinspan.answers.seen_from import note_on_score, score_of, shares_of, title_of
from kinspan.metrics import Score
from kinspan.risk.labels_needed import fewest_labels, most_to_add


class LabelsOf(NamedTuple):
    """How many labels of one kind reach a value of a score."""

    label: str  # what is labelled: "positives", "rows" or "each class"
    more: int | None  # how many to add; None where no number can be given
    expected: float  # the score with that many; with None, the limit
    limit: float  # what the score tends to as they become many
    ends: tuple[float, float]  # of the 90 % interval of the limit
    verdict: str  # "reached", "reachable", "uncertain", "out of reach" or "unknown"


@dataclass(frozen=True, eq=False, repr=False)
class LabelsForScore(ShownAsTable):
    """What to label to reach a value of a score, and how much of it."""

    task: Any
    score: str  # its name, with its level
    wanted: float  # the value to reach
    present: float  # with the labels there are: the forecast
    ways: list[LabelsOf]
    title: str  # of the score, with the class if it is about one of two
    note: str = ""  # what to know of that class

    def _table(self) -> Table:
        about = "about " * bool(np.isfinite(self.present))
        now = f"Task {quoted(self.task)}: {self.title} {about}{number(self.present)} now"
        rows = [
            [of.label, shown_more(of), *map(number, (of.expected, of.limit)), ends(*of.ends)]
            for of in self.ways
        ]
        more = f"more for {self.wanted:.4g}"
        head = ["labels of", more, "then", "very many", "90 % interval"]
        return Table(now, head, rows, self.note)


def labels_for_score(
    model: Any, score: Score, position: int, task: Any, wanted: float
) -> LabelsForScore:
    """Every way to label rows of one task, from its curve."""
    curve = ScoreCurve.of(model, score, position)
    chance = float(without_a_look(score_of(model, score), shares_of(model)[[position]])[1, 0])
    most = most_to_add(model.moments_.effective().counts[position])
    ways = [
        _needed(curve, name, mix_of(model, position, name), wanted, chance, most)
        for name in LABELLED
    ]
    present = float(curve.at(np.zeros(1), np.ones(2)).value[0])
    named = title_of(model, score), note_on_score(model, score)
    return LabelsForScore(task, str(score), wanted, present, ways, *named)


def _needed(
    curve: ScoreCurve, label: str, mix: Floats, wanted: float, chance: float, most: int
) -> LabelsOf:
    sign = -1.0 if curve.score.kind.greater_is_better else 1.0  # what is lower is better

    def loss_with(more: int) -> float:
        return sign * float(curve.at(np.array([float(more)]), mix).value[0])

    many = curve.at(np.array([np.inf]), mix)
    limit, ends = float(many.value[0]), many.interval[0]
    if isnan(limit):
        return LabelsOf(label, None, limit, limit, (limit, limit), "unknown")
    more = fewest_labels(loss_with, sign * wanted, most)
    worst_now = float((sign * curve.at(np.zeros(1), mix).interval).max())
    verdict = "reached" if more == 0 else "reachable"
    if more != 0 and worst_now >= sign * chance:
        more, verdict = None, "uncertain"  # it may be no better than guessing
    elif more is None:
        verdict = "uncertain" if (sign * ends).min() <= sign * wanted else "out of reach"
    expected = limit if more is None else sign * loss_with(more)
    return LabelsOf(label, more, expected, limit, (float(ends[0]), float(ends[1])), verdict)


def shown_more(of: LabelsOf) -> str:
    """How many labels, or why no number is given, as text."""
    if of.more is not None:
        return f"{of.more:,}"
    return {"uncertain": "cannot say"}.get(of.verdict, of.verdict)
