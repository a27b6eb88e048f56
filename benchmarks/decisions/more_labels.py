"""Four times the labels in one task: the scores that were promised, next to those of larger fits.

Of rows as they come, or of positives alone; the other tasks keep their labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks.decisions.forecasts import answered, fitted
from benchmarks.decisions.worlds import Draw, World
from benchmarks.forecast.populations import Floats
from kinspan.metrics import Score

SCORES = [Score("roc_auc"), Score("average_precision")]
_TARGETS = 4  # tasks of a draw, each in turn
_TIMES = 4


class Row(NamedTuple):
    """One score, over some tasks of all draws."""

    world: str
    label: str  # what is labelled
    score: str
    tasks: int
    before: float  # the true score with the labels there are
    after: float  # and with four times as many
    promised: float  # for then
    promised_gain: float  # over the forecast for now
    bias: float
    gap: float  # mean absolute difference
    gap_of_now: float  # if the forecast for now were announced


def rows(world: World, seeds: range) -> list[Row]:
    """Simulated worlds only: of others there are no more rows."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for seed in seeds:
        draw = world.draw(seed)
        if draw.population is None:
            return []
        model = fitted(draw)
        for t in range(_TARGETS):
            for label in ("rows", "positives"):
                larger, more = _larger(draw, t, label, seed)
                grown = fitted(larger)
                for score in SCORES:
                    true = [score.of(answered(m, t, draw.new[t])) for m in (model, grown)]
                    said = model.learning_curve(t, [0, more], score=score.name, label=label)
                    found.setdefault((label, str(score)), []).append([*true, *said])
    return [_row(world.name, *of, np.array(values)) for of, values in found.items()]


def _larger(draw: Draw, t: int, label: str, seed: int) -> tuple[Draw, float]:
    """With more rows of one task, and how many labels that are."""
    assert draw.population is not None
    counts = np.bincount(draw.y[draw.task == t], minlength=2)
    added = (_TIMES - 1) * counts * np.array([label == "rows", True], dtype=np.intp)
    rng = np.random.default_rng([seed, t, 1])
    X = [draw.population.rows(rng, t, c, int(n)) for c, n in enumerate(added)]
    y: Any = np.concatenate([draw.y, np.repeat([0, 1], added)])
    task = np.concatenate([draw.task, np.full(added.sum(), t)])
    return draw._replace(X=np.concatenate([draw.X, *X]), y=y, task=task), float(added.sum())


def _row(world: str, label: str, score: str, values: Floats) -> Row:
    before, after, now, promised = values.T
    parts = before, after, promised, promised - now, promised - after
    gaps = np.abs(promised - after), np.abs(now - after)
    means = [float(part.mean()) for part in (*parts, *gaps)]
    return Row(world, label, score, len(values), *means)
