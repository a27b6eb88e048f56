"""How each kind of method is fitted: a sample and its parameters in, a rule for any rows out.

Methods for a single target are fitted once for every task that has new rows, and get all other
tasks as one source. Rows are already scaled and centred.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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

from benchmarks.peers.samples import Floats, Rows, Sample, single
from kinspan import MultiTaskSPCA
from kinspan.baselines import CDLS, FeatureAugmentation, MultiTaskLSSVM

WIDE = 2000  # features
Rule = Callable[[Rows], NDArray[Any]]  # rows → their classes
Fit = Callable[..., Rule]  # a sample, and parameters as keywords


@dataclass(frozen=True)
class OfTasks:
    """The rule of anything with the interface of kinspan."""

    model: Any

    def __call__(self, rows: Rows) -> NDArray[Any]:
        """The classes of rows of any tasks."""
        return np.asarray(self.model.predict(rows.X, task=rows.task))


def with_tasks(estimator: Any, sample: Sample) -> OfTasks:
    X, y, task, _ = sample.train
    return OfTasks(estimator.fit(X, y, task=task))


def ours(sample: Sample, **options: Any) -> OfTasks:
    return with_tasks(MultiTaskSPCA(**options), sample)


def lssvm(sample: Sample, *, strength: float | None) -> Rule:
    """One strength for the shared and the own part of a rule; None lets the theory choose both."""
    return with_tasks(MultiTaskLSSVM(shared_strength=strength, task_strengths=strength), sample)


def augmented(sample: Sample, *, C: float) -> Rule:
    return with_tasks(FeatureAugmentation(logistic(C)), sample)


def cdls(sample: Sample, *, C: float) -> Rule:
    """All rows are landmarks, as in the paper; the test rows are used too, without labels."""
    X, y, *_ = sample.train
    task = np.where(sample.asked, "target", "source")
    model = CDLS("target", landmark_share=1, C=C)
    model.fit(X, y, task=task, unlabelled=sample.test.X)
    return lambda rows: np.asarray(model.predict(rows.X, task="target"))


def logistic(C: float) -> Any:
    return LogisticRegression(C=C, max_iter=1000)


def fitted(estimator: Any, rows: Rows) -> Rule:
    """A rule for rows of all tasks."""
    return as_rule(estimator.fit(rows.X, rows.y))


def as_rule(model: Any) -> Rule:
    return lambda rows: np.asarray(model.predict(rows.X))


def per_task(sample: Sample, fit: Callable[[Rows], Rule]) -> Rule:
    """A rule for every task."""
    train = sample.train
    return by_task({t: fit(train.of(train.task == t)) for t in np.unique(train.task)})


def by_task(rules: dict[Any, Rule]) -> Rule:
    """Predict the rows of one task after the other."""

    def rule(rows: Rows) -> NDArray[Any]:
        found = np.empty_like(rows.y)
        for t in np.unique(rows.task):
            of = rows.task == t
            found[of] = rules[t](rows.of(of))
        return found

    return rule


def logistic_pooled(sample: Sample, *, C: float = 1.0) -> Rule:
    return fitted(logistic(C), sample.train)


def logistic_per_task(sample: Sample, *, C: float = 1.0) -> Rule:
    return per_task(sample, lambda rows: fitted(logistic(C), rows))


def logistic_weighted(sample: Sample, *, C: float) -> Rule:
    """The rows of the target together have the same weight as all other rows."""
    (X, y, *_), of_target = sample.train, sample.asked
    weights = np.where(of_target, (~of_target).sum() / of_target.sum(), 1.0)
    return as_rule(logistic(C).fit(X, y, sample_weight=weights))


def lda_pooled(sample: Sample) -> Rule:
    return lda(sample.train)


def lda_per_task(sample: Sample) -> Rule:
    return per_task(sample, lda)


def lda(rows: Rows) -> Rule:
    """With Ledoit–Wolf shrinkage; on principal components if there are very many features."""
    discriminant = partial(LinearDiscriminantAnalysis, solver="lsqr")
    if rows.X.shape[1] <= WIDE:
        return fitted(discriminant(shrinkage="auto"), rows)
    own = discriminant(covariance_estimator=LedoitWolf())  # the other one rescales components
    return fitted(make_pipeline(*span(rows.X), own), rows)


def span(X: Floats) -> list[Any]:
    """Principal components, for methods that solve systems of the size of the features.

    With fewer rows than features they lose nothing.
    """
    return [PCA(min(X.shape) - 1)] if X.shape[1] > WIDE else []


def alone(fit: Fit, sample: Sample, **parameters: Any) -> Rule:
    """Fitted to the rows of the target only."""
    return fit(sample._replace(train=sample.train.of(sample.asked)), **parameters)


def grouped(sample: Sample, *, C: float) -> Rule:
    """scikit-lego: a logistic regression for every task, and one for all."""
    return with_task_column(import_module("sklego.meta").GroupedClassifier(logistic(C), 0), sample)


def hierarchical(sample: Sample, *, C: float) -> Rule:
    """scikit-lego: the average of the probabilities of the task's own model and the common one."""
    meta = import_module("sklego.meta")
    model = meta.HierarchicalClassifier(logistic(C), 0, shrinkage="equal")
    return with_task_column(model, sample)


def with_task_column(estimator: Any, sample: Sample) -> Rule:
    tasks = np.unique(sample.train.task)

    def features(rows: Rows) -> Floats:
        code = np.searchsorted(tasks, rows.task).astype(rows.X.dtype)
        return np.column_stack([code, rows.X])

    model = estimator.fit(features(sample.train), sample.train.y)
    return lambda rows: np.asarray(model.predict(features(rows)))


def coral(sample: Sample, *, C: float) -> Rule:
    """skada: sources mapped to the covariance of the target, whose labels are not masked."""
    skada = import_module("skada")
    X, y, task, _ = sample.train
    X, codes = single(X), np.unique(task, return_inverse=True)[1] + 1

    def fit(target: Any) -> Rule:
        steps = (*span(X), skada.CORALAdapter(), logistic(C))
        domain = np.where(task == target, -codes, codes)  # skada's targets are negative
        model = skada.make_da_pipeline(*steps, mask_target_labels=False)
        model.fit(X, y, sample_domain=domain)
        own = domain.min()
        return lambda rows: model.predict(single(rows.X), sample_domain=np.full(len(rows.X), own))

    return by_task({t: fit(t) for t in np.unique(sample.test.task)})


def balanced(sample: Sample, *, C: float, gamma: float) -> Rule:
    """adapt: the rows of the target have the share gamma of the total weight."""
    weighting = import_module("adapt.instance_based").BalancedWeighting
    X, y, task, _ = sample.train
    X = single(X)

    def fit(target: Any) -> Rule:
        own = task == target
        model = weighting(logistic(C), Xt=X[own], yt=y[own], gamma=gamma, verbose=0)
        model.fit(X[~own], y[~own])
        return lambda rows: model.predict(single(rows.X))

    return by_task({t: fit(t) for t in np.unique(sample.test.task)})
