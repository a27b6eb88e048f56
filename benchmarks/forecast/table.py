"""Fits of a regime → its row of the table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.forecast.populations import Draw, Floats
from benchmarks.forecast.simulated import Regime
from kinspan import MultiTaskSPCA


class Row(NamedTuple):
    """What was announced in a regime, and what is true; means over tasks."""

    regime: str
    tasks: int  # task-draws
    true: float
    announced: float
    bias: float  # announced − true
    bias_error: float  # its standard error, over draws
    gap: float  # mean absolute difference
    gap_of_mean: float  # the same if every task of a fit were announced the mean of its tasks
    cover: float  # share of 90 % intervals that contain the truth
    width: float  # of the intervals
    is_small: bool  # whether a fit has fewer than 50 labels


def row(regime: Regime, first_seed: int, draws: int) -> Row:
    found = [_figures(regime.draw(first_seed + i)) for i in range(draws)]
    biases = [float((of[:, 1] - of[:, 0]).mean()) for of in found]
    n_labels = len(regime.draw(first_seed).y)
    figures = np.concatenate(found)
    true, announced, low, high, mean = figures.T
    return Row(
        regime.name,
        len(figures),
        float(true.mean()),
        float(announced.mean()),
        float((announced - true).mean()),
        float(np.std(biases, ddof=1) / np.sqrt(draws)) if draws > 1 else float("nan"),
        float(np.abs(announced - true).mean()),
        float(np.abs(mean - true).mean()),
        float(((low <= true) & (true <= high)).mean()),
        float((high - low).mean()),
        n_labels < 50,
    )


def _figures(draw: Draw) -> Floats:
    """(tasks, 5): true, announced, both ends of the interval, and the mean of what is announced."""
    model = MultiTaskSPCA(**draw.parameters).fit(draw.X, draw.y, task=draw.task)
    true, announced = draw.true_errors(model), model.forecast_error_
    mean = np.full_like(announced, announced.mean())
    ends = model.forecast_interval_ + draw.resolution * np.array([-1.0, 1.0])
    figures = np.column_stack([true, announced, ends, mean])
    return np.asarray(figures[np.isfinite(true)])
