"""What all forecast curves share: reading the model and the test rows, the band, the picture."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from kinspan._arrays.elsewhere import on_host
from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Floats
from kinspan._validation.rows import check_labels
from kinspan._validation.scores import check_curve_score
from kinspan.answers.seen_from import distributions_of
from kinspan.displays._canvas import (
    ACTUAL,
    ALONE,
    OURS,
    axes_for,
    check_estimator,
    legend_beside,
    shortened,
    without_frame,
)
from kinspan.risk.drawn_curves import MassesAbove, masses_above

GROUPS = 10  # of rows, in a curve of groups


class Actual(NamedTuple):
    """Test rows: whether they are of the class that the curve is about, and their log odds."""

    truth: Floats  # (rows,)
    scores: Floats  # (rows,)


class CurveDisplay:
    """A curve with its 90 % band, and what happened on test rows."""

    axes: ClassVar[tuple[str, str]]

    def __init__(
        self, x: Floats, y: Floats, band: Floats, name: str, chance: float, actual: Any = None
    ) -> None:
        self.x, self.y, self.band, self.name = x, y, band, name
        self.chance, self.actual = chance, actual

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        task: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw the forecast of a fitted MultiTaskSPCA of two classes.

        Parameters
        ----------
        estimator : fitted MultiTaskSPCA
            With two classes and sampled rows (`row_sample` above 0).
        X, y : test rows and their labels, optional
            Their curve is drawn too.
        task : one id, or the ids of the test rows, optional
            One task. Without an id, or with those of several tasks, all tasks as one.
        ax : axes of matplotlib, optional
        """
        check_estimator(estimator)
        has_rows = estimator.sample_ is not None
        check_curve_score("estimator", "roc_auc", len(estimator.classes_), has_rows)
        everyone: Codes = np.arange(len(estimator.tasks_))
        actual, tasks = None, everyone
        if X is not None:
            actual, of_rows = _test_rows(estimator, X, y, task)
            tasks = of_rows if len(of_rows) == 1 else everyone
        elif task is not None:
            tasks = np.array([estimator._position(task)])
        distributions = distributions_of(estimator)
        if not distributions.is_known:
            raise ValueError(
                "estimator forecasts no curve: no task has two rows of each class, one of which "
                "could be left out; label more rows of the rarer class"
            )
        masses = masses_above(distributions, tasks)
        name = "all tasks" if len(tasks) > 1 else shortened(estimator.tasks_[tasks[0]])
        shown = None if actual is None else cls._of_rows(actual)
        chance = float(masses.share.mean())
        display = cls(*cls._forecast(masses), name, chance, shown)
        display._note = cls._about(estimator)
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve on the given axes, or on new ones."""
        ax = axes_for(ax, 6.4, 4.4)
        ax.fill_between(self.x, *self.band, color=OURS, alpha=0.2, linewidth=0, label="90 %")
        ax.plot(self.x, self.y, color=OURS, label="forecast")
        if self.actual is not None:
            marks = "o-" if len(self.actual[0]) <= GROUPS else "-"
            ax.plot(*self.actual, marks, color=ACTUAL, linewidth=1.0, label="on test rows")
        ends = self._reference()
        ax.plot(*ends, color=ALONE, linestyle="--", linewidth=0.8, label=self._reference_name)
        ax.set(xlabel=self.axes[0], ylabel=self.axes[1], title=self.name + self._note)
        end = self._end()
        ax.set(xlim=(0.0, end), ylim=(0.0, 1.02 * end))
        without_frame(ax)
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    _note: str = ""
    _reference_name: ClassVar[str] = "chance"

    @staticmethod
    def _about(_estimator: Any) -> str:
        """What to know of the model, after the title."""
        return ""

    def _reference(self) -> tuple[Any, Any]:
        return [0, 1], [0, 1]

    def _end(self) -> float:
        """Of both axes."""
        return 1.0

    @staticmethod
    def _forecast(masses: MassesAbove) -> tuple[Floats, Floats, Floats]:
        raise NotImplementedError

    @staticmethod
    def _of_rows(actual: Actual) -> tuple[Floats, Floats]:
        raise NotImplementedError


def _test_rows(estimator: Any, X: Any, y: Any, task: Any) -> tuple[Actual, Codes]:
    """What happened, and the positions of the tasks of these rows."""
    features, _, known = estimator._known_rows(X, task)
    tasks = np.unique(on_host(known))
    if tasks.tolist() == [len(estimator.tasks_)]:
        raise ValueError("task: the rows are of a task without labels, of which nothing is known")
    labels = np.asarray(check_labels(y, features.shape[0]))
    classes = identifiers.lookup(estimator.classes_, labels)
    if (classes < 0).any():
        unknown, known = labels[classes < 0].tolist()[0], estimator.classes_.tolist()
        raise ValueError(f"label {unknown!r} is not a class of the model, which has {known}")
    if len(set(classes.tolist())) < 2:
        raise ValueError("y has labels of one class only; a curve needs both")
    scores = np.asarray(on_host(estimator.decision_function(X, task=task)))
    if estimator._learnt.is_mirrored:
        classes, scores = 1 - classes, -scores
    return Actual(classes.astype(np.float64), scores), tasks
