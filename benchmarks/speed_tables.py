"""Times of a large array → the table of docs/measured.md.

python -m benchmarks.speed_tables prints it, to be pasted after `make bench`; a test compares.
"""

from __future__ import annotations

import csv

from benchmarks._measure import RESULTS

UNIT = "`X.sum(axis=0)`: reading the data once"
DEFAULT = "**`MultiTaskSPCA().fit`**: with covariance, forecasts and calibration"
COMPILED = "**`MultiTaskSPCA(metric=0, row_sample=0).fit`** with numba"
PAGE = {
    f"{COMPILED} (`kinspan[fast]`): moments and all 20 rules": "fit, moments only, compiled",
    "the same from a memory-mapped file": "memory-mapped file, moments only",
    "a copy of X": "copy of X",
    "the same without numba": "fit, moments only",
    "through Dask, 16 blocks": "Dask, 16 blocks, two threads, moments only",
    "in 100 batches by `partial_fit`": "100 batches by partial_fit, moments only",
    "scikit-learn `GaussianNB` on the cells": "scikit-learn GaussianNB.fit on cells",
    "scikit-learn `NearestCentroid` on the cells": "scikit-learn NearestCentroid.fit on cells",
    "scikit-learn `LogisticRegression`, one pooled model": (
        "scikit-learn LogisticRegression.fit, pooled"
    ),
    DEFAULT: "fit, default",
    "adapt `BalancedWeighting` with logistic regression, one target": (
        "adapt BalancedWeighting of logistic, one target"
    ),
    "the default in 100 batches by `partial_fit`": "100 batches by partial_fit, default",
    "scikit-lego `GroupedClassifier` with logistic regression": (
        "scikit-lego GroupedClassifier of logistic"
    ),
    "scikit-learn `LinearDiscriminantAnalysis`, one pooled model": (
        "scikit-learn LinearDiscriminantAnalysis.fit, pooled"
    ),
    "skada `CORAL` with logistic regression, one target": "skada CORAL with logistic, one target",
}


def measured() -> dict[str, tuple[float, float]]:
    """What was timed: its ratio to reading X once, and its memory in megabytes."""
    found = {}
    for name in ("speed_of_peers.csv", "speed.csv"):
        with (RESULTS / name).open(encoding="utf-8") as file:
            next(file)  # the machine
            for row in csv.DictReader(file):
                found[row["what"]] = float(row["ratio"]), float(row["peak_megabytes"])
    return found


def table(names: dict[str, str]) -> list[str]:
    """Lines of a table, the fastest first; what is kinspan's in bold."""
    found = measured()
    lines = ["| | time | extra memory |", "|---|--:|--:|", f"| {UNIT} | 1 × | |"]
    for name in sorted(names, key=lambda name: found[names[name]][0]):
        ratio, megabytes = found[names[name]]
        bold = "**" * name.startswith("**")
        time = f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"
        memory = f"{megabytes:,.0f}".replace(",", " ")
        lines.append(f"| {name} | {bold}{time} ×{bold} | {bold}{memory} MB{bold} |")
    return lines


if __name__ == "__main__":
    print("\n".join(table(PAGE)))
