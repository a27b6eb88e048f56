"""Figure 1: PCA and supervised PCA of one task against the number of features.

Means ∓e₁, 500 rows per class. PCA fails beyond the phase transition at p = n; SPCA has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments import drawing, paper
from experiments.options import Options
from experiments.rows import Point, Row, select
from experiments.trials import average, fitted_error, theory
from kinspan.baselines import PCAClassifier, SPCAClassifier
from kinspan.datasets import gaussian_mixture, related_means
from kinspan.theory import pca_error_rate, spca_error_rate

NAME = "figure-1"
METHODS = ("PCA", "SPCA")
N = 500  # rows per class


def points(options: Options) -> list[Point]:
    """Every p, method and kind of error."""
    sizes = (100, 500) if options.quick else range(100, 1001, 100)
    return [
        {"p": p, "method": method, "kind": kind}
        for p in sizes
        for method in METHODS
        for kind in ("theory", "empirical")
    ]


def measure(point: Point, options: Options) -> Row:
    """The limit, or the mean over 50 draws of training rows."""
    p, method = point["p"], point["method"]
    if point["kind"] == "theory":
        rate: Any = pca_error_rate if method == "PCA" else spca_error_rate
        return theory(rate([[1, -1], [-1, 1]], [N, N], p))
    model = PCAClassifier(n_components=1) if method == "PCA" else SPCAClassifier()

    def trial(seed: Any) -> float:
        rng = np.random.default_rng(seed)
        return fitted_error(
            method, model, gaussian_mixture(related_means([1], p), N, random_state=rng), 0
        )

    return average(trial, options.draws(50, quick=5))


def draw(rows: list[Row]) -> drawing.Figure:
    """Error against p."""
    figure, (axes,) = drawing.panels(1, width=7.5)
    for method in METHODS:
        drawing.theory(axes, method, select(rows, method=method, kind="theory"), "p")
        drawing.ours(axes, method, select(rows, method=method, kind="empirical"), "p")
        drawing.printed(axes, method, *paper.coordinates(NAME, f"{method} (Emp)"))
    drawing.label(
        axes,
        "Figure 1: one task, means ∓e₁, 500 rows per class",
        "number of features p",
        "classification error",
    )
    drawing.legend(axes, drawing.named(METHODS))
    return figure


def describe(rows: list[Row]) -> list[str]:
    """Our values next to the paper's."""
    suffix = {"theory": "Th", "empirical": "Emp"}
    return paper.curves_beside(NAME, "p", rows, lambda m, kind: f"{m} ({suffix[kind]})")
