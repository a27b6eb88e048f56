"""Figure 3, bottom: other pairs of digits help to distinguish a 1 from a 4.

Pixels from 0 to 1 on 100 principal components of the training images; 50 labels per class for the
target, 100 for the others; tested on the test images of MNIST. The noisy protocol, which the paper
used, adds noise N(0, 1) to every component; the clean one does not.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from experiments import added_tasks, drawing, methods
from experiments.options import Options
from experiments.rows import Point, Row, select, values
from experiments.trials import Seed, Split, answered, average, split
from kinspan.datasets import TaskDataset, load_mnist

NAME = "figure-3-mnist"
TARGET = "1 vs 4"
ADDED = ("7 vs 9", "3 vs 8", "5 vs 6", "2 vs 9", "3 vs 5")
PAIRS = [(1, 4), (7, 9), (3, 8), (5, 6), (2, 9), (3, 5)]
PROTOCOLS = ("noisy", "clean")


def points(options: Options) -> list[Point]:
    """Every protocol, number of added pairs and method."""
    return [
        {"protocol": protocol, "added": added, "method": method}
        for protocol in PROTOCOLS
        for added, method in added_tasks.steps(len(ADDED))
        if not options.quick or added in (0, 1, len(ADDED))
    ]


def measure(point: Point, options: Options) -> Row:
    """The mean over 50 draws of labelled images and of noise."""
    method, helpers = point["method"], ADDED[: point["added"]]
    digits = components(options.data)

    def trial(seed: Any) -> float:
        parts = split(digits, TARGET, added_tasks.labelled(TARGET, helpers), seed)
        parts = noisy(parts, seed) if point["protocol"] == "noisy" else parts
        return answered(method, methods.estimator(method, "task"), parts, TARGET)

    return average(trial, options.draws(50, quick=3))


@cache
def components(data: str | None = None) -> TaskDataset:
    """The pairs on 100 principal components of their training images."""
    digits = load_mnist(PAIRS, data=data)
    X = np.asarray(digits.X, np.float32) / 255
    train = digits.split == "train"
    components = PCA(100, svd_solver="covariance_eigh").fit(X[train])
    return replace(digits, X=components.transform(X))


def noisy(parts: Split, seed: Seed) -> Split:
    """All rows with noise of variance one added."""
    rng = np.random.default_rng([*seed, 1])
    return Split(*(replace(p, X=p.X + rng.standard_normal(p.X.shape)) for p in parts))


def draw(rows: list[Row]) -> drawing.Figure:
    """One panel per protocol."""
    figure, both = drawing.panels(2, width=7.2, height=4.8)
    for axes, protocol in zip(both, PROTOCOLS, strict=True):
        added_tasks.panel(axes, select(rows, protocol=protocol), ADDED, NAME)
        how = "noise N(0, 1) added" if protocol == "noisy" else "no noise added"
        title = f"Figure 3, MNIST, 1 against 4: 100 components, {how}"
        drawing.label(axes, title, "added pair of digits", "error on 1 against 4")
        axes.set_ylim(0, 0.48)
    drawing.legend(both[1], drawing.named(added_tasks.METHODS), lines="", beside=True)
    return figure


def describe(rows: list[Row]) -> list[str]:
    """Our values next to the paper's."""
    return [
        line
        for protocol in values(rows, "protocol")
        for line in added_tasks.lines(select(rows, protocol=protocol), NAME, f"{protocol}, ")
    ]
