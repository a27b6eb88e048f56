"""Scores of the rows of a task, and the Gaussians behind its forecast."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

from kinspan._arrays.elsewhere import on_host
from kinspan._rows import identifiers
from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_costs, check_priors
from kinspan._validation.rows import check_labels
from kinspan.displays._canvas import (
    KINDS,
    axes_for,
    check_estimator,
    legend_beside,
    shortened,
    without_frame,
)


class ScoreDistributionDisplay:
    """Histograms of the scores of both classes, with the Gaussians that the fit expects.

    The Gaussians come from the fit alone: their spread is that of sampled rows around their class
    means, along the rule; they are as far from the threshold as the forecast error requires.

    Parameters
    ----------
    scores : list of two arrays
        Log odds of rows of `classes[0]` and of `classes[1]`.
    classes : array of shape (2,)
    means, spread : array of shape (2,), float
        Of the Gaussians.
    priors : array of shape (2,)
        The weights of errors of the two classes.
    task : id
    forecast : float

    Attributes
    ----------
    ax_, figure_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import ScoreDistributionDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> of = digits.task_test == "3 vs 8"
    >>> display = ScoreDistributionDisplay.from_estimator(
    ...     clf, digits.X_test[of], digits.y_test[of], task="3 vs 8"
    ... )
    """

    def __init__(
        self,
        scores: list[Floats],
        classes: NDArray[Any],
        means: Floats,
        spread: float,
        priors: Floats,
        task: Any,
        forecast: float,
    ) -> None:
        self.scores, self.classes, self.means = scores, classes, means
        self.spread, self.priors, self.task, self.forecast = spread, priors, task, forecast

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, task: Any = None, ax: Any = None
    ) -> ScoreDistributionDisplay:
        """Draw the scores of rows of one task by a fitted MultiTaskSPCA of two classes.

        Parameters
        ----------
        estimator : fitted MultiTaskSPCA
            With two classes and sampled rows (`row_sample` above 0).
        X, y : rows of the task, and their labels
        task : one id
            Required if there are several tasks.
        ax : axes of matplotlib, optional
        """
        check_estimator(estimator)
        _check_drawable(estimator)
        t = _the_task(estimator, X, task)
        scores = np.asarray(on_host(estimator.decision_function(X, task=task)))
        labels = np.asarray(check_labels(y, len(scores)))
        codes = identifiers.lookup(estimator.classes_, labels)
        spread, priors, moved = _spread_along(estimator, t), *_prior_of(estimator, t)
        forecast = float(estimator.forecast_error_[t])
        apart = _distance(forecast, spread, priors, moved)
        means = moved + np.array([-apart, apart])
        parts = [scores[codes == j] for j in (0, 1)]
        name = estimator.tasks_[t]
        return cls(parts, estimator.classes_, means, spread, priors, name, forecast).plot(ax)

    def plot(self, ax: Any = None) -> ScoreDistributionDisplay:
        """Draw histograms and Gaussians on the given axes, or on new ones."""
        ax = axes_for(ax, 7.6)
        everything = np.concatenate([*self.scores, self.means - 3 * self.spread])
        everything = np.append(everything, self.means + 3 * self.spread)
        edges = np.linspace(everything.min(), everything.max(), 41)
        x = np.linspace(everything.min(), everything.max(), 400)
        wrong = np.zeros(2)
        for j, colour in enumerate(KINDS[:2]):
            scores, name = self.scores[j], shortened(self.classes[j])
            if len(scores):
                label = f"rows of {name}"
                ax.hist(scores, edges, density=True, color=colour, alpha=0.35, label=label)
                wrong[j] = np.mean(scores > 0 if j == 0 else scores <= 0)
            if self.spread > 0:
                z = (x - self.means[j]) / self.spread
                density = np.exp(-0.5 * z**2) / (self.spread * np.sqrt(2 * np.pi))
                ax.plot(x, density, color=colour, label=f"expected for {name}")
        here = float(wrong @ self.priors)
        ax.axvline(0.0, color="0.3", linewidth=0.8, linestyle="--")
        ax.set(
            xlabel=f"log odds of {shortened(self.classes[1])}",
            ylabel="density",
            title=f"{shortened(self.task)}: forecast {self.forecast:.1%}, here {here:.1%}",
        )
        without_frame(ax)
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _the_task(estimator: Any, X: Any, task: Any) -> int:
    """The position of the one task that rows belong to."""
    tasks = np.unique(on_host(estimator._known_rows(X, task)[2])).tolist()
    if len(tasks) != 1:
        raise ValueError(f"X has rows of {len(tasks)} tasks; scores are drawn for one of them")
    if tasks[0] == len(estimator.tasks_):
        raise ValueError("task: the rows are of a task without labels, of which nothing is known")
    return int(tasks[0])


def _prior_of(estimator: Any, t: int) -> tuple[Floats, float]:
    """The weights of errors of both classes, and their log odds before a row is seen."""
    moments = estimator.moments_
    priors = check_priors(estimator.priors, moments.counts)
    costs = check_costs(estimator.class_weight, moments.classes, priors)
    log_odds = np.log(priors * costs)[t]
    return priors[t], float(log_odds[1] - log_odds[0])


def _distance(error: float, spread: float, priors: Floats, moved: float) -> float:
    """How far each Gaussian is from the middle between them, for a given error."""

    def too_much(apart: float) -> float:
        wrong = ndtr([(moved - apart) / spread, -(moved + apart) / spread])
        return float(priors @ wrong) - error

    if spread <= 0 or not too_much(0.0) > 0:
        return 0.0
    farthest = abs(moved) + 10.0 * spread
    return farthest if too_much(farthest) > 0 else float(brentq(too_much, 0.0, farthest))


def _check_drawable(estimator: Any) -> None:
    if len(estimator.classes_) != 2:
        raise ValueError(
            f"the model has {len(estimator.classes_)} classes; scores are drawn for two"
        )
    if estimator.sample_ is None:
        raise ValueError("the model has no sampled rows; fit it with row_sample=100")


def _spread_along(estimator: Any, t: int) -> float:
    """The standard deviation of rows around their class means, along the rule of a task."""
    moments, sample = estimator._whole.moments.effective(), estimator._whole.sample
    sample = sample.aligned(moments.tasks, moments.classes, moments.n_features).effective()
    cell = sample.task_codes, sample.class_codes
    rule = estimator.coef_[t, 0]
    deviations = (sample.rows - moments.means[cell]) @ rule
    counts = moments.counts[cell]
    freedom = float((sample.weights * (1.0 - np.minimum(sample.weights / counts, 1.0))).sum())
    return float(np.sqrt(sample.weights @ deviations**2 / max(freedom, 1.0)))
