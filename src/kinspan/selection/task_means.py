"""Moments with holes → the mean of every feature in every task, drawn to that of all tasks.

A mean x̄ of n values has the variance σ²/n around that of its task, and tasks have the variance τ²
around the mean x̿ of all. The expected mean of a task, eq. (45a) of docs/theory.md, is

    x̿ + (x̄ − x̿) τ²/(τ² + σ²/n).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Floats
from kinspan.class_moments import ClassMoments
from kinspan.selection.selective_holes import deviation_within_tasks


def n_values(moments: ClassMoments, unlabelled: ClassMoments | None) -> Floats:
    """(tasks, features): values that are there."""
    return _of_tasks(moments, unlabelled, lambda part: part.numbers)


def means_of_tasks(moments: ClassMoments, unlabelled: ClassMoments | None) -> Floats:
    """(tasks + 1, features): means of tasks and, last, of all; zero if nobody has a value."""
    n = n_values(moments, unlabelled)
    sums = _of_tasks(moments, unlabelled, lambda part: part.numbers * part.means)
    total = n.sum(axis=0)
    overall = sums.sum(axis=0) / np.where(total > 0, total, 1.0)
    beyond = np.where(n > 0, sums / np.where(n > 0, n, 1.0) - overall, 0.0)
    known = moments.effective()
    worth = n_values(known, None if unlabelled is None else unlabelled.effective())
    return np.vstack([overall + beyond * _share(beyond, worth, _deviation(known)), overall])


def _share(beyond: Floats, n: Floats, deviation: Floats) -> Floats:
    """(tasks, features): what is believed of means, by how much tasks differ more than by chance.

    The variance between tasks is that of DerSimonian and Laird. All is believed where nothing
    varies within tasks, or nobody knows how much.
    """
    varies = deviation > 0
    z = beyond / np.where(varies, deviation, 1.0)
    total = np.maximum(n.sum(axis=0), 1e-300)
    with np.errstate(over="ignore"):
        excess = (n * z**2).sum(axis=0) - ((n > 0).sum(axis=0) - 1.0)
        between = np.maximum(excess, 0.0) / np.maximum(total - (n**2).sum(axis=0) / total, 1e-300)
        return np.where(varies, 1.0 - 1.0 / (1.0 + n * between), 1.0)


def _deviation(moments: ClassMoments) -> Floats:
    """(features,): standard deviation within tasks; zero where there is one value of each."""
    n = moments.numbers.sum(axis=1)
    freedom, total = np.maximum(n - 1.0, 0.0).sum(axis=0), n.sum(axis=0)
    inflation = np.sqrt(total / np.where(freedom > 0, freedom, 1.0))
    deviation = deviation_within_tasks(moments)
    return np.where((freedom > 0) & np.isfinite(deviation), deviation * inflation, 0.0)


def _of_tasks(moments: ClassMoments, unlabelled: ClassMoments | None, of: Any) -> Floats:
    """(tasks, features): sums over the classes of every task, and over rows without labels."""
    sums = np.zeros((len(moments.tasks), moments.n_features))
    for part in (moments, unlabelled):
        if part is not None:
            np.add.at(sums, identifiers.lookup(moments.tasks, part.tasks), of(part).sum(axis=1))
    return sums
