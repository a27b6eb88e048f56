"""The filling of docs/theory.md, section 11, one hole and one left-out row at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class NaiveFilling(NamedTuple):
    """Means of tasks, and all rows around them."""

    means: dict[Any, Any]
    z: Any  # (rows, features) around the means, in units, with the shift in holes
    holes: Any
    unit: Any
    shift: Any  # (features,): where missing values lie around the means
    slope: float
    same: Any  # (rows,): equal for equal rows of a cell, which are left out together

    @classmethod
    def of(
        cls, X: Any, task: Any, shift: Any = 0.0, y: Any = None, means: Any = None
    ) -> NaiveFilling:
        means = naive_means(X, task) if means is None else means
        around = X - np.array([means[t] for t in task.tolist()])
        unit = np.array([_unit(column[~np.isnan(column)]) for column in around.T])
        shift = np.zeros(X.shape[1]) + shift
        z = np.where(np.isnan(around), shift, around) / unit
        found = cls(means, z, np.isnan(X), unit, shift, 1.0, _equal(X, task, y))
        return found._replace(slope=found._slope())

    def row(self, x: Any, t: Any, left_out: int | None = None) -> Any:
        """A row with filled holes; it may be one of those that the regression is left without."""
        mean = self.means.get(t, self.means[None])
        z = np.where(np.isnan(x), self.shift, x - mean) / self.unit
        filled = np.array(x)
        for p in np.flatnonzero(np.isnan(x)).tolist():
            expected = self.slope * self._expected(z, p, left_out) * self.unit[p]
            filled[p] = mean[p] + self.shift[p] + expected
        return filled

    def rows(self, X: Any, task: Any) -> Any:
        """Rows that the regression has not seen."""
        return np.array([self.row(x, t) for x, t in zip(X, task.tolist(), strict=True)])

    def own_rows(self, X: Any, task: Any) -> Any:
        """The rows that it was found from, each left out in turn."""
        return np.array([self.row(x, t, i) for i, (x, t) in enumerate(zip(X, task, strict=True))])

    def _expected(self, z: Any, p: int, left_out: int | None) -> float:
        """The ridge regression of a feature on all others, by its normal equations."""
        seen = np.full(len(self.z), True) if left_out is None else self.same != self.same[left_out]
        others = np.arange(len(z)) != p
        A, b = self.z[seen][:, others], self.z[seen, p]
        n = len(self.z)
        beta = np.linalg.solve(A.T @ A / n + np.eye(A.shape[1]), A.T @ b / n)
        there = 1.0 - self.holes[:, p].mean()
        return float(z[others] @ beta) / there if there > 0 else 0.0

    def _slope(self) -> float:
        """Values that are there over what is expected of them."""
        there = np.argwhere(~self.holes)
        expected = np.array([self._expected(self.z[i], p, i) for i, p in there])
        values = np.array([self.z[i, p] for i, p in there])
        squares = float(expected @ expected)
        if squares == 0:
            return 0.0
        slope = float(expected @ values) / squares
        rest = expected * (values - slope * expected)
        error = sum(rest[self.same[there[:, 0]] == i].sum() ** 2 for i in np.unique(self.same))
        beyond = 1.0 - 16.0 * error / squares**2 / slope**2
        return slope * beyond if slope > 0 and beyond > 0 else 0.0


def naive_means(X: Any, task: Any, without_labels: Any = ()) -> dict[Any, Any]:
    """Means of tasks drawn to those of all, by task, and those of all for None.

    Tasks without labels do not tell how much values vary within tasks.
    """
    tasks = np.unique(task).tolist()
    varies = [t not in without_labels for t in tasks]
    columns = [_drawn([column[task == t] for t in tasks], varies) for column in X.T]
    return {t: np.array([column[i] for column in columns]) for i, t in enumerate([*tasks, None])}


def _drawn(values: list[Any], varies: list[bool]) -> list[float]:
    """Means of one feature in every task and, last, in all."""
    there = [v[~np.isnan(v)] for v in values]
    overall = float(np.concatenate(there).mean()) if sum(map(len, there)) else 0.0
    used = [v for v in there if len(v)]
    n = np.array([len(v) for v in used])
    labelled = [v for v, is_used in zip(there, varies, strict=True) if is_used and len(v)]
    freedom = sum(len(v) - 1 for v in labelled)
    variance = sum(((v - v.mean()) ** 2).sum() for v in labelled) / freedom if freedom else 0.0
    if variance == 0:
        return [*(float(v.mean()) if len(v) else overall for v in there), overall]
    excess = sum(len(v) * (v.mean() - overall) ** 2 / variance for v in used) - (len(used) - 1)
    spread = n.sum() - (n**2).sum() / n.sum()
    between = max(excess, 0.0) / spread if spread > 0 else 0.0
    drawn = []
    for v in there:
        share = between / (between + 1.0 / len(v)) if len(v) and between > 0 else 0.0
        drawn.append(overall + share * (float(v.mean()) - overall) if len(v) else overall)
    return [*drawn, overall]


def _equal(X: Any, task: Any, y: Any) -> Any:
    """Numbers of different rows; all are different where labels are not given."""
    if y is None:
        return np.arange(len(X))
    rows = [str(row) for row in zip(X.tolist(), task.tolist(), np.asarray(y).tolist(), strict=True)]
    return np.unique(rows, return_inverse=True)[1]


def _unit(values: Any) -> float:
    squares = (values**2).sum()
    return float(np.sqrt((values**4).sum() / squares / 3.0)) if squares > 0 else 1.0
