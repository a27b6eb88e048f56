"""The law of stored bytes: a StoredDataError, or something that works."""

from __future__ import annotations

import resource
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from kinspan import ClassMoments, MultiTaskSPCA, Statistics, StoredDataError
from kinspan._saving import model_file
from kinspan.tables.recipe import recipe_of

MOST_SECONDS = 1.0
MOST_BYTES = 256 << 20


class Outcome(NamedTuple):
    """How the readers took some bytes."""

    refused: bool
    seconds: float
    broken: str | None  # what broke the law


def judged(stored: bytes) -> Outcome:
    """Read bytes, and use what they are taken for."""
    begin, broken, refused = time.process_time(), None, False
    try:
        refused = _is_refused(stored)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        broken = f"{type(error).__name__} in {place.name}, line {place.lineno}: {error}"
    return Outcome(refused, time.process_time() - begin, broken)


def _is_refused(stored: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            what, notes = model_file.with_notes(stored)
            recipe_of(notes)
        except StoredDataError:
            _refuse_elsewhere(stored)
            return True
    with warnings.catch_warnings():  # what is too large is refused, or answered with numbers
        warnings.simplefilter("ignore")
        used(what)
    return False


def _refuse_elsewhere(stored: bytes) -> None:
    """The other doors: notes may be wrong where the rest is right."""
    for kind in (Statistics, ClassMoments):
        try:
            kind.from_bytes(stored)
        except StoredDataError:
            continue


def used(what: Any) -> None:
    """Everything that is asked of it is answered with numbers, or refused."""
    if isinstance(what, MultiTaskSPCA):
        _ask_model(what)
    else:
        _add(what)


def _add(what: Any) -> None:
    again = type(what).from_bytes(what.to_bytes())
    assert again.to_bytes() == what.to_bytes()
    try:
        both = what + again
        rest = both - again
    except ValueError:
        return
    assert _finite(both)
    assert _finite(rest)
    if isinstance(what, Statistics):
        try:
            clf = MultiTaskSPCA().merge(both)
            _ask_model(clf)
        except ValueError:
            return


def _finite(what: Statistics | ClassMoments) -> bool:
    moments = what.moments if isinstance(what, Statistics) else what
    return all(np.isfinite(a).all() for a in (moments.counts, moments.means, moments.squares))


def _ask_model(model: MultiTaskSPCA) -> None:
    n_features = model.moments_.n_features
    X = np.linspace(-2.0, 2.0, 4 * n_features).reshape(4, n_features)
    tasks = np.resize(model.tasks_, 4) if len(model.tasks_) else np.zeros(4)
    try:
        answers = _answers(model, X, tasks)
        stored = model_file.to_bytes(model)
    except ValueError:
        return
    assert model_file.to_bytes(model_file.from_bytes(stored)) == stored
    for values in answers:
        assert np.isfinite(values).all()


def _answers(model: MultiTaskSPCA, X: Any, tasks: Any) -> list[Any]:
    if model.task_column is not None:  # X would need the column; its rules are asked alone
        return [model.coef_, model.intercept_]
    found = [model.predict_proba(X, task=tasks), model.decision_function(X, task=tasks)]
    assert np.isin(model.predict(X, task=tasks), model.classes_).all()
    forecasts = model.forecast_error_
    assert ((forecasts >= 0) & (forecasts <= 1) | np.isnan(forecasts)).all()
    return [*found, model.coef_, model.transform(X, task=tasks)]


def used_memory() -> int:
    """Bytes that this process has held at most."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held if sys.platform == "darwin" else held << 10


@contextmanager
def limited_memory() -> Iterator[None]:
    """What asks for more than 256 MB above what is taken now gets a MemoryError."""
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + MOST_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
