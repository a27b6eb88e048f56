"""The files of results: one line per fit, per checked answer and per fact."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks._measure import RESULTS, machine
from benchmarks._resumable import whole_lines

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
    parameters: str  # chosen by cross-validation on the first sample of the target
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


def read_fits(path: Path = FITS) -> dict[Key, Fit]:
    """All finished fits; a half-written last line is removed from the file."""
    fits = [
        Fit(situation, int(seed), method, *_five(map(float, figures)), parameters, versions)
        for situation, seed, method, *figures, parameters, versions in _lines(path)
    ]
    return {fit.key: fit for fit in fits}


def read_answers(path: Path = ANSWERS) -> list[Answer]:
    return [Answer(line[0], line[1], line[2] == "yes", *line[3:]) for line in _lines(path)]


def read_facts(path: Path = FACTS) -> list[Fact]:
    return [
        Fact(library, version, status, licence, int(dependencies), float(megabytes))
        for library, version, status, licence, dependencies, megabytes in _lines(path)
    ]


def append_fit(fit: Fit, path: Path = FITS) -> None:
    """Add a line, after a header if the file is new."""
    new = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow([f"# {machine()}, one thread"])
            writer.writerow(Fit._fields)
        figures = [f"{fit.error:.5f}", *(f"{seconds:.4g}" for seconds in fit[4:8])]
        writer.writerow([*fit.key, *figures, *fit[8:]])


def write_answers(answers: Iterable[Answer], path: Path = ANSWERS) -> None:
    lines = [[*a[:2], "yes" if a.passed else "no", *a[3:]] for a in answers]
    _write(path, Answer._fields, lines)


def write_facts(facts: Iterable[Fact], path: Path = FACTS) -> None:
    _write(path, Fact._fields, [[*f[:5], f"{f.megabytes:.1f}"] for f in facts])


def as_text(parameters: dict[str, float]) -> str:
    return json.dumps(parameters)


def _five(figures: Iterable[float]) -> tuple[float, float, float, float, float]:
    error, fit, predict, our_fit, our_predict = figures
    return error, fit, predict, our_fit, our_predict


def _lines(path: Path) -> list[list[str]]:
    """The lines below the header, which may follow a line about the machine."""
    return [line for line in csv.reader(whole_lines(path)) if not line[0].startswith("# ")][1:]


def _write(path: Path, head: Iterable[str], lines: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(lines)
