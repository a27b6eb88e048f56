"""How each kind of method is fitted: a draw and its parameters in, a rule for the target out.

Methods for a single source get all other tasks as that source. Rows are already scaled and centred.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.covariance import LedoitWolf
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks.accuracy.sets import Draw
from kinspan import MultiTaskSPCA
from kinspan.baselines import CDLS, FeatureAugmentation, MultiTaskLSSVM

WIDE = 2000  # features
Rule = Callable[[NDArray[np.float32]], NDArray[Any]]  # rows of the target → their classes


def mine(draw: Draw) -> NDArray[np.bool_]:
    """Which of the labelled rows belong to the target."""
    return np.asarray(draw.task == draw.target)


def with_tasks(estimator: Any, draw: Draw) -> Rule:
    """Anything with the interface of kinspan."""
    model = estimator.fit(draw.X, draw.y, task=draw.task)
    return partial(model.predict, task=draw.target)


def ours(draw: Draw, **options: Any) -> Rule:
    return with_tasks(MultiTaskSPCA(**options), draw)


def lssvm(draw: Draw, *, strength: float | None) -> Rule:
    """One strength for the shared and the own part of a rule; None lets the theory choose both."""
    return with_tasks(MultiTaskLSSVM(shared_strength=strength, task_strengths=strength), draw)


def augmented(draw: Draw, *, C: float) -> Rule:
    return with_tasks(FeatureAugmentation(logistic(C)), draw)


def cdls(draw: Draw, *, C: float) -> Rule:
    """All rows are landmarks, as in the paper; the test rows are used too, without labels."""
    task = np.where(mine(draw), "target", "source")
    model = CDLS("target", landmark_share=1, C=C)
    model.fit(draw.X, draw.y, task=task, unlabelled=draw.X_test)
    return partial(model.predict, task="target")


def logistic(C: float) -> Any:
    return LogisticRegression(C=C, max_iter=1000)


def logistic_pooled(draw: Draw, *, C: float) -> Rule:
    return as_rule(logistic(C).fit(draw.X, draw.y))


def logistic_alone(draw: Draw, *, C: float) -> Rule:
    return as_rule(logistic(C).fit(draw.X[mine(draw)], draw.y[mine(draw)]))


def logistic_weighted(draw: Draw, *, C: float) -> Rule:
    """The rows of the target together have the same weight as all other rows."""
    of_target = mine(draw)
    weights = np.where(of_target, (~of_target).sum() / of_target.sum(), 1.0)
    return as_rule(logistic(C).fit(draw.X, draw.y, sample_weight=weights))


def lda_pooled(draw: Draw) -> Rule:
    return lda(draw.X, draw.y)


def lda_alone(draw: Draw) -> Rule:
    return lda(draw.X[mine(draw)], draw.y[mine(draw)])


def lda(X: NDArray[np.float32], y: NDArray[np.int64]) -> Rule:
    """With Ledoit–Wolf shrinkage; on principal components if there are very many features."""
    shrinkage: dict[str, Any] = {"shrinkage": "auto"}
    if X.shape[1] > WIDE:
        shrinkage = {"covariance_estimator": LedoitWolf()}  # the other one rescales components
    discriminant = LinearDiscriminantAnalysis(solver="lsqr", **shrinkage)
    return as_rule(make_pipeline(*span(X), discriminant).fit(X, y))


def grouped(draw: Draw, *, C: float) -> Rule:
    """scikit-lego: a logistic regression for every task, and one for all."""
    return with_task_column(import_module("sklego.meta").GroupedClassifier(logistic(C), 0), draw)


def hierarchical(draw: Draw, *, C: float) -> Rule:
    """scikit-lego: the average of the probabilities of the task's own model and the common one."""
    meta = import_module("sklego.meta")
    return with_task_column(meta.HierarchicalClassifier(logistic(C), 0, shrinkage="equal"), draw)


def with_task_column(estimator: Any, draw: Draw) -> Rule:
    tasks, codes = np.unique(draw.task, return_inverse=True)
    own = np.float32(tasks.tolist().index(draw.target))
    model = estimator.fit(np.column_stack([codes.astype(np.float32), draw.X]), draw.y)
    return lambda X: np.asarray(model.predict(np.column_stack([np.full(len(X), own), X])))


def coral(draw: Draw, *, C: float) -> Rule:
    """skada: sources mapped to the covariance of the target, whose labels are not masked."""
    skada = import_module("skada")
    steps = (*span(draw.X), skada.CORALAdapter(), logistic(C))
    model = skada.make_da_pipeline(*steps, mask_target_labels=False)
    codes = np.unique(draw.task, return_inverse=True)[1] + 1
    domain = np.where(mine(draw), -codes, codes)  # skada's targets are negative
    model.fit(draw.X, draw.y, sample_domain=domain)
    return lambda X: np.asarray(model.predict(X, sample_domain=np.full(len(X), domain.min())))


def balanced(draw: Draw, *, C: float, gamma: float) -> Rule:
    """adapt: the rows of the target have the share gamma of the total weight."""
    X, y, of_target = draw.X, draw.y, mine(draw)
    model = import_module("adapt.instance_based").BalancedWeighting(
        logistic(C), Xt=X[of_target], yt=y[of_target], gamma=gamma, verbose=0
    )
    return as_rule(model.fit(X[~of_target], y[~of_target]))


def span(X: NDArray[np.float32]) -> list[Any]:
    """Principal components, for methods that solve systems of the size of the features.

    With fewer rows than features they lose nothing.
    """
    return [PCA(min(X.shape) - 1)] if X.shape[1] > WIDE else []


def as_rule(model: Any) -> Rule:
    rule: Rule = model.predict
    return rule
