"""Table 1: accuracy from a source domain to a target domain with labels for a quarter of its rows.

The paper uses ImageCLEF with ResNet-50 features. We run Office-31 and Office-Caltech with other
features, named as such, and ImageCLEF if the data folder contains the published pairs.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from experiments import drawing, methods, paper
from experiments.options import Options
from experiments.published import PAIRS, at_hand
from experiments.rows import Point, Row, column, select, values
from experiments.trials import answered, average, quarter, split, take
from kinspan.datasets import TaskDataset, load_office31, load_office_caltech

NAME = "table-1"
OFFICE31 = "Office-31, EfficientNet-Lite2"
CALTECH = "Office-Caltech, EfficientNet-Lite2"
SURF = "Office-Caltech, SURF"
CALTECH_DOMAINS = ("amazon", "caltech10", "dslr", "webcam")
STORED = {
    OFFICE31: ("amazon", "dslr", "webcam"),
    CALTECH: CALTECH_DOMAINS,
    SURF: CALTECH_DOMAINS,
}
FILES = {
    OFFICE31: "office31_efflite2_1280.npz",
    CALTECH: "office_caltech10_efflite2_1280.npz",
    SURF: "office_caltech10_surf800.npz",
    **{name: pairs.first_file for name, pairs in PAIRS.items()},
}
METHODS = (
    methods.SINGLE,
    methods.ALONE,
    methods.NAIVE,
    methods.NAIVE_EIGENVECTOR,
    methods.LSSVM,
    methods.ALL_LANDMARKS,
    methods.PLUGIN,
    methods.DEFAULT,
)
PRINTED = {
    methods.SINGLE: "ST SPCA",
    methods.NAIVE_EIGENVECTOR: "N-SPCA",
    methods.LSSVM: "MTL LSSVM",
    methods.ALL_LANDMARKS: "CDLS",
    methods.PLUGIN: "MTL SPCA",
}  # by the method that the scripts of the paper run


def points(options: Options) -> list[Point]:
    """Every available dataset, ordered pair of its domains and method."""
    domains = STORED | {name: pairs.domains for name, pairs in PAIRS.items()}
    found = [SURF] if options.quick else at_hand(options.data, FILES) or list(STORED)
    return [
        {"dataset": name, "source": source, "target": target, "method": method}
        for name in found
        for source, target in permutations(domains[name][2 if options.quick else 0 :], 2)
        for method in METHODS
    ]


def measure(point: Point, options: Options) -> Row:
    """The mean over five draws of the labelled quarter, in per cent."""
    target, method = point["target"], point["method"]
    data = _pair(point["dataset"], point["source"], target, options.data)

    def trial(seed: Any) -> float:
        model = methods.estimator(method, "task", target, methods.MANY_CLASSES)
        parts = split(data, target, quarter(target), seed)
        return 100.0 * (1.0 - answered(method, model, parts, target))

    return average(trial, options.draws(5, quick=2), "accuracy")


@lru_cache(maxsize=1)
def _pair(name: str, source: str, target: str, data: str | None) -> TaskDataset:
    if name in PAIRS:
        return PAIRS[name].load((source, target), data=data)
    whole = _whole(name, data)
    return take(whole, np.isin(whole.task, (source, target)))


@lru_cache(maxsize=1)
def _whole(name: str, data: str | None) -> TaskDataset:
    if name == OFFICE31:
        return load_office31(data=data)
    return load_office_caltech("surf" if name == SURF else "efficientnet-lite2", data=data)


def draw(rows: list[Row]) -> drawing.Figure:
    """Small marks: pairs; large marks: their average; one panel per dataset, one for the paper."""
    datasets = values(rows, "dataset")
    figure, axes = drawing.panels(len(datasets) + 1, width=4.3, height=4.2)
    for panel, name in zip(axes, datasets, strict=False):
        _panel(panel, name, {m: _accuracies(rows, name, m) for m in METHODS})
    printed = {m: np.array(list(paper.entries(NAME, c).values())[:-1]) for m, c in PRINTED.items()}
    _panel(axes[-1], "the paper's: ImageCLEF, ResNet-50", printed, hollow=True)
    for panel in axes[1:]:
        panel.set_yticklabels([])
    return figure


def _panel(
    axes: drawing.Axes, title: str, accuracies: dict[str, Any], *, hollow: bool = False
) -> None:
    for method, found in accuracies.items():
        colour, mark = drawing.STYLES[method]
        height = len(METHODS) - 1 - METHODS.index(method)
        face = "none" if hollow else colour
        axes.plot(found, np.full(len(found), height), "|", color=colour, markersize=9, alpha=0.7)
        axes.plot(
            found.mean(), height, mark, markerfacecolor=face, markeredgecolor=colour, markersize=8.5
        )
        axes.annotate(
            f"{found.mean():.1f}", (found.mean(), height), (0, 8), textcoords="offset points",
            ha="center", fontsize=8.5,
        )  # fmt: skip
    axes.set_yticks(range(len(METHODS)), METHODS[::-1])
    axes.set_ylim(-0.5, len(METHODS) - 0.4)
    drawing.label(axes, title, "accuracy (%): pairs | and their average", "")


def _accuracies(rows: list[Row], dataset: str, method: str) -> Any:
    return column(select(rows, dataset=dataset, method=method), "accuracy")


def describe(rows: list[Row]) -> list[str]:
    """Averages and pairs of every dataset, then the paper's averages."""
    lines = []
    for name in values(rows, "dataset"):
        for method in METHODS:
            found = select(rows, dataset=name, method=method)
            pairs = [f"{r['source']} → {r['target']} {r['accuracy']:.1f}" for r in found]
            mean = column(found, "accuracy").mean()
            lines.append(f"{name}, {method}: average {mean:.2f}; {', '.join(pairs)}")
    averages = [f"{c} {paper.entries(NAME, c)['Average']:.2f}" for c in PRINTED.values()]
    return [*lines, f"the paper's averages, ImageCLEF, ResNet-50: {', '.join(averages)}"]
