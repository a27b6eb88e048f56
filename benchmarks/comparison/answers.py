"""Every question asked of every library that is installed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from importlib.metadata import version

from benchmarks.comparison.questions import QUESTIONS
from benchmarks.comparison.rows import Answer
from benchmarks.comparison.subjects import Subject, routed


def answers(subjects: Iterable[Subject]) -> Iterator[Answer]:
    """Question by question."""
    present = [subject for subject in subjects if subject.is_here]
    for question in QUESTIONS:
        for subject in present:
            yield asked(question, subject)


def asked(question: str, subject: Subject) -> Answer:
    """Yes if the check passes; no, with the error, if it raises."""
    why_not = ""
    with routed(subject), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            QUESTIONS[question](subject)
        except Exception as error:
            first_line = str(error).strip().partition("\n")[0]
            why_not = f"{type(error).__name__}: {first_line}"[:160]
    return Answer(question, subject.name, not why_not, why_not, version(subject.distribution))
