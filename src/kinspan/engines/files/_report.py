"""A report of the files that were read and of those that were skipped, with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinspan._memory.statistics import Statistics
from kinspan._memory.threads import learning
from kinspan.tables.tally import number


class ReadFile(NamedTuple):
    """A file that was read to its end."""

    path: Path
    n_rows: int


class SkippedFile(NamedTuple):
    """A file that was left out entirely."""

    path: Path
    reason: str


@dataclass(frozen=True, eq=False)
class FilesRead:
    """Statistics of files, and a report on how they were read; `print` shows the report.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.engines import files
    >>> rows = [[0.0], [1.0]], ["no", "yes"]
    >>> read = files.from_batches([(*rows, "north"), (*rows, "south")])
    >>> read.n_rows, read.statistics.moments.counts.tolist()
    (4, [[1.0, 1.0], [1.0, 1.0]])
    >>> clf = read.fit(MultiTaskSPCA())
    """

    statistics: Statistics
    feature_names: tuple[str, ...] | None  # in the order of the features; None in matrices
    columns: tuple[str, ...] | None  # features and the task column, in the order of the file
    n_rows: int
    files: tuple[ReadFile, ...]  # in the order in which they were added
    skipped: tuple[SkippedFile, ...]
    left_out: dict[str, str]  # columns that are not numeric, and their types
    seconds: float

    def __repr__(self) -> str:
        return f"FilesRead({len(self.files)} files, {len(self.skipped)} skipped, {self.statistics})"

    def __str__(self) -> str:
        moments = self.statistics.moments
        lines = [
            f"{number(self.n_rows, 'row')} from {number(len(self.files), 'file')} in "
            f"{self.seconds:.1f} s ({self.n_rows / max(self.seconds, 1e-9):,.0f} rows/s)",
            f"{number(len(moments.tasks), 'task')}, {number(len(moments.classes), 'class')}, "
            f"{number(moments.n_features, 'feature')}",
        ]
        if self.statistics.unlabelled is not None:
            n = self.statistics.unlabelled.moments.counts.sum()
            lines.append(f"{number(float(n), 'row')} without labels")
        lacking = self._lacking()
        if lacking:
            lines.append(f"without any value in some tasks: {lacking}")
        if self.left_out:
            named = ", ".join(f"{name!r} ({kind})" for name, kind in self.left_out.items())
            lines.append(f"columns that are not features: {named}")
        if self.skipped:
            lines.append(f"{number(len(self.skipped), 'file')} skipped:")
            lines += [f"  {path}: {reason}" for path, reason in self.skipped]
        return "\n".join(lines)

    def _lacking(self) -> str:
        """Features that some tasks lack, with the number of these tasks."""
        if self.feature_names is None or self.statistics.moments.observed is None:
            return ""
        there = self.statistics.moments.observed.sum(axis=1) > 0
        lacking = np.flatnonzero(~there.all(axis=0))
        named = [f"{self.feature_names[i]!r} ({(~there[:, i]).sum()} tasks)" for i in lacking[:5]]
        return ", ".join(named) + (", …" if len(lacking) > 5 else "")

    def fit(self, model: Any) -> Any:
        """Fit a model on these statistics, in place, and return it.

        It then knows the names of the features: `predict` takes frames with these columns and
        refuses others.

        Parameters
        ----------
        model : MultiTaskSPCA
        """
        names = check_model(model, self.columns, self.feature_names)
        with learning(model) as draft:
            draft.fit_moments(self.statistics)
            if names is not None:
                draft.feature_names_in_ = np.array(names, dtype=object)
        return model


def check_model(
    model: Any, columns: tuple[str, ...] | None, features: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """The names of columns that a model will know, including its task column."""
    if not hasattr(model, "fit_moments"):
        raise TypeError(f"model is of type {type(model).__name__}; pass a MultiTaskSPCA")
    if getattr(model, "forget", 0):
        raise ValueError(
            f"forget={model.forget!r} depends on the order of rows, and statistics of files have "
            "none; call model.partial_fit on every batch of files.batches(…)"
        )
    column = model.task_column
    if column is None:
        return features
    if columns is None or column not in columns or column in (features or ()):
        raise ValueError(
            f"task_column={column!r} of the model is not the task column of the files; use "
            "task_column=None and pass task= to predict, or task= with the same name here"
        )
    return columns


def described(skipped: list[SkippedFile]) -> str:
    """The first few skipped files, with reasons."""
    shown = "; ".join(f"{path}: {reason}" for path, reason in skipped[:3])
    more = len(skipped) - 3
    return shown if more <= 0 else f"{shown}; and {more} more"
