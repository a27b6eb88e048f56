"""The loop over situations, seeds and methods: it continues where it stopped."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from benchmarks.comparison.contenders import OURS, Contender, Parameters
from benchmarks.comparison.rows import Fit, Key, append_fit, as_text, read_fits
from benchmarks.comparison.samples import Sample
from benchmarks.comparison.situations import Situation, rings
from kinspan import TaskStratifiedKFold

DISTRIBUTIONS = {
    "kinspan": ("kinspan", "numpy"),
    "sklearn": ("scikit-learn", "numpy"),
    "sklego": ("scikit-lego", "scikit-learn"),
    "skada": ("skada", "scikit-learn"),
    "adapt": ("adapt", "scikit-learn"),
    "lightgbm": ("lightgbm",),
    "tabpfn": ("tabpfn", "torch"),
}


class Outcome(NamedTuple):
    """The error of a method, and the time it took."""

    error: float
    fit_seconds: float
    predict_seconds: float


def run(situations: Iterable[Situation], contenders: list[Contender]) -> None:
    """Measure every fit that the file lacks."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    for contender in contenders:  # so that no import is timed
        errors(contender, contender.grid[0], rings(0))
    for situation in situations:
        for seed in tqdm(range(situation.seeds), desc=situation.name):
            for fit in one_sample(situation, seed, contenders):
                append_fit(fit)


def one_sample(situation: Situation, seed: int, contenders: list[Contender]) -> Iterator[Fit]:
    """The missing fits of a sample; kinspan is always fitted too, as the unit of time."""
    done = read_fits()
    sample = situation.make(seed)
    wanted = [
        c
        for c in contenders
        if Key(situation.name, seed, c.name) not in done
        and not (c.several_tasks and sample.n_tasks == 1)
    ]
    for contender in wanted:
        first = done.get(Key(situation.name, seed % situation.turns, contender.name))
        parameters = json.loads(first.parameters) if first else chosen(contender, sample)
        reference = judged(OURS, {}, sample)
        outcome = reference if contender is OURS else judged(contender, parameters, sample)
        versions = ", ".join(f"{d} {version(d)}" for d in DISTRIBUTIONS[contender.needs])
        where = situation.name, seed, contender.name
        yield Fit(*where, *outcome, *reference[1:], as_text(parameters), versions)


def chosen(contender: Contender, sample: Sample) -> Parameters:
    """By three-fold cross-validation on the first sample: the fewest errors, the first of ties."""
    if len(contender.grid) == 1:
        return contender.grid[0]
    parts = list(folds(sample))
    return min(
        contender.grid, key=lambda parameters: sum(errors(contender, parameters, p) for p in parts)
    )


def folds(sample: Sample) -> Iterator[Sample]:
    """Labelled rows of the tasks to predict are left out in turn."""
    asked = np.flatnonzero(np.isin(sample.rows.task, sample.new.task))
    kfold = TaskStratifiedKFold(3, shuffle=True, random_state=0)
    split = kfold.split(sample.rows.X[asked], sample.y[asked], groups=sample.rows.task[asked])
    for _, part in split:
        out: NDArray[np.int64] = asked[part]
        kept = np.delete(np.arange(len(sample.y)), out)
        yield Sample(
            sample.rows.of(kept),
            sample.y[kept],
            sample.rows.of(out),
            sample.y[out],
            sample.n_categorical,
        )


def errors(contender: Contender, parameters: Parameters, sample: Sample) -> int:
    with config_context(enable_metadata_routing=contender.needs == "skada"):
        rule = contender.fit(sample, **parameters)
        return int((rule(sample.new) != sample.y_new).sum())


def judged(contender: Contender, parameters: Parameters, sample: Sample) -> Outcome:
    """Fit once, predict three times: the fastest counts, because a call may take microseconds.

    Times are processor times: other work on the machine does not count.
    """
    with config_context(enable_metadata_routing=contender.needs == "skada"):
        start = time.process_time()
        rule = contender.fit(sample, **parameters)
        fit_seconds = time.process_time() - start
        predict_seconds = []
        for _ in range(3):
            start = time.process_time()
            answers = rule(sample.new)
            predict_seconds.append(time.process_time() - start)
    return Outcome(float((answers != sample.y_new).mean()), fit_seconds, min(predict_seconds))
