"""The data sets: all tasks of a set have the same few labels per class."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.accuracy.few.texts import load_texts
from benchmarks.accuracy.sets import PAIRS
from kinspan.datasets import (
    TaskDataset,
    load_amazon_reviews,
    load_digit_pairs,
    load_mnist,
    load_office31,
    load_office_caltech,
)

LABELS = (3, 5, 10, 20)  # per class, in every task


class Set(NamedTuple):
    """A data set."""

    name: str
    load: Callable[..., TaskDataset]  # takes the folder as data=


def load_digits(*, data: str | None) -> TaskDataset:
    """The 45 pairs of scikit-learn's digits, as they are dealt by default; the folder is unused."""
    pairs = load_digit_pairs()
    X, y, task = (
        np.concatenate(parts)
        for parts in [
            (pairs.X, pairs.X_test),
            (pairs.y, pairs.y_test),
            (pairs.task, pairs.task_test),
        ]
    )
    return TaskDataset("pairs of scikit-learn's digits", X, y, task)


SETS = {
    s.name: s
    for s in [
        Set("Amazon texts", load_texts),
        Set("Amazon 400", load_amazon_reviews),
        Set("Amazon 5000 counts", partial(load_amazon_reviews, "counts5000")),
        Set("Office-Caltech SURF", load_office_caltech),
        Set("Office-Caltech deep", partial(load_office_caltech, "efficientnet-lite2")),
        Set("Office-31 deep", load_office31),
        Set("digits pairs", load_digits),
        Set("MNIST pairs", partial(load_mnist, PAIRS)),
    ]
}
