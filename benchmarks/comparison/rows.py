"""The files of results: one line a fit, one a checked answer, one a fact; appended at once."""

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
    """What a fit is about."""

    situation: str
    seed: int
    method: str


class Fit(NamedTuple):
    """One method on one sample, and ours on the same sample in the same run beside it."""

    situation: str
    seed: int
    method: str
    error: float  # share of new rows that were answered wrongly
    fit_seconds: float  # of the processor, like all that follow
    predict_seconds: float
    our_fit_seconds: float
    our_predict_seconds: float
    parameters: str  # chosen by cross-validation on the first sample of the target
    versions: str

    @property
    def key(self) -> Key:
        """What it is about."""
        return Key(*self[:3])


class Answer(NamedTuple):
    """Whether a library passed the check of a question."""

    question: str  # name of the function that asks it
    library: str
    passed: bool
    why_not: str  # what was raised
    version: str


class Fact(NamedTuple):
    """What the metadata of an installed library says."""

    library: str
    version: str
    status: str  # of its development, as it says itself
    licence: str
    dependencies: int  # distributions that it brings, those of scikit-learn not counted
    megabytes: float  # on disk with them, those of scikit-learn not counted


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
    """Add a line, after a header where the file is new."""
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
    """Below the header, which a line about the machine may precede."""
    return [line for line in csv.reader(whole_lines(path)) if not line[0].startswith("# ")][1:]


def _write(path: Path, head: Iterable[str], lines: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(lines)
