"""Steps 1 and 1b together: everything that is learnt from rows, as one value that adds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike, NDArray

from kinspan import _ids, _validation
from kinspan._cell_sums import Floats
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample


@dataclass(frozen=True, eq=False)
class Statistics:
    """Class moments and, unless rows are not to be kept, a sample of rows: all that `fit` needs.

    Statistics add: those of batches, files, machines or sites make those of all their rows.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA, Statistics
    >>> from kinspan.datasets import load_digit_pairs
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> halves = slice(None, 200), slice(200, None)
    >>> first, second = (
    ...     Statistics.from_samples(digits.X[half], digits.y[half], digits.task[half])
    ...     for half in halves
    ... )
    >>> both = first + second
    >>> both
    Statistics(45 tasks, 2 classes, 64 features, 450 rows, 450 of them kept)
    >>> clf = MultiTaskSPCA().fit_moments(both.moments, both.sample)
    """

    moments: ClassMoments
    sample: RowSample | None

    @classmethod
    def from_samples(
        cls,
        X: Any,
        y: ArrayLike,
        task: Any = None,
        *,
        sample_weight: ArrayLike | None = None,
        row_sample: int = 100,
    ) -> Statistics:
        """Statistics of rows.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        task : array of shape (n_samples,), or one id for all rows
        sample_weight : array of shape (n_samples,), optional
            Frequencies: weight 2 is the row twice, weight 0 its absence.
        row_sample : int, default=100
            Rows kept of every class of every task; 0 keeps none.
        """
        features, names, _ = _validation.check_features(X)
        n_samples = features.shape[0]
        labels = _validation.check_labels(y, n_samples)
        tasks = _validation.check_tasks(task, n_samples)
        weights = _validation.check_weights(sample_weight, n_samples)
        size = _validation.check_row_sample(row_sample)
        return cls.from_checked(features, labels, tasks, weights, size, names)

    @classmethod
    def from_checked(
        cls,
        X: Any,
        y: _ids.Ids,
        task: _ids.Ids,
        weights: Floats | None,
        row_sample: int,
        feature_names: NDArray[Any] | None = None,
        fading: Floats | None = None,
    ) -> Statistics:
        """The same from arrays that were validated before; rows may have faded to part of one."""
        moments = ClassMoments.from_checked(X, y, task, weights, feature_names, fading)
        if row_sample == 0:
            return cls(moments, None)
        return cls(moments, RowSample.from_checked(X, y, task, weights, row_sample, fading))

    def __repr__(self) -> str:
        kept = 0 if self.sample is None else len(self.sample.rows)
        return (
            repr(self.moments).replace("ClassMoments", "Statistics")[:-1]
            + f", {kept} of them kept)"
        )

    def __add__(self, other: Statistics) -> Statistics:
        """Statistics of the rows of both; without a sample of either there is none of both."""
        if not isinstance(other, Statistics):
            return NotImplemented
        kept = None
        if self.sample is not None and other.sample is not None:
            kept = self.sample + other.sample
        return Statistics(self.moments + other.moments, kept)

    def __sub__(self, other: Statistics) -> Statistics:
        """Statistics without the rows of the other, which were among these."""
        if not isinstance(other, Statistics):
            return NotImplemented
        moments, kept = self.moments - other.moments, None
        if self.sample is not None and other.sample is not None:
            kept = (self.sample - other.sample).aligned(
                moments.tasks, moments.classes, moments.n_features
            )
        return Statistics(moments, kept)

    def faded(self, factor: Floats) -> Statistics:
        """The same with the weight of the rows of every cell times a (tasks, classes) factor."""
        if self.sample is None:
            return Statistics(self.moments.faded(factor), None)
        tasks, classes = self.moments.tasks, self.moments.classes
        kept = self.sample.aligned(tasks, classes, self.moments.n_features)
        return Statistics(self.moments.faded(factor), kept.faded(factor))

    def __radd__(self, other: Any) -> Statistics:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # as in sum()


Pile = tuple[tuple[int, Statistics], ...]  # sums, and how many parts are in each


def piled(pile: Pile, part: Statistics) -> Pile:
    """One part more; sums of equally many parts meet, as in a binary counter.

    A small batch is so not added to everything that came before it, each time.
    """
    sums = [*pile, (1, part)]
    while len(sums) > 1 and sums[-2][0] <= sums[-1][0]:
        (n, second), (m, first) = sums.pop(), sums.pop()
        sums.append((n + m, first + second))
    return tuple(sums)


def total(pile: Pile) -> Statistics:
    """The sum of all parts of a pile."""
    *others, (_, whole) = pile
    for _, part in reversed(others):
        whole = part + whole
    return whole


def added_up(parts: Iterable[Statistics]) -> Statistics | None:
    """The sum of many statistics, None of nothing."""
    pile: Pile = ()
    for part in parts:
        pile = piled(pile, part)
    return total(pile) if pile else None
