"""Scores of rows of a task, and the Gaussians that its forecast stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from kinspan import _ids, _validation
from kinspan.displays._canvas import OTHER, OURS, axes_for, shortened, without_frame

Floats = NDArray[np.float64]


class ScoreDistributionDisplay:
    """Histograms of the scores of both classes, with the Gaussians that theory gives them.

    The Gaussians come from the fit alone: their spread is that of sampled rows around their class
    means, along the rule; their distance from the threshold is the one at which the forecast error
    is made.

    Parameters
    ----------
    scores : list of two arrays
        Log odds of rows of `classes[0]` and of `classes[1]`.
    classes : array of shape (2,)
    means, spread : array of shape (2,), float
        Of the Gaussians.
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
        task: Any,
        forecast: float,
    ) -> None:
        self.scores, self.classes, self.means = scores, classes, means
        self.spread, self.task, self.forecast = spread, task, forecast

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
            Needed if there are several.
        ax : axes of matplotlib, optional
        """
        check_is_fitted(estimator)
        _check_drawable(estimator)
        one = estimator.tasks_[0] if task is None and len(estimator.tasks_) == 1 else task
        t = estimator._position(one)
        scores = np.asarray(estimator.decision_function(X, task=task))
        labels = _validation.check_labels(y, len(scores))
        codes = _ids.lookup(estimator.classes_, labels)
        spread = _spread_along(estimator, t)
        forecast = float(np.clip(estimator.forecast_error_[t], 1e-6, 0.5))
        means = np.array([-1.0, 1.0]) * spread * float(ndtri(1.0 - forecast))
        parts = [scores[codes == j] for j in (0, 1)]
        return cls(parts, estimator.classes_, means, spread, one, forecast).plot(ax)

    def plot(self, ax: Any = None) -> ScoreDistributionDisplay:
        """Draw histograms and Gaussians on the axes, or on new ones."""
        ax = axes_for(ax)
        everything = np.concatenate([*self.scores, self.means - 3 * self.spread])
        everything = np.append(everything, self.means + 3 * self.spread)
        edges = np.linspace(everything.min(), everything.max(), 41)
        x = np.linspace(everything.min(), everything.max(), 400)
        wrong, n = 0, max(sum(map(len, self.scores)), 1)
        for j, colour in enumerate((OTHER, OURS)):
            scores, name = self.scores[j], shortened(self.classes[j])
            if len(scores):
                ax.hist(
                    scores, edges, density=True, color=colour, alpha=0.35, label=f"rows of {name}"
                )
            z = (x - self.means[j]) / self.spread
            density = np.exp(-0.5 * z**2) / (self.spread * np.sqrt(2 * np.pi))
            ax.plot(x, density, color=colour, label=f"foretold for {name}")
            wrong += int((scores > 0).sum() if j == 0 else (scores <= 0).sum())
        ax.axvline(0.0, color="0.3", linewidth=0.8, linestyle="--")
        ax.set(
            xlabel=f"log odds of {shortened(self.classes[1])}",
            ylabel="density",
            title=f"{shortened(self.task)}: forecast {self.forecast:.1%}, here {wrong / n:.1%}",
        )
        without_frame(ax)
        ax.legend(frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _check_drawable(estimator: Any) -> None:
    if len(estimator.classes_) != 2:
        raise ValueError(
            f"the model has {len(estimator.classes_)} classes; scores are drawn for two"
        )
    if estimator.sample_ is None:
        raise ValueError("the model has no sampled rows; fit it with row_sample=100")


def _spread_along(estimator: Any, t: int) -> float:
    """The standard deviation of rows around their class means, along the rule of a task."""
    moments, sample = estimator.moments_.effective(), estimator.sample_
    sample = sample.aligned(moments.tasks, moments.classes, moments.n_features).effective()
    cell = sample.task_codes, sample.class_codes
    rule = estimator.coef_[t, 0]
    deviations = (sample.rows - moments.means[cell]) @ rule
    counts = moments.counts[cell]
    freedom = float((sample.weights * (1.0 - np.minimum(sample.weights / counts, 1.0))).sum())
    return float(np.sqrt(sample.weights @ deviations**2 / max(freedom, 1.0)))
