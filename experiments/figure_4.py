"""Figure 4: error against time of multi-class methods, on synthetic and on real tasks.

Synthetic: three tasks with ten classes as in the caption, error on the third. Real: every task is
the target in turn, with labels for a quarter of each of its classes and for all rows of the others;
pairs of MNIST digits, on 100 principal components, with 50 per class, and 100 in the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from benchmarks._measure import seconds
from matplotlib.lines import Line2D

from experiments import added_tasks, drawing, figure_3_mnist, methods, paper
from experiments.options import Options
from experiments.rows import Point, Row, column, select, values
from experiments.trials import Seed, Split, answered, average, quarter, split
from kinspan.datasets import (
    TaskDataset,
    gaussian_mixture,
    load_amazon_reviews,
    load_office31,
    load_office_caltech,
    load_office_home,
    many_class_means,
)

NAME = "figure-4"
METHODS = (methods.DEFAULT, methods.PLUGIN, methods.LSSVM, methods.LSSVM_CHOSEN)
PRINTED = {methods.PLUGIN: "MTL SPCA", methods.LSSVM: "MTL LSSVM"}


class Collection(NamedTuple):
    """Several tasks with the same classes."""

    load: Callable[..., TaskDataset]
    targets: tuple[str, ...]
    mark: str
    printed: str  # the name in the paper; empty if it has none
    labelled: Callable[[str], Callable[[str, int], int]] = quarter


def synthetic(seed: Seed, length: float = 2.0) -> Split:
    """Means β·2e_j + √(1 − β²)·2e_{p−j}, β = .2, .4, .6; 100, 100, 50 rows per class; p = 200.

    The length 2 is that of the caption.
    """
    rng = np.random.default_rng(seed)
    means = many_class_means([0.2, 0.4, 0.6], n_features=200, n_classes=10, norm=length)
    counts = np.repeat([[100], [100], [50]], 10, axis=1)
    train = gaussian_mixture(means, counts, random_state=rng)
    test = train.sample(np.repeat([[0], [0], [100]], 10, axis=1), random_state=rng)
    name = np.array(["first", "second", "third"])
    rows = [TaskDataset("synthetic", r.X, r.y, name[r.task]) for r in (train, test)]
    return Split(*rows)


DIGITS = (figure_3_mnist.TARGET, *figure_3_mnist.ADDED)
CALTECH = ("amazon", "caltech10", "dslr", "webcam")
SYNTHETIC = "synthetic Gaussian"
REAL = {
    "Office-Caltech, EfficientNet-Lite2": Collection(
        partial(load_office_caltech, "efficientnet-lite2"), CALTECH, "D", "Office-Caltech"
    ),
    "Office-31, EfficientNet-Lite2": Collection(
        load_office31, ("amazon", "dslr", "webcam"), "s", "Office 31"
    ),
    "Office-Home, EfficientNet-Lite2": Collection(
        load_office_home, ("Art", "Clipart", "Product", "RealWorld"), "^", "Office-Home"
    ),
    "Office-Caltech, SURF": Collection(load_office_caltech, CALTECH, "v", ""),
    "Amazon reviews": Collection(
        load_amazon_reviews, ("books", "dvd", "electronics", "kitchen"), "X", ""
    ),
    "MNIST, pairs of digits": Collection(
        figure_3_mnist.components,
        DIGITS,
        "P",
        "",
        lambda target: added_tasks.labelled(target, DIGITS),
    ),
}
MARKS = {SYNTHETIC: "o", **{name: collection.mark for name, collection in REAL.items()}}


def points(options: Options) -> list[Point]:
    """Every dataset, target and method."""
    targets = {SYNTHETIC: ("third",), **{name: c.targets for name, c in REAL.items()}}
    if options.quick:
        targets = {SYNTHETIC: ("third",), "Amazon reviews": ("kitchen",)}
    return [
        {"dataset": name, "target": target, "method": method}
        for name, of_dataset in targets.items()
        for target in of_dataset
        for method in METHODS
    ]


def measure(point: Point, options: Options) -> Row:
    """The mean error over draws, and the fastest fit and prediction in seconds."""
    name, target, method = point["dataset"], point["target"], point["method"]
    taken = []

    def trial(seed: Seed) -> float:
        parts = synthetic(seed) if name == SYNTHETIC else _real(name, target, seed, options.data)
        model = methods.estimator(method, "task", target, methods.MANY_CLASSES)
        errors: list[float] = []
        taken.append(seconds(lambda: errors.append(answered(method, model, parts, target))))
        return errors[0]

    found = average(trial, options.draws(20 if name == SYNTHETIC else 3, quick=2))
    return {**found, "seconds": min(taken)}


def _real(name: str, target: str, seed: Seed, data: str | None) -> Split:
    return split(_whole(name, data), target, REAL[name].labelled(target), seed)


@lru_cache(maxsize=1)
def _whole(name: str, data: str | None) -> TaskDataset:
    return REAL[name].load(data=data)


def draw(rows: list[Row]) -> drawing.Figure:
    """Left: our values, right: the paper's; colours are methods, marks are datasets."""
    figure, (left, right) = drawing.panels(2, width=7.2, height=5.2)
    for name in values(rows, "dataset"):
        _joined(left, MARKS[name], {m: _mean(rows, name, m) for m in METHODS})
    for curve, mark in _printed_sets().items():
        pairs = {m: _point(f"{curve}: {PRINTED[m]}") for m in PRINTED}
        _joined(right, mark, pairs, hollow=True)
    for axes, title in ((left, "Figure 4, ours"), (right, "Figure 4, the paper's")):
        axes.set(yscale="log", xlim=(0, 0.5), ylim=(0.003, 300))
        drawing.label(axes, title, "classification error", "seconds to fit and to predict")
    left.legend(handles=_legend(MARKS, METHODS), fontsize=8.5, frameon=False, ncols=2)
    right.legend(
        handles=_legend(_printed_sets(), PRINTED), fontsize=8.5, frameon=False, loc="lower right"
    )
    return figure


