"""Forecasts of scores, next to the scores of new rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks.decisions.worlds import Draw, NewRows, World
from benchmarks.forecast.populations import Floats
from kinspan import MultiTaskSPCA
from kinspan.metrics import Score, ScoredRows

SCORES = [
    *(Score(name) for name in ("roc_auc", "average_precision", "log_loss", "brier_score", "f1")),
    *(Score("recall_at_precision", 0.5), Score("lift_at_budget", 0.05), Score("error")),
    Score("balanced_error"),
]


class Row(NamedTuple):
    """One score in one world, over all tasks of all draws."""

    world: str
    score: str
    tasks: int
    true: float
    forecast: float
    bias: float
    error: float  # the standard error of the bias: tasks of a draw are off together
    gap: float  # mean absolute difference
    gap_of_mean: float  # if the true mean of all tasks were announced for each
    cover: float  # share of the 90 % intervals that contain the truth
    width: float


def fitted(draw: Draw, **parameters: Any) -> MultiTaskSPCA:
    """The default with the shares of classes that there are."""
    model = MultiTaskSPCA(priors="empirical", **parameters)
    return model.fit(draw.X, draw.y, task=draw.task)


def answered(model: MultiTaskSPCA, task: Any, new: NewRows) -> ScoredRows:
    """New rows of a task with what a model says of them."""
    answers = model.predict(new.X, task=task).astype(np.intp)
    return ScoredRows(new.y, answers, model.predict_proba(new.X, task=task), new.weights)


def true_scores(model: MultiTaskSPCA, draw: Draw) -> Floats:
    """(tasks, scores)."""
    rows = [answered(model, t, new) for t, new in zip(model.tasks_, draw.new, strict=True)]
    return np.array([[score.of(of) for score in SCORES] for of in rows])


def forecasts(model: MultiTaskSPCA) -> Floats:
    """(scores, 3, tasks): values and both ends, in the order of tasks."""
    found = []
    for score in SCORES:
        named = score.name if score.level is None else {score.name: score.level}
        table = model.forecast(score=named)
        place = {task: i for i, task in enumerate(table.tasks)}
        order = [place[task] for task in model.tasks_.tolist()]
        found.append([part[order] for part in (table.value, table.low, table.high)])
    return np.array(found)


def rows(world: World, seeds: range) -> list[Row]:
    """One row per score."""
    true, said = [], []
    for seed in seeds:
        draw = world.draw(seed)
        model = fitted(draw)
        true.append(true_scores(model, draw).T)
        said.append(forecasts(model))
    truth, told = np.concatenate(true, axis=1), np.concatenate(said, axis=2)
    return [
        _row(world.name, str(score), of, forecast, len(seeds))
        for score, of, forecast in zip(SCORES, truth, told, strict=True)
    ]


def _row(world: str, score: str, true: Floats, said: Floats, draws: int) -> Row:
    value, low, high = said
    biases = (value - true).reshape(draws, -1).mean(axis=1)
    return Row(
        *(world, score, len(true), float(true.mean()), float(value.mean())),
        bias=float((value - true).mean()),
        error=float(biases.std(ddof=1) / np.sqrt(draws)),
        gap=float(np.abs(value - true).mean()),
        gap_of_mean=float(np.abs(true - true.mean()).mean()),
        cover=float(((low <= true) & (true <= high)).mean()),
        width=float((high - low).mean()),
    )
