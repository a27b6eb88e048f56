"""Forty shops: the scores of kinspan next to logistic regression with copies of the features."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from benchmarks.decisions.forecasts import answered
from benchmarks.decisions.thresholds import augmented_regression, with_task
from benchmarks.decisions.worlds import Draw, World
from benchmarks.forecast.populations import Floats
from kinspan import MultiTaskSPCA
from kinspan.metrics import Score, ScoredRows

SCORES = [
    Score(name) for name in ("roc_auc", "average_precision", "log_loss", "f1", "balanced_error")
] + [Score("calibration_error")]


class Row(NamedTuple):
    """A score, its mean over all tasks of all draws."""

    world: str
    score: str
    ours: float
    logistic: float


def rows(world: World, seeds: range) -> list[Row]:
    """Probabilities and F1 with own priors and a threshold, balanced error with equal priors."""
    ours, theirs = [], []
    for seed in seeds:
        draw = world.draw(seed)
        ours += _ours(draw)
        theirs += _theirs(draw)
    means = np.mean(ours, axis=0), np.mean(theirs, axis=0)
    pairs = zip(SCORES, *means, strict=True)
    return [Row(world.name, str(score), float(a), float(b)) for score, a, b in pairs]


def _ours(draw: Draw) -> list[Floats]:
    model = MultiTaskSPCA(priors="empirical", threshold="f1")
    model.fit(draw.X, draw.y, task=draw.task)
    equal = MultiTaskSPCA().fit(draw.X, draw.y, task=draw.task)
    found = []
    for task, new in zip(model.tasks_, draw.new, strict=True):
        scores = _scores(answered(model, task, new))
        scores[4] = Score("balanced_error").of(answered(equal, task, new))
        found.append(scores)
    return found


def _theirs(draw: Draw) -> list[Floats]:
    """F1 and balanced error with the threshold that is best for all training rows of all tasks."""
    codes = np.unique(draw.task, return_inverse=True)[1].astype(np.float64)
    X = with_task(codes, draw.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = augmented_regression().fit(X, draw.y)
    known = model.decision_function(X)
    weights = np.ones(len(known))
    above = [_best(name, known, draw.y, weights) for name in ("f1", "balanced_error")]
    found = []
    for t, new in enumerate(draw.new):
        s = model.decision_function(with_task(np.full(len(new.y), float(t)), new.X))
        p = np.stack([1.0 - expit(s), expit(s)], axis=1)
        rows = [ScoredRows(new.y, (s > at).astype(np.intp), p, new.weights) for at in above]
        scores = _scores(rows[0])
        scores[4] = Score("balanced_error").of(rows[1])
        found.append(scores)
    return found


def _best(name: str, scores: Floats, y: Any, weights: Floats) -> float:
    """The threshold, of fifty, with the best score on these rows."""
    score = Score(name)
    sign = 1.0 if score.kind.greater_is_better else -1.0
    grid = np.quantile(scores, np.linspace(0.02, 0.98, 50))
    unused = np.full((len(y), 2), 0.5)
    values = [
        sign * score.of(ScoredRows(y, (scores > at).astype(np.intp), unused, weights))
        for at in grid
    ]
    return float(grid[int(np.argmax(values))])


def _scores(rows: ScoredRows) -> Floats:
    return np.array([score.of(rows) for score in SCORES])
