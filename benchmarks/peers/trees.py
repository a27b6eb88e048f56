"""How gradient boosting is fitted: original features, with the task as a category."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.peers.fits import Rule, per_task
from benchmarks.peers.samples import Codes, Floats, Rows, Sample


def histograms(sample: Sample, **parameters: Any) -> Rule:
    """scikit-learn's gradient boosting."""
    X = with_task(sample.train)
    columns = categories(X.shape[1], sample.n_categorical + 1)
    model = HistGradientBoostingClassifier(
        categorical_features=columns, random_state=0, **parameters
    ).fit(X, sample.train.y)
    return lambda rows: np.asarray(model.predict(with_task(rows)))


def lightgbm(sample: Sample, **parameters: Any) -> Rule:
    X = with_task(sample.train)
    model = boosted(X, sample.train.y, sample.n_categorical + 1, parameters)
    return lambda rows: most_likely(model, with_task(rows))


def lightgbm_per_task(sample: Sample, **parameters: Any) -> Rule:
    def fit(of_task: Rows) -> Rule:
        model = boosted(of_task.raw, of_task.y, sample.n_categorical, parameters)
        return lambda rows: most_likely(model, rows.raw)

    return per_task(sample, fit)


def boosted(X: Floats, y: Codes, n_categorical: int, parameters: dict[str, Any]) -> Any:
    """LightGBM with one thread, like all others; the last columns are categories."""
    model = import_module("lightgbm").LGBMClassifier(
        n_jobs=1, verbose=-1, random_state=0, **parameters
    )
    return model.fit(X, y, categorical_feature=categories(X.shape[1], n_categorical))


def categories(n_columns: int, n_categorical: int) -> list[int]:
    """The last columns."""
    return list(range(n_columns - n_categorical, n_columns))


def most_likely(model: Any, X: Floats) -> Codes:
    """Classes are 0, 1, … in every situation."""
    return np.asarray(np.asarray(model.predict_proba(X)).argmax(axis=1))


def with_task(rows: Rows) -> Floats:
    return np.column_stack([rows.raw, rows.task])
