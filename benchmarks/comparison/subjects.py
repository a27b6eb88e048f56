"""The libraries that are asked the questions, each fitted the way its manual shows.

`kind` says what a question is about, so that libraries which wrap an estimator get the right one:
"linear", "trees", "numbers" (a regression), "neighbours" (any other estimator), "own rules" (a rule
for every task), "plain" (nothing adapted) or "stream".
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, issparse
from sklearn import config_context
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier

from kinspan import MultiTaskSPCA

TARGET = "z"  # the task for which libraries with a single target are fitted


class Labelled(NamedTuple):
    """Rows with their classes and tasks."""

    X: Any
    y: NDArray[Any]
    task: NDArray[np.str_]


class Fitted(NamedTuple):
    """A fitted model, and how rows and tasks are passed to its methods."""

    model: Any
    arguments: Callable[[Any, NDArray[np.str_]], tuple[Any, dict[str, Any]]]

    def ask(self, method: str, X: Any, task: NDArray[np.str_], *more: Any) -> NDArray[Any]:
        """The result of a method of the model for some rows."""
        features, options = self.arguments(X, task)
        return np.asarray(getattr(self.model, method)(features, *more, **options))


class Subject(NamedTuple):
    """A library."""

    name: str
    distribution: str
    module: str
    fit: Callable[[Labelled, str], Fitted]

    @property
    def is_here(self) -> bool:
        """Whether it is installed."""
        return find_spec(self.module) is not None


def inside(kind: str) -> Any:
    """The estimator that a library of adapters gets."""
    if kind == "trees":
        return HistGradientBoostingClassifier(min_samples_leaf=5, categorical_features="from_dtype")
    makers: dict[str, Any] = {"numbers": Ridge, "neighbours": KNeighborsClassifier}
    return makers.get(kind, LogisticRegression)()


def kinspan(rows: Labelled, kind: str) -> Fitted:
    model = MultiTaskSPCA(unseen="shared").fit(rows.X, rows.y, task=rows.task)
    return Fitted(model, lambda X, task: (X, {"task": task}))


def linear(rows: Labelled, kind: str) -> Fitted:
    makers: dict[str, Any] = {"numbers": Ridge, "stream": SGDClassifier}
    options = {"loss": "log_loss", "random_state": 0} if kind == "stream" else {}
    model = makers.get(kind, LogisticRegression)(**options).fit(rows.X, rows.y)
    return Fitted(model, lambda X, task: (X, {}))


def histograms(rows: Labelled, kind: str) -> Fitted:
    make = HistGradientBoostingRegressor if kind == "numbers" else HistGradientBoostingClassifier
    known = np.unique(rows.task)
    model = make(min_samples_leaf=5, categorical_features="from_dtype")
    model.fit(with_task(rows.X, rows.task, known), rows.y)
    return Fitted(model, lambda X, task: (with_task(X, task, known), {}))


def lightgbm(rows: Labelled, kind: str) -> Fitted:
    module = import_module("lightgbm")
    make = module.LGBMRegressor if kind == "numbers" else module.LGBMClassifier
    known = np.unique(rows.task)
    model = make(min_child_samples=5, min_data_per_group=5, n_jobs=1, verbose=-1)
    model.fit(with_task(rows.X, rows.task, known), rows.y)
    return Fitted(model, lambda X, task: (with_task(X, task, known), {}))


def scikit_lego(rows: Labelled, kind: str) -> Fitted:
    meta = import_module("sklego.meta")
    make = meta.GroupedRegressor if kind == "numbers" else meta.GroupedClassifier
    groups = 0 if issparse(rows.X) else "task"
    model = make(inside(kind), groups, check_X=False)
    model.fit(grouped_rows(rows.X, rows.task), rows.y)
    return Fitted(model, lambda X, task: (grouped_rows(X, task), {}))


def skada(rows: Labelled, kind: str) -> Fitted:
    """CORAL for one target whose labels are known, or a rule for every domain."""
    module = import_module("skada")
    steps = [module.CORALAdapter(reg=1e-6), inside(kind)]
    if kind == "own rules":
        steps = [module.PerDomain(LogisticRegression(), mask_target_labels=False)]
    elif kind in ("plain", "trees", "neighbours"):  # adapters take no missing values
        steps = [inside(kind)]
    model = module.make_da_pipeline(*steps, mask_target_labels=False)
    known = np.unique(rows.task).tolist()

    def domains(task: NDArray[np.str_]) -> NDArray[np.int64]:
        codes = [known.index(t) + 1 if t in known else len(known) + 1 for t in task.tolist()]
        return np.where(task == TARGET, -np.array(codes), codes)

    model.fit(rows.X, rows.y, sample_domain=domains(rows.task))
    return Fitted(
        model, lambda X, task: (X, {"sample_domain": domains(task), "allow_source": True})
    )


def adapt(rows: Labelled, kind: str) -> Fitted:
    """Balanced weighting for one target whose labels are known."""
    own = rows.task == TARGET
    model = import_module("adapt.instance_based").BalancedWeighting(
        inside(kind), Xt=rows.X[own], yt=rows.y[own], gamma=0.5, verbose=0
    )
    model.fit(rows.X[~own], rows.y[~own])
    return Fitted(model, lambda X, task: (X, {}))


def with_task(X: Any, task: NDArray[np.str_], known: NDArray[np.str_]) -> Any:
    """The task as an additional categorical column; a task that was not in the fit is missing."""
    pandas = import_module("pandas")
    category = pandas.Categorical(task, categories=known)
    if issparse(X):
        with_codes: Any = [X, csr_array(category.codes[:, None])]
        return hstack(with_codes, format="csr")
    return as_frame(X).assign(task=category)


def grouped_rows(X: Any, task: NDArray[np.str_]) -> Any:
    if issparse(X):
        codes = np.unique(task, return_inverse=True)[1]
        with_codes: Any = [csr_array(codes[:, None]), X]
        return hstack(with_codes, format="csr")
    return as_frame(X).assign(task=task)


def as_frame(X: Any) -> Any:
    frame = import_module("pandas").DataFrame(X)
    return frame.rename(columns=str)


def routed(subject: Subject) -> Any:
    """skada needs metadata routing and switches it on globally; the others run without it."""
    return config_context(enable_metadata_routing=subject.module == "skada")


SUBJECTS = {
    s.name: s
    for s in [
        Subject("kinspan", "kinspan", "kinspan", kinspan),
        Subject("scikit-learn, linear", "scikit-learn", "sklearn", linear),
        Subject("scikit-learn, trees", "scikit-learn", "sklearn", histograms),
        Subject("LightGBM", "lightgbm", "lightgbm", lightgbm),
        Subject("scikit-lego", "scikit-lego", "sklego", scikit_lego),
        Subject("skada", "skada", "skada", skada),
        Subject("adapt", "adapt", "adapt", adapt),
    ]
}
