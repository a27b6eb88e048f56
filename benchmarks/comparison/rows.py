"""The files of results: one line per fit, per checked answer and per fact."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks._measure import RESULTS, machine
from benchmarks._resumable import RowFile, finished
from benchmarks.peers.peer import Parameters

FITS = RESULTS / "comparison.csv"
ANSWERS = RESULTS / "comparison_answers.csv"
FACTS = RESULTS / "comparison_facts.csv"


class Key(NamedTuple):
    """What a fit measures."""

    situation: str
    seed: int
    method: str


class Fit(NamedTuple):
    """One method on one sample, with the times of kinspan on the same sample in the same run."""

    situation: str
    seed: int
    method: str
    error: float  # share of new rows that were predicted wrongly
    fit_seconds: float  # processor time, like all that follow
    predict_seconds: float
    our_fit_seconds: float
    our_predict_seconds: float
    parameters: Parameters  # chosen by cross-validation on the first sample of the target
    versions: str

    @property
    def key(self) -> Key:
        """What it measures."""
        return Key(*self[:3])


class Answer(NamedTuple):
    """Whether a library passed the check of a question."""

    question: str  # name of the function that asks it
    library: str
    passed: bool
    why_not: str  # the error that was raised
    version: str


class Fact(NamedTuple):
    """Facts from the metadata of an installed library."""

    library: str
    version: str
    status: str  # development status that it states
    licence: str
    dependencies: int  # distributions that it needs, without those of scikit-learn
    megabytes: float  # on disk with them, without those of scikit-learn


def cells(fit: Fit) -> list[object]:
    figures = [f"{fit.error:.5f}", *(f"{seconds:.4g}" for seconds in fit[4:8])]
    return [*fit.key, *figures, json.dumps(fit.parameters), fit.versions]


def parsed(line: list[str]) -> Fit:
    situation, seed, method, *figures, parameters, versions = line
    error, fit, predict, our_fit, our_predict = map(float, figures)
    times = fit, predict, our_fit, our_predict
    return Fit(situation, int(seed), method, error, *times, json.loads(parameters), versions)


FILE = RowFile(Fit._fields, cells, parsed, lambda: f"{machine()}, one thread")


def read_answers(path: Path = ANSWERS) -> list[Answer]:
    return [Answer(line[0], line[1], line[2] == "yes", *line[3:]) for line in finished(path)]


def read_facts(path: Path = FACTS) -> list[Fact]:
    return [
        Fact(library, version, status, licence, int(dependencies), float(megabytes))
        for library, version, status, licence, dependencies, megabytes in finished(path)
    ]


def write_answers(answers: Iterable[Answer], path: Path = ANSWERS) -> None:
    lines = [[*a[:2], "yes" if a.passed else "no", *a[3:]] for a in answers]
    _write(path, Answer._fields, lines)


def write_facts(facts: Iterable[Fact], path: Path = FACTS) -> None:
    _write(path, Fact._fields, [[*f[:5], f"{f.megabytes:.1f}"] for f in facts])


def _write(path: Path, head: Iterable[str], lines: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(lines)
