"""A library → yes or no: one function per question, which raises where the answer is no.

The first line of a docstring is the question as the table shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.comparison import unlabelled, worlds
from benchmarks.comparison.subjects import TARGET, Fitted, Labelled, Subject, as_frame
from kinspan import Statistics, load, save

Check = Callable[[Subject], None]


class NotDoneError(Exception):
    """The library ran, but the result is wrong."""


def assert_right(fitted: Fitted, new: Labelled, least: float = 0.9) -> None:
    share = float((fitted.ask("predict", new.X, new.task) == new.y).mean())
    if share < least:
        raise NotDoneError(f"{share:.0%} of new rows are right")


def mixed_tasks(subject: Subject) -> None:
    """One model predicts rows of mixed tasks, each by the rule of its own task"""
    signs = [1, -1]
    fitted = subject.fit(worlds.alike("az", 100, signs=signs), "own rules")
    assert_right(fitted, worlds.alike("az", 100, seed=1, signs=signs))


def missing_class(subject: Subject) -> None:
    """A task may lack a class"""
    assert_right(subject.fit(worlds.three_classes(), "own rules"), worlds.three_classes(seed=1))


def one_class(subject: Subject) -> None:
    """A task may have labels of one class only"""
    rows = worlds.alike("abz", 50)
    known = worlds.some(rows, (rows.task != TARGET) | (rows.y == 0))
    assert_right(subject.fit(known, "plain"), worlds.alike("z", 50, seed=1))


def one_label(subject: Subject) -> None:
    """One label per class in each of ten tasks is enough to start"""
    fitted = subject.fit(worlds.alike("abcdefghiz", 1), "linear")
    assert_right(fitted, worlds.alike("z", 50, seed=1))


def new_task(subject: Subject) -> None:
    """Rows of a task that was not in the fit can be predicted"""
    assert_right(subject.fit(worlds.alike("abz", 50), "linear"), worlds.alike("n", 50, seed=1))


def unlabelled_moved(subject: Subject) -> None:
    """A target may have no labels and be shifted away from the other tasks"""
    _some_rule_is_right(subject, worlds.moved)


def unlabelled_stretched(subject: Subject) -> None:
    """A target may have no labels and differently correlated features"""
    _some_rule_is_right(subject, worlds.stretched)


def _some_rule_is_right(subject: Subject, change: Callable[[Labelled], Labelled]) -> None:
    source = worlds.alike("ab", 100)
    X = change(worlds.alike(TARGET, 100, seed=1)).X
    new = change(worlds.alike(TARGET, 100, seed=2))
    shares = [float((rule(new.X) == new.y).mean()) for rule in unlabelled.rules(subject, source, X)]
    if max(shares) < 0.9:
        raise NotDoneError(f"at best {max(shares):.0%} of new rows are right")


def forecast(subject: Subject) -> None:
    """Forecasts the error of every task before there is a test set"""
    fitted = subject.fit(worlds.alike("abcdefz", 20), "own rules")
    words = ("error", "risk", "score", "loss")
    names = [n for n, _ in _arrays(fitted.model, (7,)) if any(word in n for word in words)]
    if not names:
        raise NotDoneError("no fitted attribute has an error or a score for every task")


def who_helps(subject: Subject) -> None:
    """Shows which tasks are alike"""
    fitted = subject.fit(worlds.alike("abcdefz", 20), "own rules")
    if not list(_arrays(fitted.model, (7, 7))):
        raise NotDoneError("no fitted attribute has a number for every pair of tasks")


def importances(subject: Subject) -> None:
    """Has a fitted attribute with the weight of each feature"""
    model = subject.fit(worlds.alike("az", 50), "linear").model
    if not any(hasattr(p, "coef_") or hasattr(p, "feature_importances_") for p in _parts(model)):
        raise NotDoneError("neither coef_ nor feature_importances_")


def probabilities(subject: Subject) -> None:
    """Predicts class probabilities"""
    rows = worlds.alike("az", 50)
    found = subject.fit(rows, "linear").ask("predict_proba", rows.X, rows.task)
    if found.shape != (len(rows.y), 2) or not np.allclose(found.sum(axis=1), 1):
        raise NotDoneError(f"shape {found.shape}")


def batches(subject: Subject) -> None:
    """Learns from batches, without the rows of earlier batches"""
    assert_right(_in_batches(subject, worlds.alike("az", 50)), worlds.alike("az", 50, seed=1))


def same_in_batches(subject: Subject) -> None:
    """… and ends with the predictions of one fit on all rows"""
    rows = worlds.alike("az", 50, distance=1)
    _same(_in_batches(subject, rows), subject.fit(rows, "stream"))


def merged(subject: Subject) -> None:
    """Models fitted at two sites add up to the model of all rows"""
    rows = worlds.alike("az", 50)
    north, south = (subject.fit(worlds.some(rows, slice(i, None, 2)), "linear") for i in (0, 1))
    both = Fitted(north.model + south.model, north.arguments)
    _same(both, subject.fit(rows, "linear"))


def unlearnt(subject: Subject) -> None:
    """A row can be unlearnt without access to the others"""
    rows = worlds.alike("az", 50)
    fitted = subject.fit(rows, "linear")
    removed = Statistics.from_samples(rows.X[:1], rows.y[:1], rows.task[:1])
    _same(
        Fitted(fitted.model.remove(removed), fitted.arguments),
        subject.fit(worlds.some(rows, slice(1, None)), "linear"),
    )


def stored(subject: Subject) -> None:
    """Saves and loads models without pickle, by its own functions"""
    rows = worlds.alike("az", 50)
    fitted = subject.fit(rows, "linear")
    before = fitted.ask("predict", rows.X, rows.task)
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        if subject.name == "LightGBM":
            fitted.model.booster_.save_model(path)
            booster = import_module("lightgbm").Booster(model_file=path)
            after = booster.predict(fitted.arguments(rows.X, rows.task)[0]) > 0.5
        elif subject.name == "kinspan":
            save(fitted.model, path)
            after = Fitted(load(path), fitted.arguments).ask("predict", rows.X, rows.task)
        else:
            after = fitted.model.save(path)
    if not np.array_equal(after, before):
        raise NotDoneError("answers differ")


def sparse(subject: Subject) -> None:
    """Accepts sparse X"""
    rows, new = (worlds.alike("az", 50, seed=i) for i in (0, 1))
    fitted = subject.fit(rows._replace(X=csr_array(rows.X)), "linear")
    assert_right(fitted, new._replace(X=csr_array(new.X)))


def frame(subject: Subject) -> None:
    """Accepts a data frame"""
    rows, new = (worlds.alike("az", 50, seed=i) for i in (0, 1))
    fitted = subject.fit(rows._replace(X=as_frame(rows.X)), "linear")
    assert_right(fitted, new._replace(X=as_frame(new.X)))


def nonlinear(subject: Subject) -> None:
    """Class boundaries may be curved"""
    assert_right(subject.fit(worlds.rings(), "trees"), worlds.rings(seed=1))


def missing_values(subject: Subject) -> None:
    """Accepts missing values in X"""
    assert_right(subject.fit(worlds.with_gaps(), "trees"), worlds.with_gaps(seed=1), 0.85)


def categories(subject: Subject) -> None:
    """Accepts categories without encoding"""
    assert_right(subject.fit(worlds.colours(), "trees"), worlds.colours(seed=1))


def regression(subject: Subject) -> None:
    """Predicts numbers as well as classes"""
    new = worlds.numbers(seed=1)
    fitted = subject.fit(worlds.numbers(), "numbers")
    r2 = r2_score(new.y, fitted.ask("predict", new.X, new.task))
    if r2 < 0.8:
        raise NotDoneError(f"R² of {r2:.2f}")


def any_estimator(subject: Subject) -> None:
    """Wraps any scikit-learn estimator"""
    model = subject.fit(worlds.alike("az", 50), "neighbours").model
    if not any(isinstance(part, KNeighborsClassifier) for part in _parts(model)):
        raise NotDoneError("nowhere to put one")


QUESTIONS: dict[str, Check] = {
    check.__name__: check
    for check in [
        mixed_tasks,
        missing_class,
        one_class,
        one_label,
        new_task,
        forecast,
        who_helps,
        batches,
        same_in_batches,
        merged,
        unlearnt,
        stored,
        probabilities,
        importances,
        sparse,
        frame,
        unlabelled_moved,
        unlabelled_stretched,
        nonlinear,
        missing_values,
        categories,
        regression,
        any_estimator,
    ]
}


def _in_batches(subject: Subject, rows: Labelled) -> Fitted:
    parts = [worlds.some(rows, slice(i, None, 4)) for i in range(4)]
    fitted = subject.fit(parts[0], "stream")
    for part in parts[1:]:
        features, options = fitted.arguments(part.X, part.task)
        if subject.name == "LightGBM":
            fitted.model.fit(features, part.y, init_model=fitted.model.booster_)
        else:
            fitted.model.partial_fit(features, part.y, **options)
    return fitted


def _same(one: Fitted, other: Fitted) -> None:
    new = worlds.alike("az", 50, seed=1)
    first, second = (f.ask("predict_proba", new.X, new.task) for f in (one, other))
    if not np.allclose(first, second, rtol=0, atol=1e-6):
        raise NotDoneError(f"probabilities differ by {np.abs(first - second).max():.2g}")


def _arrays(model: Any, shape: tuple[int, ...]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Public fitted attributes that are arrays of numbers of the given shape."""
    for name in dir(model):
        if name.endswith("_") and not name.startswith("_"):
            value = getattr(model, name, None)
            if isinstance(value, np.ndarray) and value.shape == shape and value.dtype.kind == "f":
                yield name, value


def _parts(model: Any, depth: int = 4) -> Iterator[Any]:
    """The model and all objects that it contains."""
    yield model
    if depth:
        held = model if isinstance(model, dict) else getattr(model, "__dict__", {})
        values = model if isinstance(model, list | tuple) else list(held.values())
        for value in values:
            if not isinstance(value, np.ndarray | str | int | float):
                yield from _parts(value, depth - 1)
