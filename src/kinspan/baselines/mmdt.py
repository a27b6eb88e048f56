"""Rows of a source and a target → a map of the target, and classifiers: max-margin transforms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from kinspan._progress.bars import steps
from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_positive
from kinspan.baselines._box_quadratic import minimise_in_box
from kinspan.baselines._checks import (
    check_coded_rows,
    check_strictly_positive,
    check_switches,
    check_target,
)
from kinspan.baselines._two_domains import (
    Domain,
    TwoDomainClassifier,
    domains_of,
    in_task_order,
)
from kinspan.scores import LinearRules


class MMDT(TwoDomainClassifier):
    """Max-margin domain transforms (Hoffman et al., 2013), from one source to one target.

    Classifiers θ_c, one class against the rest, and a linear map W of the target minimise

        ½‖W − I‖² + ½ Σ_c ‖θ_c‖² + C_s Σ hinge(θ_cᵀx, source) + C_t Σ hinge(θ_cᵀWx, target)

    in turn, each step to its minimum. Rows have a constant 1 appended, in place of an intercept. W
    is I plus a matrix whose rank is at most the number of classes, and is never formed.

    Parameters
    ----------
    target : task id, optional
        The task to adapt to. By default the one with fewer labelled rows.
    source_C, target_C : float, default=0.05 and 1.0
        C_s and C_t.
    n_iterations : int, default=2
        Rounds of classifiers and map.
    normalise : bool, default=True
        Whether rows are divided by their length.
    standardise : bool, default=True
        Whether features then are centred in each domain and divided by their standard deviation
        within domains, which is common to both: a target has too few rows for its own.
    progress : bool, default=False
        Whether a bar is drawn; it needs tqdm.
    task_column : str or int, optional
        The column of X that holds the task id.

    Attributes
    ----------
    tasks_, classes_ : arrays of shape (2,) and (n_classes,)
        Ids, sorted; all that follows is in their order.
    coef_ : array of shape (2, 1 or n_classes, n_features)
        For rows divided by their length. With two classes the one row points towards `classes_[1]`.
    intercept_ : array of shape (2, 1 or n_classes)
        What is added to the scores.
    target_ : task id
        The target.
    objective_ : array of shape (n_iterations,)
        The function that is minimised, after every round.

    Examples
    --------
    >>> from kinspan.baselines import MMDT
    >>> from kinspan.datasets import gaussian_mixture, related_means
    >>> means, counts = 2 * related_means([1, 0.8], 30), [[100, 100], [5, 5]]
    >>> train = gaussian_mixture(means, counts, random_state=0)
    >>> test = train.sample([[0, 0], [200, 200]], random_state=0)
    >>> clf = MMDT().fit(train.X, train.y, task=train.task)
    >>> clf.score(test.X, test.y, task=1) > 0.8
    True
    """

    def __init__(
        self,
        target: Any = None,
        *,
        source_C: float = 0.05,
        target_C: float = 1.0,
        n_iterations: int = 2,
        normalise: bool = True,
        standardise: bool = True,
        progress: bool = False,
        task_column: str | int | None = None,
    ) -> None:
        self.target = target
        self.source_C = source_C
        self.target_C = target_C
        self.n_iterations = n_iterations
        self.normalise = normalise
        self.standardise = standardise
        self.progress = progress
        self.task_column = task_column

    def _fit(self, X: Any, y: ArrayLike, task: Any) -> None:
        costs = Costs(
            check_strictly_positive("source_C", self.source_C),
            check_strictly_positive("target_C", self.target_C),
        )
        rounds = check_positive("n_iterations", self.n_iterations)
        rows = check_coded_rows(self, X, y, task)
        target = check_target(self.target, rows, "MMDT")
        check_switches(self, "normalise", "standardise", "progress")
        source, few, m = domains_of(rows, target, normalise=self.normalise)
        units = units_of(source, few, standardise=self.standardise)
        S, T = with_one(source, units[0], m), with_one(few, units[1], m)
        found = Transform(np.zeros((S.signs.shape[1], S.X.shape[1])), np.zeros_like(T.signs), T.X)
        self.objective_ = np.empty(rounds)
        for step in steps(range(rounds), "MMDT", progress=self.progress):
            found = best_map(classifiers(S, T._replace(X=found.mapped_rows()), costs), T, costs)
            self.objective_[step] = objective(found, S, T, costs)
        self.target_ = rows.tasks.tolist()[target]
        own, mapped = folded(found.theta, units[0]), folded(found.mapped_theta(), units[1])
        coef, intercept = (in_task_order(*v, target) for v in zip(own, mapped, strict=True))
        self._keep(rows, LinearRules(coef, intercept))


class Costs(NamedTuple):
    """Costs of violated margins."""

    source: float  # C_s
    target: float  # C_t


class Units(NamedTuple):
    """Origin and unit of the features of a domain."""

    centre: Floats  # (features,)
    scale: Floats  # (features,)


class Signed(NamedTuple):
    """Rows of a domain with a constant 1 appended, and ±1 for every problem."""

    X: Floats  # (rows, features + 1)
    signs: Floats  # (rows, problems): a class against the rest, or the second of two


class Transform(NamedTuple):
    """Classifiers, and the map W = I + Σ s_ic θ_c x_iᵀ that is best for them."""

    theta: Floats  # (problems, features + 1)
    duals: Floats  # (rows, problems) s: multipliers of the margins times ±1
    X: Floats  # (rows, features + 1) labelled target rows x

    def mapped_rows(self) -> Floats:
        """(rows, features + 1) Wx of the labelled target rows."""
        return np.asarray(self.X + (self.X @ self.X.T) @ self.duals @ self.theta)

    def mapped_theta(self) -> Floats:
        """(problems, features + 1) Wᵀθ, the classifiers of target rows."""
        return np.asarray(self.theta + (self.theta @ self.theta.T) @ self.duals.T @ self.X)

    def distance(self) -> float:
        """‖W − I‖²."""
        inner = (self.theta @ self.theta.T) @ self.duals.T @ (self.X @ self.X.T) @ self.duals
        return float(np.trace(inner))


def units_of(source: Domain, target: Domain, *, standardise: bool) -> tuple[Units, Units]:
    """The means of each domain, and the standard deviation of features around them; or none."""
    domains, p = (source, target), source.X.shape[1]
    if not standardise:
        return Units(np.zeros(p), np.ones(p)), Units(np.zeros(p), np.ones(p))
    centres = [domain.X.mean(axis=0) for domain in domains]
    around = np.vstack([domain.X - c for domain, c in zip(domains, centres, strict=True)])
    scale = StandardScaler(with_mean=False).fit(around).scale_  # one for constant features
    return Units(centres[0], scale), Units(centres[1], scale)


def with_one(domain: Domain, units: Units, n_classes: int) -> Signed:
    """Rows in these units, with the constant in place of an intercept."""
    X = (domain.X - units.centre) / units.scale
    problems = np.arange(n_classes) if n_classes > 2 else np.array([1])
    signs = np.where(domain.y[:, None] == problems, 1.0, -1.0)
    return Signed(np.hstack([X, np.ones((len(X), 1))]), signs)


def folded(theta: Floats, units: Units) -> tuple[Floats, Floats]:
    """(coef, intercept) for rows as they are, before these units."""
    coef = theta[:, :-1] / units.scale
    return coef, theta[:, -1] - coef @ units.centre


def classifiers(source: Signed, mapped: Signed, costs: Costs) -> Floats:
    """(problems, features + 1) linear SVMs on source rows and mapped target rows."""
    X = np.vstack([source.X, mapped.X])
    weights = np.repeat([costs.source, costs.target], [len(source.X), len(mapped.X)])
    signs = np.vstack([source.signs, mapped.signs])
    svm = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-6, max_iter=100_000, random_state=0)
    return np.vstack([svm.fit(X, y, sample_weight=weights).coef_ for y in signs.T])


def best_map(theta: Floats, target: Signed, costs: Costs) -> Transform:
    """argmin_W ½‖W − I‖² + C_t Σ hinge(±θ_cᵀWx), by its dual in the box 0 ≤ s ≤ C_t.

    The dual is ½ tr(ΘΘᵀ AᵀKA) − Σ s (1 ∓ θ_cᵀx) with A = ±s and K = XXᵀ.
    """
    X, signs = target
    K, Q = X @ X.T, theta @ theta.T
    room = 1.0 - signs * (X @ theta.T)

    def dual(s: Floats) -> tuple[float, Floats]:
        A = signs * s.reshape(signs.shape)
        pull = K @ A @ Q
        value = 0.5 * np.vdot(A, pull) - np.vdot(s, room)
        return float(value), (signs * pull - room).ravel()

    s = minimise_in_box(dual, np.zeros(signs.size), costs.target)
    return Transform(theta, signs * s.reshape(signs.shape), X)


def objective(found: Transform, source: Signed, target: Signed, costs: Costs) -> float:
    """The function that is minimised."""
    size = found.distance() + np.vdot(found.theta, found.theta)
    hinges = [
        cost * np.maximum(1.0 - signs * (X @ theta.T), 0.0).sum()
        for cost, (X, signs), theta in (
            (costs.source, source, found.theta),
            (costs.target, target, found.mapped_theta()),
        )
    ]
    return float(0.5 * size + sum(hinges))
