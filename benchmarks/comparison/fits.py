"""How each method is fitted: a sample and its parameters in, a rule for any rows out."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.accuracy import fits as of_one_target
from benchmarks.accuracy.fits import logistic
from benchmarks.accuracy.sets import Draw
from benchmarks.comparison.samples import Codes, Floats, Sample, Table
from kinspan import MultiTaskSPCA

Rule = Callable[[Table], NDArray[Any]]


def ours(sample: Sample, **options: Any) -> Rule:
    model = MultiTaskSPCA(**options).fit(sample.rows.X, sample.y, task=sample.rows.task)
    return lambda new: np.asarray(model.predict(new.X, task=new.task))


def pooled(sample: Sample, estimator: Any) -> Rule:
    model = estimator.fit(sample.rows.X, sample.y)
    return lambda new: np.asarray(model.predict(new.X))


def per_task(make: Callable[[], Any], sample: Sample, features: Callable[[Table], Floats]) -> Rule:
    """A model for every task."""
    X, task = features(sample.rows), sample.rows.task
    models = {t: make().fit(X[task == t], sample.y[task == t]) for t in np.unique(task)}
    return by_task(lambda t, part: models[t].predict(features(part)))


def by_task(answer: Callable[[Any, Table], Any]) -> Rule:
    """Predict the rows of one task after the other."""

    def rule(new: Table) -> NDArray[Any]:
        found = np.empty(len(new.task), np.int64)
        for t in np.unique(new.task):
            of = new.task == t
            found[of] = answer(t, new.of(of))
        return found

    return rule


def logistic_pooled(sample: Sample, *, C: float) -> Rule:
    return pooled(sample, logistic(C))


def logistic_per_task(sample: Sample, *, C: float) -> Rule:
    return per_task(lambda: logistic(C), sample, lambda table: table.X)


def discriminant() -> Any:
    """With Ledoit–Wolf shrinkage."""
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def lda_pooled(sample: Sample) -> Rule:
    return pooled(sample, discriminant())


def lda_per_task(sample: Sample) -> Rule:
    return per_task(discriminant, sample, lambda table: table.X)


def grouped(sample: Sample, *, C: float) -> Rule:
    """scikit-lego: a logistic regression for every task, and one for all."""
    return _first_column(import_module("sklego.meta").GroupedClassifier(logistic(C), 0), sample)


def hierarchical(sample: Sample, *, C: float) -> Rule:
    """scikit-lego: the average of the probabilities of the task's own model and the common one."""
    meta = import_module("sklego.meta")
    model = meta.HierarchicalClassifier(logistic(C), 0, shrinkage="equal")
    return _first_column(model, sample)


def _first_column(estimator: Any, sample: Sample) -> Rule:
    def features(table: Table) -> Floats:
        return np.column_stack([table.task, table.X])

    model = estimator.fit(features(sample.rows), sample.y)
    return lambda new: np.asarray(model.predict(features(new)))


def coral(sample: Sample, *, C: float) -> Rule:
    """skada, once for every task that has new rows, because it handles one target."""
    return one_at_a_time(sample, lambda draw: of_one_target.coral(draw, C=C))


def balanced(sample: Sample, *, C: float, gamma: float) -> Rule:
    """adapt, once for every task that has new rows, because it handles one target."""
    return one_at_a_time(sample, lambda draw: of_one_target.balanced(draw, C=C, gamma=gamma))


def one_at_a_time(sample: Sample, fit: Callable[[Draw], of_one_target.Rule]) -> Rule:
    rows, y = sample.rows, sample.y
    names = rows.task.astype(str)
    nothing = Draw("", rows.X.astype(np.float32), y, names, rows.X[:0].astype(np.float32), y[:0])
    rules = {t: fit(nothing._replace(target=str(t))) for t in np.unique(sample.new.task)}
    return by_task(lambda t, part: rules[t](part.X.astype(np.float32)))


def histograms(sample: Sample, **parameters: Any) -> Rule:
    """scikit-learn's gradient boosting, with the task as a category."""
    X = with_task(sample.rows)
    columns = categories(X.shape[1], sample.n_categorical + 1)
    model = HistGradientBoostingClassifier(
        categorical_features=columns, random_state=0, **parameters
    ).fit(X, sample.y)
    return lambda new: np.asarray(model.predict(with_task(new)))


def lightgbm(sample: Sample, **parameters: Any) -> Rule:
    """LightGBM, with the task as a category."""
    model = boosted(with_task(sample.rows), sample.y, sample.n_categorical + 1, parameters)
    return lambda new: as_class(model.predict_proba(with_task(new)))


def lightgbm_per_task(sample: Sample, **parameters: Any) -> Rule:
    (_, X, task), y = sample.rows, sample.y
    models = {
        t: boosted(X[task == t], y[task == t], sample.n_categorical, parameters)
        for t in np.unique(task)
    }
    return by_task(lambda t, part: as_class(models[t].predict_proba(part.raw)))


def boosted(X: Floats, y: Codes, n_categorical: int, parameters: dict[str, Any]) -> Any:
    """LightGBM with one thread, like all others; the last columns are categories."""
    model = import_module("lightgbm").LGBMClassifier(
        n_jobs=1, verbose=-1, random_state=0, **parameters
    )
    return model.fit(X, y, categorical_feature=categories(X.shape[1], n_categorical))


def categories(n_columns: int, n_categorical: int) -> list[int]:
    """The last columns."""
    return list(range(n_columns - n_categorical, n_columns))


def as_class(probabilities: Any) -> NDArray[Any]:
    """Classes are 0, 1, … in every situation."""
    return np.asarray(np.asarray(probabilities).argmax(axis=1))


def with_task(table: Table) -> Floats:
    return np.column_stack([table.raw, table.task])
