"""Rows of a source and a target → rules by cross-domain landmark selection."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.svm import LinearSVC

from kinspan._progress.bars import steps
from kinspan._rows.types import Floats
from kinspan._validation.fitted import unchanged_on_error
from kinspan._validation.parameters import check_positive
from kinspan.baselines._cdls_steps import (
    Pool,
    Target,
    source_landmarks,
    source_map,
    target_landmarks,
)
from kinspan.baselines._checks import (
    check_coded_rows,
    check_kept_share,
    check_strictly_positive,
    check_switches,
    check_target,
    check_unlabelled,
)
from kinspan.baselines._two_domains import (
    TwoDomainClassifier,
    TwoDomains,
    domains_of,
    in_task_order,
    row_lengths,
)
from kinspan.baselines.pca import principal_axes
from kinspan.scores import LinearRules, answers


class CDLS(TwoDomainClassifier):
    """Cross-domain landmark selection (Tsai, Yeh and Wang, 2016), from one source to one target.

    The target is projected on its principal components, the source by a map that brings its mean
    and its class means to those of the target; a linear SVM without intercept learns from both.
    Unlabelled target rows take part with the classes that the SVM gives them. Weights between 0 and
    1 select the share of source and unlabelled rows, in every class, that fit the other domain
    best: the landmarks.

    Parameters
    ----------
    target : task id, optional
        The task to adapt to. By default the one with fewer labelled rows.
    landmark_share : float, default=0.5
        δ: the mean weight of the rows of a class. 1 keeps all rows and selects nothing, as the
        paper ran it.
    n_components : int, default=100
        Components of the target, at most.
    n_iterations : int, default=5
        Rounds of map, SVM, classes of the unlabelled rows, and landmarks.
    C : float, default=1.0
        Of the SVM, with squared hinge loss. A source row counts its weight times the number of
        labelled target rows over that of source rows.
    normalise : bool, default=True
        Whether rows, and again their projections, are divided by their length.
    progress : bool, default=False
        Whether a bar is drawn; it needs tqdm.
    task_column : str or int, optional
        The column of X that holds the task id.

    Attributes
    ----------
    tasks_, classes_ : arrays of shape (2,) and (n_classes,)
        Ids, sorted; all that follows is in their order.
    coef_ : array of shape (2, 1 or n_classes, n_features)
        For rows divided by their length.
    intercept_ : array of shape (2, 1 or n_classes)
        Zero.
    target_ : task id
        The target.
    source_weights_, unlabelled_weights_ : arrays
        α and β of the last map.

    Examples
    --------
    >>> from kinspan.baselines import CDLS
    >>> from kinspan.datasets import gaussian_mixture, related_means
    >>> means, counts = 2 * related_means([1, 0.8], 30), [[100, 100], [5, 5]]
    >>> train = gaussian_mixture(means, counts, random_state=0)
    >>> test = train.sample([[0, 0], [200, 200]], random_state=0)
    >>> clf = CDLS().fit(train.X, train.y, task=train.task, unlabelled=test.X)
    >>> clf.target_
    1
    >>> clf.score(test.X, test.y, task=1) > 0.9
    True
    """

    __metadata_request__fit: ClassVar = {"task": True, "unlabelled": True}

    def __init__(
        self,
        target: Any = None,
        *,
        landmark_share: float = 0.5,
        n_components: int = 100,
        n_iterations: int = 5,
        C: float = 1.0,
        normalise: bool = True,
        progress: bool = False,
        task_column: str | int | None = None,
    ) -> None:
        self.target = target
        self.landmark_share = landmark_share
        self.n_components = n_components
        self.n_iterations = n_iterations
        self.C = C
        self.normalise = normalise
        self.progress = progress
        self.task_column = task_column

    def fit(self, X: Any, y: ArrayLike, *, task: Any = None, unlabelled: Any = None) -> Self:
        """Fit the rules of source and target.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Any hashable labels.
        task : array of shape (n_samples,)
            Two different ids.
        unlabelled : array of shape (n_rows, n_features), optional
            Rows of the target without labels, such as those to be predicted. Steps of a pipeline
            do not transform them.
        """
        with unchanged_on_error(self):
            self._fit(X, y, task, unlabelled)
        return self

    def _fit(self, X: Any, y: ArrayLike, task: Any, unlabelled: Any = None) -> None:
        check_kept_share("landmark_share", self.landmark_share)
        check_positive("n_components", self.n_components)
        check_positive("n_iterations", self.n_iterations)
        check_strictly_positive("C", self.C)
        rows = check_coded_rows(self, X, y, task)
        target = check_target(self.target, rows, "CDLS")
        U = check_unlabelled(unlabelled, rows.X.shape[1])
        check_switches(self, "normalise", "progress")
        domains = domains_of(rows, target, normalise=self.normalise)
        found = adapt(domains, U / row_lengths(U) if self.normalise else U, self)
        self.target_ = rows.tasks.tolist()[target]
        self.source_weights_, self.unlabelled_weights_ = found.source_weights, found.target_weights
        coef = in_task_order(found.source_coef, found.target_coef, target)
        self._keep(rows, LinearRules(coef, np.zeros(coef.shape[:2])))


class Adapted(NamedTuple):
    """The result of the iteration."""

    source_coef: Floats  # (1 or classes, features)
    target_coef: Floats  # (1 or classes, features)
    source_weights: Floats  # (source rows,)
    target_weights: Floats  # (unlabelled rows,)


def adapt(domains: TwoDomains, U: Floats, settings: CDLS) -> Adapted:
    """Alternate map, classifier, pseudo-classes and landmarks."""
    (S, y_source), (T, y_target), m = domains
    both = np.vstack([T, U])
    P_target = principal_axes(both, min(settings.n_components, *both.shape)).directions.T
    source = Pool(S, y_source, np.ones(len(S)))
    target = Target(
        Pool(T @ P_target, y_target, np.ones(len(T))),
        Pool(U @ P_target, np.full(len(U), -1), np.ones(len(U))),
    )
    for step in steps(range(settings.n_iterations), "CDLS", progress=settings.progress):
        P_source = source_map(source, target, m)
        theta = classifier(source, P_source, target.labelled, settings)
        if step < settings.n_iterations - 1:
            source, target = _landmarks(source, target, P_source, theta, m, settings.landmark_share)
    return Adapted(
        theta @ P_source.T, theta @ P_target.T, source.weights, target.unlabelled.weights
    )


def _landmarks(
    source: Pool, target: Target, P_source: Floats, theta: Floats, m: int, share: float
) -> tuple[Pool, Target]:
    """Source and target with new pseudo-classes and, unless all rows are kept, new weights."""
    labelled, unlabelled = target
    classes = answers(unlabelled.rows @ theta.T)
    if share == 1:
        return source, Target(labelled, unlabelled._replace(classes=classes))
    even = unlabelled._replace(classes=classes, weights=np.full(len(classes), share))
    projected = source._replace(rows=source.rows @ P_source)
    alpha = source_landmarks(projected, Target(labelled, even), m, share)
    projected = projected._replace(weights=alpha)
    beta = target_landmarks(projected, Target(labelled, even), m, share)
    return source._replace(weights=alpha), Target(labelled, even._replace(weights=beta))


def classifier(source: Pool, P_source: Floats, labelled: Pool, settings: CDLS) -> Floats:
    """(1 or classes, dimensions) directions of a weighted linear SVM without intercept."""
    balance = len(labelled.weights) / len(source.weights)
    rows = np.vstack([source.rows @ P_source, labelled.rows])
    rows = rows / row_lengths(rows) if settings.normalise else rows
    classes = np.concatenate([source.classes, labelled.classes])
    weights = np.concatenate([balance * source.weights, labelled.weights])
    svm = LinearSVC(C=settings.C, dual=False, fit_intercept=False, max_iter=10_000)
    return np.asarray(svm.fit(rows, classes, sample_weight=weights).coef_)
