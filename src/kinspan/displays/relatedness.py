"""A map of the relatedness of all tasks, with similar tasks next to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from kinspan.displays._canvas import HARM, OURS, axes_for, check_estimator, shortened

_MOST_NAMES = 50
_MOST_ORDERED = 1000  # tasks; the optimal order of more tasks takes too long


class RelatednessDisplay:
    """Cosines between the class contrasts of tasks as a map, ordered by similarity.

    Parameters
    ----------
    relatedness : array of shape (n_tasks, n_tasks)
    tasks : array of shape (n_tasks,)

    Attributes
    ----------
    order_ : array of shape (n_tasks,)
        Positions of the tasks from top to bottom.
    ax_, figure_, image_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import RelatednessDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> display = RelatednessDisplay.from_estimator(clf)
    """

    def __init__(self, relatedness: NDArray[np.float64], tasks: NDArray[Any]) -> None:
        self.relatedness, self.tasks = relatedness, tasks

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> RelatednessDisplay:
        """Draw the relatedness of a fitted MultiTaskSPCA; other arguments go to `imshow`."""
        check_estimator(estimator)
        return cls(estimator.relatedness_, estimator.tasks_).plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> RelatednessDisplay:
        """Draw the map on the given axes, or on new ones; other arguments go to `imshow`."""
        n_tasks = len(self.tasks)
        ax = axes_for(ax, 7.0, 6.0)
        self.order_ = similar_side_by_side(self.relatedness)
        ordered = self.relatedness[np.ix_(self.order_, self.order_)]
        options = {"vmin": -1.0, "vmax": 1.0, "cmap": _colours(), "interpolation": "nearest"}
        self.image_ = ax.imshow(ordered, **{**options, **kwargs})
        ax.figure.colorbar(self.image_, ax=ax, label="relatedness (cosine)", shrink=0.8)
        ax.set(xlabel="task", ylabel="task")
        if n_tasks <= _MOST_NAMES:
            names = [shortened(self.tasks[t]) for t in self.order_]
            size = max(5.0, min(10.0, 320.0 / n_tasks))
            ax.set_xticks(range(n_tasks), names, rotation=90, fontsize=size)
            ax.set_yticks(range(n_tasks), names, fontsize=size)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _colours() -> Any:
    """From opposite to alike."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415  # optional

    return LinearSegmentedColormap.from_list("kinspan", [HARM, "white", OURS])


def similar_side_by_side(relatedness: NDArray[np.float64]) -> NDArray[np.intp]:
    """Positions of tasks in an order in which similar ones are neighbours."""
    if len(relatedness) < 3:
        return np.arange(len(relatedness))
    distances = squareform(np.clip(1.0 - (relatedness + relatedness.T) / 2, 0.0, 2.0), checks=False)
    tree = linkage(distances, "average")
    if len(relatedness) <= _MOST_ORDERED:
        tree = optimal_leaf_ordering(tree, distances)
    return np.asarray(leaves_list(tree), dtype=np.intp)
