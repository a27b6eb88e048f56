"""What was measured of rows without labels → the tables of docs/measured.md."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

METHODS = ("self-training", "label spreading")  # of scikit-learn, for each task alone


def table(found: list[list[str]]) -> str:
    """Mean accuracies, gains and weights of every setting, as Markdown."""
    head = ["data", "labels", "unlabelled rows", "labels alone", "gain", "worst draw", "worst task"]
    head += ["of all draws", "weight", "bias", "cover", "cost", *METHODS]
    lines = ["| " + " | ".join(head) + " |", "|---|--:|---|" + "--:|" * (len(head) - 3)]
    for setting in dict.fromkeys(tuple(row[:3]) for row in found):
        rows = [row for row in found if tuple(row[:3]) == setting]
        of = {way: [row for row in rows if row[4] == way] for way in {row[4] for row in rows}}
        lines.append("| " + " | ".join([*setting, *_cells(of)]) + " |")
    return "\n".join(lines)


def _cells(of: dict[str, list[list[str]]]) -> list[str]:
    accuracy = {way: np.array([float(row[5]) for row in rows]) for way, rows in of.items()}
    gain = accuracy["with unlabelled"] - accuracy["labels alone"]
    used = np.array([row[6:12] for row in of["with unlabelled"]], dtype=float)
    losses, (weight, forecast, error, covered, seconds) = used[:, 0], used[:, 1:].mean(axis=0)
    cells = [f"{accuracy['labels alone'].mean():.1f}", f"{gain.mean():+.1f}", f"{gain.min():+.1f}"]
    cells += [f"{losses.max():.1f}", f"{100 * lost_by_tasks(of).max():.1f}", f"{weight:.2f}"]
    cells += [f"{forecast - error:+.3f}", f"{covered:.2f}"]
    if "all labelled" in of:
        cells.append(f"{seconds / np.mean([float(row[11]) for row in of['all labelled']]):.1f}")
        cells += [f"{accuracy[way].mean():.1f}" for way in METHODS]
    return cells


def lost_by_tasks(of: dict[str, list[list[str]]]) -> NDArray[Any]:
    """(tasks,): how much higher the error of a task is with unlabelled rows, in all draws."""
    before, after = (
        np.array([row[12].split() for row in of[way]], dtype=float).mean(axis=0)
        for way in ("labels alone", "with unlabelled")
    )
    return np.asarray(after - before)
