"""The data sets, and which of their rows have labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.samples import Sample, single, some, standardised
from kinspan.datasets import (
    TaskDataset,
    load_amazon_reviews,
    load_mnist,
    load_office31,
    load_office_caltech,
    load_office_home,
)

Chosen = NDArray[np.intp]
PAIRS = [(1, 4), (7, 9), (3, 8), (5, 6), (2, 9), (3, 5)]  # Figure 3 of the paper


class Set(NamedTuple):
    """A data set, each task of which is the target in turn."""

    name: str
    load: Callable[..., TaskDataset]  # takes the folder as data=
    target_labels: int | float  # rows of each class, or a share of them
    source_labels: int | None  # rows of each class of the other tasks; None is all
    draws: int
    tuning_folds: int = 3  # how many of three folds choose hyperparameters


_counts = partial(load_amazon_reviews, "counts5000")
_deep_caltech = partial(load_office_caltech, "efficientnet-lite2")
SETS = {
    s.name: s
    for s in [
        Set("Amazon 400, 20 per class", load_amazon_reviews, 20, 100, 10),
        Set("Amazon 400, 50 per class", load_amazon_reviews, 50, 100, 10),
        Set("Amazon 5000 counts, 50 per class", _counts, 50, 100, 10),
        Set("MNIST pairs, 10 per class", partial(load_mnist, PAIRS), 10, 100, 10),
        Set("Office-Caltech SURF, 3 per class", load_office_caltech, 3, None, 10),
        Set("Office-Caltech deep, a quarter", _deep_caltech, 0.25, None, 10, 1),
        Set("Office-31 deep, a quarter", load_office31, 0.25, None, 10, 1),
        Set("Office-Home deep, a quarter", load_office_home, 0.25, None, 10, 1),
    ]
}


def targets(data: TaskDataset) -> list[str]:
    """Every task is a target."""
    return [str(t) for t in np.unique(data.task)]


def training_rows(data: TaskDataset, of: Set, target: str, draw: int) -> Chosen:
    """The labelled rows, the same for all methods; the rows of a source suit all targets."""
    rng = np.random.default_rng(draw)
    may_train = np.ones(len(data.y), bool) if data.split is None else data.split == "train"
    chosen = []
    for t in np.unique(data.task):
        for c in np.unique(data.y):
            rows = rng.permutation(np.flatnonzero((data.task == t) & (data.y == c) & may_train))
            wanted = of.target_labels if t == target else of.source_labels
            if isinstance(wanted, float):
                wanted = max(1, round(wanted * len(rows)))
            chosen.append(rows[:wanted])
    return np.concatenate(chosen)


def held_out_rows(data: TaskDataset, target: str, train: Chosen) -> Chosen:
    """The other rows of the target, or its test rows if the data come with a test part."""
    mine = data.task == target
    if data.split is not None:
        return np.flatnonzero(mine & (data.split == "test"))
    return np.setdiff1d(np.flatnonzero(mine), train)


def prepared(data: TaskDataset, target: str, train: Chosen) -> Sample:
    """The rows with labels and the new ones, standardised, in single precision."""
    sample = Sample(some(data, train), some(data, held_out_rows(data, target, train)))
    return standardised(sample).changed(lambda rows: single(rows.X))
