"""Figure 3, top: error on a task with five rows per class, against the number of tasks.

Means ∓μ_t with μ_t = β_t e₁ + √(1 − β_t²) e_p, β_t uniform in [0, 1], p = 200; the other tasks have
50 rows per class. The plug-in rule gets worse with more tasks; kinspan follows the
oracle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments import drawing, methods, paper
from experiments.options import Options
from experiments.rows import Point, Row, select
from experiments.trials import average, fitted_error, oracle_error
from kinspan.datasets import GaussianTasks, gaussian_mixture, related_means
from kinspan.theory import error_rate, optimal_error_rate

NAME = "figure-3-synthetic"
P = 200
METHODS = (
    methods.SINGLE,
    methods.NAIVE,
    methods.NAIVE_EIGENVECTOR,
    methods.PLUGIN,
    methods.DEFAULT,
    methods.ORACLE,
)
LIMITS = (methods.SINGLE, methods.NAIVE, methods.ORACLE)
PRINTED = {
    methods.ORACLE: "MTL SPCA",
    methods.NAIVE_EIGENVECTOR: "N-SPCA",
    methods.SINGLE: "ST-SPCA",
}  # by the method that the scripts of the paper run


def points(options: Options) -> list[Point]:
    """Every number of tasks and method."""
    sizes = (2, 8, 32) if options.quick else [2**i for i in range(1, 9)]
    return [
        {"tasks": k, "method": method, "kind": kind}
        for k in sizes
        for kind, named in (("theory", LIMITS), ("empirical", METHODS))
        for method in named
    ]


def measure(point: Point, options: Options) -> Row:
    """The mean over draws of similarities and, unless it is a limit, of training rows."""
    k, method = point["tasks"], point["method"]

    def trial(seed: Any) -> float:
        rng = np.random.default_rng([*seed, k])
        means = related_means(rng.uniform(0, 1, k), P, directions="shared")
        counts = np.full((k, 2), 50)
        counts[-1] = 5
        if point["kind"] == "theory":
            M = means.reshape(-1, P)
            return limit(method, M @ M.T, counts)
        return error(method, gaussian_mixture(means, counts, random_state=rng), k - 1)

    full = 100 if k <= 32 else 50 if k <= 128 else 30
    return average(trial, options.draws(full, quick=6))


def error(method: str, train: GaussianTasks, target: int) -> float:
    """The error of one draw."""
    if method == methods.ORACLE:
        return oracle_error(train, target)
    return fitted_error(method, methods.estimator(method, None), train, target)


def limit(method: str, gram: Any, counts: Any) -> float:
    """The theoretical error of a method for the given similarities."""
    target = len(counts) - 1
    if method == methods.ORACLE:
        return float(optimal_error_rate(gram, counts, P, target=target))
    weights = np.ones(len(counts)) if method == methods.NAIVE else np.eye(len(counts))[target]
    return float(error_rate(gram, counts, P, np.outer(weights, [1, -1]), target=target))


def draw(rows: list[Row]) -> drawing.Figure:
    """Error against the number of tasks."""
    figure, (axes,) = drawing.panels(1, width=9.5, height=5.0)
    for method in METHODS:
        limits = select(rows, method=method, kind="theory")
        found = select(rows, method=method, kind="empirical")
        drawing.theory(axes, method, limits, "tasks")
        drawing.ours(axes, method, found, "tasks", joined=not limits)
        if method in PRINTED:
            drawing.printed(axes, method, *paper.coordinates(NAME, PRINTED[method]))
    sizes = [row["tasks"] for row in select(rows, method=methods.ORACLE, kind="theory")]
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [str(k) for k in sizes])
    drawing.label(
        axes,
        "Figure 3, synthetic: random similarities, five rows per class in the target, p = 200",
        "number of tasks",
        "error on the target",
    )
    drawing.legend(axes, drawing.named(METHODS), beside=True)
    return figure


def describe(rows: list[Row]) -> list[str]:
    """Our values next to the paper's."""
    return paper.curves_beside(NAME, "tasks", rows, lambda m, _: PRINTED.get(m, ""))
