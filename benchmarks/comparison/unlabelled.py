"""What every library offers for a target of which only the features are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from benchmarks.comparison.subjects import TARGET, Labelled, Subject, inside

Rule = Callable[[Any], Any]


def rules(subject: Subject, source: Labelled, X: Any) -> Iterator[Rule]:
    """Every rule for the target that is tried with the library."""
    yield from WAYS.get(subject.name, as_new_task)(subject, source, X)


def added(subject: Subject, source: Labelled, X: Any) -> Iterator[Rule]:
    """kinspan: the target is added with rows that have no labels."""
    model = subject.fit(source, "linear").model.add_task(TARGET, X)
    yield lambda new: model.predict(new, task=TARGET)


def self_trained(subject: Subject, source: Labelled, X: Any) -> Iterator[Rule]:
    """scikit-learn: a classifier that labels the rows of which it is certain."""
    estimator = LogisticRegression()
    if subject.name == "scikit-learn, trees":
        estimator = inside("trees")
    elif subject.name == "LightGBM":
        estimator = import_module("lightgbm").LGBMClassifier(verbose=-1, n_jobs=1)
    y = np.concatenate([source.y, np.full(len(X), -1)])
    yield SelfTrainingClassifier(clone(estimator)).fit(np.vstack([source.X, X]), y).predict


def spread(subject: Subject, source: Labelled, X: Any) -> Iterator[Rule]:
    """scikit-learn: the same, and labels that spread to rows nearby."""
    yield from self_trained(subject, source, X)
    rows, y = np.vstack([source.X, X]), np.concatenate([source.y, np.full(len(X), -1)])
    for model in (LabelSpreading(), LabelSpreading(kernel="knn", n_neighbors=7)):
        yield model.fit(rows, y).predict


def as_new_task(subject: Subject, source: Labelled, X: Any) -> Iterator[Rule]:
    """The rows of the other tasks."""
    fitted = subject.fit(source, "linear")
    yield lambda new: fitted.ask("predict", new, np.full(len(new), TARGET))


def of_skada(subject: Subject, source: Labelled, X: Any) -> Iterator[Rule]:
    skada = import_module("skada")
    rows, y = np.vstack([source.X, X]), np.concatenate([source.y, np.full(len(X), -1)])
    domain = np.concatenate([np.ones(len(source.y), int), np.full(len(X), -2)])
    for adapter in (
        skada.CORALAdapter(reg=1e-6),
        skada.LinearOTMappingAdapter(),
        skada.OTMappingAdapter(),
        skada.SubspaceAlignmentAdapter(n_components=2),
        skada.TransferComponentAnalysisAdapter(n_components=2),
    ):
        model = skada.make_da_pipeline(adapter, LogisticRegression())
        yield model.fit(rows, y, sample_domain=domain).predict


def of_adapt(subject: Subject, source: Labelled, X: Any) -> Iterator[Rule]:
    by_features, by_rows = (
        import_module(f"adapt.{kind}_based") for kind in ("feature", "instance")
    )
    for model in (
        by_features.CORAL(LogisticRegression(), Xt=X, verbose=0),
        by_features.SA(LogisticRegression(), Xt=X, n_components=2, verbose=0),
        by_features.TCA(LogisticRegression(), Xt=X, n_components=2, verbose=0),
        by_rows.KMM(LogisticRegression(), Xt=X, verbose=0),
    ):
        yield model.fit(source.X, source.y).predict


WAYS: dict[str, Callable[[Subject, Labelled, Any], Iterator[Rule]]] = {
    "kinspan": added,
    "scikit-learn, linear": spread,
    "scikit-learn, trees": self_trained,
    "LightGBM": self_trained,
    "skada": of_skada,
    "adapt": of_adapt,
}
