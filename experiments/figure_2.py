"""Figure 2, top: error on a small task helped by a large one, against their relatedness.

Means ∓e₁ and ∓(βe₁ + √(1 − β²)e_p), p = 100, 1 000 and 50 rows per class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

from experiments import drawing, methods, paper
from experiments.options import Options
from experiments.rows import Point, Row, select, values
from experiments.trials import average, fitted_error, oracle_error, theory
from kinspan.datasets import gaussian_mixture, related_means
from kinspan.theory import (
    error_rate,
    lssvm_error_rate,
    lssvm_optimal_labels,
    mtl_score_means,
    optimal_error_rate,
)

NAME = "figure-2"
P, COUNTS, TARGET = 100, [[1000, 1000], [50, 50]], 1
SPCA = (
    methods.SINGLE,
    methods.NAIVE,
    methods.NAIVE_EIGENVECTOR,
    methods.PLUGIN,
    methods.DEFAULT,
    methods.ORACLE,
)
OTHERS = (methods.LSSVM, methods.LANDMARKS, methods.ALL_LANDMARKS)
LIMITS = (
    methods.SINGLE,
    methods.NAIVE,
    methods.NAIVE_EIGENVECTOR,
    methods.ORACLE,
    methods.LSSVM,
)
PRINTED = {
    (methods.SINGLE, "theory"): "ST SPCA",
    (methods.NAIVE, "theory"): "N-SPCA (Th)",
    (methods.NAIVE_EIGENVECTOR, "empirical"): "N-SPCA (Emp)",
    (methods.ORACLE, "theory"): "MTL SPCA (Th)",
    (methods.ORACLE, "empirical"): "MTL SPCA (Emp)",
    (methods.LSSVM, "theory"): "MTL LSSVM (Th)",
    (methods.ALL_LANDMARKS, "empirical"): "CDLS (Emp)",
}  # the curves of the paper, by the method that its scripts run


def points(options: Options) -> list[Point]:
    """Every β and method; CDLS with its selection of landmarks takes seconds per fit."""
    betas = (0.0, 1.0) if options.quick else [i / 9 for i in range(10)]
    measured = (*SPCA, methods.LSSVM, methods.ALL_LANDMARKS)
    empirical = measured if options.quick else (*measured, methods.LANDMARKS)
    kinds = [("theory", LIMITS), ("empirical", empirical)]
    return [
        {"beta": beta, "method": method, "kind": kind}
        for beta in betas
        for kind, named in kinds
        for method in named
    ]


def measure(point: Point, options: Options) -> Row:
    """The limit, or the mean over draws of training rows."""
    beta, method = point["beta"], point["method"]
    means = related_means([1, beta], P)
    if point["kind"] == "theory":
        M = means.reshape(-1, P)
        return theory(limit(method, M @ M.T))

    def trial(seed: Any) -> float:
        rng = np.random.default_rng(seed)
        train = gaussian_mixture(means, COUNTS, random_state=rng)
        if method == methods.ORACLE:
            return oracle_error(train, TARGET)
        unlabelled = train.sample([[0, 0], [500, 500]], random_state=rng).X
        model = methods.estimator(method, None, TARGET)
        return fitted_error(method, model, train, TARGET, unlabelled)

    return average(trial, options.draws(5 if method == methods.LANDMARKS else 100, quick=5))


def limit(method: str, gram: Any) -> float:
    """The theoretical error of a method."""
    setting = gram, COUNTS, P
    if method == methods.SINGLE:
        return float(error_rate(*setting, [[0, 0], [1, -1]], target=TARGET))
    if method == methods.NAIVE:
        return float(error_rate(*setting, [[1, -1], [1, -1]], target=TARGET))
    if method == methods.NAIVE_EIGENVECTOR:
        indicators = np.kron(np.eye(2), np.eye(2) - 0.5)  # of the cells, centred in their task
        leading = mtl_score_means(*setting, indicators)[:, 0]
        return float(norm.sf(abs(leading[2] - leading[3]) / 2))
    if method == methods.ORACLE:
        return float(optimal_error_rate(*setting, target=TARGET))
    shared, own = methods.BINARY
    strengths: Any = {"target": TARGET, "shared_strength": shared, "task_strengths": own}
    labels = lssvm_optimal_labels(*setting, **strengths)
    return lssvm_error_rate(*setting, labels, **strengths)


def draw(rows: list[Row]) -> drawing.Figure:
    """Left: the rules of supervised PCA; right: the other methods."""
    figure, both = drawing.panels(2, width=8.2, height=5.0)
    sides = [
        (SPCA, "Figure 2: supervised PCA, 1 000 rows per class help 50, p = 100"),
        ((methods.DEFAULT, *OTHERS), "Figure 2: other methods and kinspan"),
    ]
    for axes, (named, title) in zip(both, sides, strict=True):
        for method in named:
            limits = select(rows, method=method, kind="theory")
            found = select(rows, method=method, kind="empirical")
            drawing.theory(axes, method, limits, "beta")
            drawing.ours(axes, method, found, "beta", joined=not limits)
        for (method, kind), curve in PRINTED.items():
            if method in named and (kind == "empirical" or method == methods.LSSVM):
                drawing.printed(axes, method, *paper.coordinates(NAME, curve))
        drawing.label(axes, title, "relatedness β of the two tasks", "error on the small task")
        drawing.legend(axes, drawing.named(n for n in named if n in values(rows, "method")))
    both[1].set_ylim(0.15, 0.3)
    return figure


def describe(rows: list[Row]) -> list[str]:
    """Our values next to the paper's."""
    return paper.curves_beside(NAME, "beta", rows, lambda m, kind: PRINTED.get((m, kind), ""))
