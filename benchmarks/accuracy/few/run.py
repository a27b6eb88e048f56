"""The loop over sets, labels, draws and methods: it continues where it stopped."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.accuracy.few.draws import balanced_error, drawn, settings
from benchmarks.accuracy.few.rows import FILE, Key, Row
from benchmarks.accuracy.few.sets import Set
from benchmarks.peers.filling import fill
from benchmarks.peers.fits import OfTasks
from benchmarks.peers.measure import measured
from benchmarks.peers.peer import Peer
from benchmarks.peers.samples import Sample
from kinspan.datasets import TaskDataset


class Plan(NamedTuple):
    """What is measured on every set."""

    labels: list[int]  # per class, in every task
    seeds: range  # of the draws
    methods: list[Peer]
    again: bool = False  # also what the file has


def run(sets: Iterable[Set], plan: Plan, path: Path, folder: str | None) -> None:
    """Measure every row that the file lacks, or all of them again."""
    present = loaded(sets, folder)
    wanted = {name: keys(data, name, plan) for name, data in present.items()}
    if plan.again:  # all at once: an interrupted run then continues without asking for it again
        again = {key for of_set in wanted.values() for key in of_set}
        FILE.forget(path, lambda row: row.key in again)
    for name, data in present.items():
        fill(FILE, path, wanted[name], plan.methods, partial(drawn, data), judged)


def loaded(sets: Iterable[Set], folder: str | None) -> dict[str, TaskDataset]:
    """The sets whose data are there, by name; of the others, the reason is printed."""
    present = {}
    for of in sets:
        try:
            present[of.name] = of.load(data=folder)
        except FileNotFoundError as absent:
            print(f"{of.name} is skipped: {absent}")
    return present


def keys(data: TaskDataset, name: str, plan: Plan) -> list[Key]:
    """The rows of a set in a complete file, in the order in which they are measured."""
    features, labels = data.X.shape[1], settings(data, plan.labels)
    methods = [method for method in plan.methods if features <= method.widest]
    for n in sorted(set(plan.labels) - set(labels)):
        print(f"{name}: {n} labels are left out, no class has enough rows for them")
    for method in plan.methods:
        if method not in methods:
            print(f"{name}: {method.name} is left out, too slow for {features} features")
    return [
        Key(name, n, seed, method.name) for n in labels for seed in plan.seeds for method in methods
    ]


def judged(key: Key, method: Peer, sample: Sample, done: object) -> Row:
    """Fit and predict, timed."""
    rule, right, *seconds = measured(method, sample, {})
    error = balanced_error(sample.test, right)
    forecast = None
    if isinstance(rule, OfTasks):
        forecast = 100 * float(np.mean(rule.model.forecast_error_))
    return Row(*key, error, forecast, sum(seconds))
