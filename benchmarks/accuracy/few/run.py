"""The loop over sets, labels, draws and methods: it continues where it stopped."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from benchmarks.accuracy.few.draws import Draw, balanced_error, drawn, settings
from benchmarks.accuracy.few.methods import Method
from benchmarks.accuracy.few.rows import Key, Row, append, forget, read
from benchmarks.accuracy.few.sets import Set
from kinspan.datasets import TaskDataset


class Plan(NamedTuple):
    """What is measured on every set."""

    labels: list[int]  # per class, in every task
    seeds: range  # of the draws
    methods: list[Method]
    again: bool = False  # also what the file has


def run(sets: Iterable[Set], plan: Plan, path: Path, folder: str | None) -> None:
    """Measure every row that the file lacks, or all of them again."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    present = loaded(sets, folder)
    wanted = {name: keys(data, name, plan) for name, data in present.items()}
    if plan.again:  # all at once: an interrupted run then continues without asking for it again
        forget(path, {key for of_set in wanted.values() for key in of_set})
    done = read(path)
    for name, data in present.items():
        missing = [key for key in wanted[name] if key not in done]
        measure(data, missing, plan.methods, path)


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


def measure(data: TaskDataset, wanted: list[Key], methods: list[Method], path: Path) -> None:
    """Append the wanted rows, one draw after another."""
    by_name = {method.name: method for method in methods}
    for place in tqdm(dict.fromkeys(key[:3] for key in wanted), desc=data.name):
        draw = drawn(data, *place[1:])
        for key in (key for key in wanted if key[:3] == place):
            append(path, judged(key, by_name[key.method], draw))


def judged(key: Key, method: Method, draw: Draw) -> Row:
    """Fit and predict, timed."""
    start = time.process_time()
    answers = method.answer(draw)
    seconds = time.process_time() - start
    return Row(*key, balanced_error(draw.test, answers.classes), answers.forecast, seconds)
