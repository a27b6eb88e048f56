"""The table of Figure 2: seconds to fit two tasks and to predict 1 000 rows, against p; n = 2p.

All methods are timed in the same run, each alternating with the plug-in rule, which is the
algorithm of the paper and the denominator of the ratios. One BLAS thread, processor time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from benchmarks._measure import seconds

from experiments import drawing, methods, paper
from experiments.options import Options
from experiments.rows import Point, Row, column, select, values
from kinspan.datasets import gaussian_mixture, related_means

NAME = "timing"
METHODS = (
    methods.PLUGIN,
    methods.DEFAULT,
    methods.LSSVM,
    methods.LSSVM_CHOSEN,
    methods.LANDMARKS,
    methods.ALL_LANDMARKS,
)
PRINTED = {
    methods.PLUGIN: "MTL SPCA",
    methods.LSSVM_CHOSEN: "MTL LSSVM",
    methods.ALL_LANDMARKS: "CDLS",
}
LARGEST = 3  # sizes that an exponent is fitted to


def points(options: Options) -> list[Point]:
    """Every p and method; CDLS with its selection of landmarks takes seconds."""
    sizes = (16, 32, 64) if options.quick else [2**i for i in range(4, 12)]
    named = [m for m in METHODS if not options.quick or m != methods.LANDMARKS]
    return [{"p": p, "method": method} for p in sizes for method in named]


def measure(point: Point, options: Options) -> Row:
    """Fastest of three repetitions; of up to seven within five seconds if the run is not quick."""
    p, method = point["p"], point["method"]
    rng = np.random.default_rng([options.seed, p])
    train = gaussian_mixture(related_means([1, 0.5], p), p // 2, random_state=rng)
    test = train.sample([[0, 0], [500, 500]], random_state=rng)
    work, plugin = (answering(name, train, test.X) for name in (method, methods.PLUGIN))
    plugin()
    timed = partial(seconds, clock=time.process_time)
    pairs = [(timed(work), timed(plugin)) for _ in range(3)]
    while len(pairs) < 7 and np.sum(pairs) < 5.0 and not options.quick:
        pairs.append((timed(work), timed(plugin)))
    taken, reference = (float(np.min(times)) for times in zip(*pairs, strict=True))
    return {"seconds": taken, "ratio": taken / reference, "repetitions": len(pairs)}


def answering(method: str, train: Any, X: Any) -> Callable[[], Any]:
    """Fit, then predict."""

    def work() -> Any:
        model = methods.estimator(method, None, target=1)
        return methods.fit(method, model, train, 1, X).predict(X, task=1)

    return work


def exponent(p: Any, taken: Any) -> float:
    """Slope on log–log axes over the largest sizes."""
    return float(np.polyfit(np.log(p[-LARGEST:]), np.log(taken[-LARGEST:]), 1)[0])


def draw(rows: list[Row]) -> drawing.Figure:
    """Left: seconds, right: ratios, against p."""
    figure, (left, right) = drawing.panels(2, width=7.0, height=4.8)
    reference = paper.coordinates(NAME, "MTL SPCA")[1]
    for method in values(rows, "method"):
        mine = select(rows, method=method)
        style = drawing.STYLES[method]
        for axes, what in ((left, "seconds"), (right, "ratio")):
            axes.plot(
                column(mine, "p"),
                column(mine, what),
                style.mark + "-",
                color=style.colour,
                markersize=5,
                linewidth=1.1,
            )
        if method in PRINTED:
            p, taken = paper.coordinates(NAME, PRINTED[method])
            drawing.printed(left, method, p, taken)
            drawing.printed(right, method, p, taken / reference)
    sizes = values(rows, "p")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log")
        axes.set_xticks(sizes, [str(p) for p in sizes])
        axes.minorticks_off()
    title = "Table of Figure 2: two tasks, n = 2p"
    drawing.label(left, f"{title}, fit and 1 000 predictions", "number of features p", "seconds")
    drawing.label(
        right, f"{title}, over the plug-in", "number of features p", "time relative to MTL-SPCA"
    )
    labels = {method: f"{method}: {_exponents(rows, method)}" for method in values(rows, "method")}
    drawing.legend(right, labels, lines="", filled="ours", beside=True)
    return figure


def describe(rows: list[Row]) -> list[str]:
    """Our values next to the paper's, and the exponents."""
    lines = []
    for method in values(rows, "method"):
        mine = select(rows, method=method)
        printed = paper.coordinates(NAME, PRINTED.get(method, ""))
        lines.append(f"{method}, exponent: {_exponents(rows, method)}")
        lines.append(paper.beside(f"{method}, seconds", mine, "p", printed, "seconds"))
        lines.append(paper.beside(f"{method}, ratio", mine, "p", _ratios(printed), "ratio"))
    return lines


def _ratios(printed: tuple[Any, Any]) -> tuple[Any, Any]:
    p, taken = printed
    return p, taken / paper.coordinates(NAME, "MTL SPCA")[1] if len(p) else taken


def _exponents(rows: list[Row], method: str) -> str:
    mine = select(rows, method=method)
    ours = f"p^{exponent(column(mine, 'p'), column(mine, 'seconds')):.1f}"
    if method not in PRINTED:
        return ours
    return f"{ours} (the paper's p^{exponent(*paper.coordinates(NAME, PRINTED[method])):.1f})"
