"""What rows without labels could be worth at most, and what they are: `make unlabelled`.

Four related tasks of Gaussian rows, 80 per class, of which a share has labels. The error of labels
alone and of all rows, by kinspan, next to the least errors that any method can reach, which
`kinspan.theory.bayes_error_rate` knows, and to those of rules that all rows have taught once
(`semi_supervised_error_rate`). Errors are exact: the classes are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from benchmarks._measure import RESULTS
from benchmarks._resumable import append_line, finished
from benchmarks.unlabelled import N_FEATURES, N_TASKS, gram
from kinspan import MultiTaskSPCA
from kinspan.displays._canvas import ALONE, OURS
from kinspan.theory import bayes_error_rate, semi_supervised_error_rate

ROWS = 80  # per class and task
LABELS = (1, 2, 3, 5, 10, 20, 40, 80)  # of them, with labels
DRAWS = range(100, 110)  # the method was developed on draws from 1000 on
FIELDS = ["labels", "draw", "labels alone", "all rows"]
IMAGE = RESULTS.parents[1] / "docs" / "images" / "unlabelled.svg"


def bounds(n: int) -> tuple[float, float]:
    """The least errors with n labels per class: without other rows, and with them."""
    G = np.kron(gram(), [[1, -1], [-1, 1]])
    counts = np.full((N_TASKS, 2), ROWS)
    both = bayes_error_rate(G, counts, N_FEATURES, n / ROWS)
    alone = bayes_error_rate(G, np.full((N_TASKS, 2), n), N_FEATURES, 1.0)
    return float(alone.mean()), float(both.mean())


def taught_once(n: int) -> float:
    """The error of the best rules with n labels per class that the other rows have taught once."""
    G, counts = np.kron(gram(), [[1, -1], [-1, 1]]), np.full((N_TASKS, 2), ROWS)
    return float(semi_supervised_error_rate(G, counts, N_FEATURES, n / ROWS).mean())


def errors(n: int, seed: int) -> tuple[float, float]:
    """Errors of one draw with n labels per class, without other rows and with them."""
    rng = np.random.default_rng([seed, n])
    axes = np.linalg.qr(rng.standard_normal((N_FEATURES, N_TASKS)))[0].T
    means = np.linalg.cholesky(gram()) @ axes
    task = np.repeat(np.arange(N_TASKS), 2 * ROWS)
    side = np.tile(np.repeat([-1.0, 1.0], ROWS), N_TASKS)
    X = rng.standard_normal((len(task), N_FEATURES)) + side[:, None] * means[task]
    known = np.tile(np.arange(ROWS) < n, 2 * N_TASKS)
    alone = MultiTaskSPCA().fit(X[known], side[known], task=task[known])
    both = MultiTaskSPCA().fit(X, np.where(known, side, np.nan), task=task)
    return _exact(alone, means), _exact(both, means)


def _exact(model: Any, means: NDArray[Any]) -> float:
    w, offset = model.coef_[:, 0], model.intercept_[:, 0]
    size, gap = np.linalg.norm(w, axis=1), (w * means).sum(axis=1)
    return float(0.5 * (norm.sf((gap + offset) / size) + norm.sf((gap - offset) / size)).mean())


def draw(rows: list[list[str]]) -> Any:
    """Errors against the share of labels: lines are bounds, marks are measured."""
    from matplotlib import pyplot as plt  # noqa: PLC0415  # drawing is optional

    figure, axes = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
    found = np.array(rows, dtype=float)
    shares, limits = np.array(LABELS) / ROWS, np.array([bounds(n) for n in LABELS])
    for column, colour, mark, name in (
        (0, ALONE, "s", "labels alone"),
        (1, OURS, "o", "all rows"),
    ):
        drawn = [found[found[:, 0] == n, 2 + column] for n in LABELS]
        means = np.array([of.mean() for of in drawn])
        spread = np.array([of.std(ddof=1) / np.sqrt(len(of)) for of in drawn])
        axes.plot(shares, limits[:, column], color=colour, label=f"{name}: the least error")
        axes.errorbar(
            shares, means, 2 * spread, fmt=mark, color=colour, label=f"{name}: kinspan, ± 2 s.e."
        )
    once = [taught_once(n) for n in LABELS]
    axes.plot(shares, once, color=OURS, linestyle="--", label="all rows: taught once, in theory")
    axes.set_xscale("log")
    axes.set_xticks(shares, [f"{100 * share:.3g} %" for share in shares], fontsize=8)
    axes.minorticks_off()
    axes.set(xlabel=f"share of the {ROWS} rows per class that has labels", ylabel="error")
    axes.set_ylim(0, 0.5)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8.5, frameon=False)
    return figure


def main() -> None:
    from matplotlib import rc_context  # noqa: PLC0415  # drawing is optional

    path = RESULTS / "unlabelled_bound.csv"
    done = {tuple(cells[:2]) for cells in finished(path)}
    for n in LABELS:
        for seed in DRAWS:
            if (str(n), str(seed)) not in done:
                found = (f"{error:.5f}" for error in errors(n, seed))
                append_line(path, FIELDS, [n, seed, *found])
    rows = finished(path)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "unlabelled"}):
        draw(rows).savefig(IMAGE, metadata={"Date": None})
    means = np.array(rows, dtype=float)
    for n in LABELS:
        alone, both = means[means[:, 0] == n, 2:].mean(axis=0)
        least = bounds(n)
        way = (alone - both) / (alone - least[1])
        print(
            f"{n:3d} labels: {alone:.3f} → {both:.3f} ({least[0]:.3f} → {least[1]:.3f}), {way:.0%}"
        )


if __name__ == "__main__":
    main()