def _joined(
    axes: drawing.Axes, mark: str, pairs: dict[str, tuple[float, float]], *, hollow: bool = False
) -> None:
    by_time = sorted(pairs.values(), key=lambda at: at[1])
    axes.plot(*zip(*by_time, strict=True), color="0.8", linewidth=1, zorder=1)
    for method, at in pairs.items():
        colour = drawing.STYLES[method].colour
        face = "none" if hollow else colour
        axes.plot(*at, mark, markerfacecolor=face, markeredgecolor=colour, markersize=8)


def _legend(marks: dict[str, str], named: Any) -> list[Line2D]:
    datasets = [
        Line2D([], [], color="0.35", linestyle="", marker=mark, label=name)
        for name, mark in marks.items()
    ]
    colours = [Line2D([], [], color=drawing.STYLES[m].colour, linewidth=4, label=m) for m in named]
    return datasets + colours


def _printed_sets() -> dict[str, str]:
    known = {c.printed: c.mark for c in REAL.values() if c.printed}
    return {"Synthetic": "o", **known, "Image-Clef": "*"}


def _point(curve: str) -> tuple[float, float]:
    ((x, y),) = paper.entries(NAME, curve).items()
    return float(x), y


def _mean(rows: list[Row], dataset: str, method: str) -> tuple[float, float]:
    """The mean over the targets of a dataset."""
    found = select(rows, dataset=dataset, method=method)
    return float(column(found, "error").mean()), float(column(found, "seconds").mean())


def describe(rows: list[Row]) -> list[str]:
    """Error and seconds, our values next to the paper's."""
    known = {SYNTHETIC: "Synthetic", **{name: c.printed for name, c in REAL.items()}}
    lines = []
    for name in values(rows, "dataset"):
        for method in METHODS:
            error, taken = _mean(rows, name, method)
            line = f"{name}, {method}: error {error:.4f}, {taken:.3f} s"
            if known[name] and method in PRINTED:
                printed = _point(f"{known[name]}: {PRINTED[method]}")
                line += f" (the paper's {printed[0]:.4f}, {printed[1]:.3f} s)"
            lines.append(line)
    return lines
