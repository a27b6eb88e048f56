"""Which tasks help a task: how much of what others save would be lost with each."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan.answers import TransferExplanation
from kinspan.displays._canvas import HARM, OURS, axes_for, check_estimator, shortened, without_frame


class TransferDisplay:
    """The gain of a task from each of the tasks that weigh most in its rule, as bars.

    Parameters
    ----------
    explanation : TransferExplanation
        The answer of `explain_transfer`.

    Attributes
    ----------
    ax_, figure_, bars_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.displays import TransferDisplay
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> display = TransferDisplay.from_estimator(clf, "3 vs 8", most=3)
    """

    def __init__(self, explanation: TransferExplanation) -> None:
        self.explanation = explanation

    @classmethod
    def from_estimator(
        cls, estimator: Any, task: Any, *, most: int = 10, ax: Any = None
    ) -> TransferDisplay:
        """Ask a fitted MultiTaskSPCA about a task, and draw the answer.

        Parameters
        ----------
        estimator : fitted MultiTaskSPCA
        task : one id
        most : int, default=10
            How many tasks to ask about, beginning with those of the largest weight.
        ax : axes of matplotlib, optional
        """
        check_estimator(estimator)
        return cls(estimator.explain_transfer(task, most=most)).plot(ax)

    def plot(self, ax: Any = None) -> TransferDisplay:
        """Draw the bars on the given axes, or on new ones."""
        answer = self.explanation
        names = [shortened(name) for name in answer.tasks]
        ax = axes_for(ax, 6.4, 1.5 + 0.3 * len(names))
        points = 100.0 * np.asarray(answer.gain)[::-1]
        colours = [OURS if value >= 0 else HARM for value in np.nan_to_num(points)]
        self.bars_ = ax.barh(range(len(names)), np.nan_to_num(points), color=colours)
        ax.set_yticks(range(len(names)), names[::-1])
        ax.axvline(0.0, color="0.3", linewidth=0.8)
        ax.set(
            xlabel="points of error that this task saves",
            title=f"{shortened(answer.task)}: forecast {answer.forecast_error:.1%}, "
            f"alone {answer.single_task_error:.1%}",
        )
        without_frame(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
