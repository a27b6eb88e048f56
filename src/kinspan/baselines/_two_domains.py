"""Rows of two tasks → rows of a source and of a target, for methods that adapt one to the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse.linalg as spla

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.types import Codes, Floats
from kinspan.baselines._checks import CodedRows, TaskRows, dense, finite_doubles
from kinspan.baselines._task_classifier import TaskClassifier
from kinspan.scores import paired_scores


class Domain(NamedTuple):
    """Labelled rows of one domain."""

    X: Floats  # (rows, features)
    y: Codes  # (rows,) positions of their classes


class TwoDomains(NamedTuple):
    """A source with many labels and a target with few."""

    source: Domain
    target: Domain
    n_classes: int


class TwoDomainClassifier(TaskClassifier):
    """A classifier of two tasks whose linear rules may take rows of length one."""

    normalise: bool

    def _score_rows(self, rows: TaskRows) -> Floats:
        scores = paired_scores(rows.X, rows.codes, self.coef_, np.zeros_like(self.intercept_))
        X = finite_doubles(rows.X, rows.names)
        length = row_lengths(X) if self.normalise else 1.0
        return np.asarray(scores / length + self.intercept_[rows.codes])


def row_lengths(X: Any) -> Floats:
    """(rows, 1) Euclidean lengths; one for rows of zeros."""
    length = spla.norm(X, axis=1) if is_sparse(X) else np.linalg.norm(X, axis=1)
    return np.where(length == 0, 1.0, length)[:, None]


def domains_of(rows: CodedRows, target: int, *, normalise: bool) -> TwoDomains:
    """The rows of the target task, and those of the other one."""
    X = dense(rows.X)
    X = X / row_lengths(X) if normalise else X
    mine = rows.task_codes == target
    return TwoDomains(
        Domain(X[~mine], rows.class_codes[~mine]),
        Domain(X[mine], rows.class_codes[mine]),
        len(rows.classes),
    )


def in_task_order(source: Floats, target: Floats, target_code: int) -> Floats:
    """(2, …): values of the source and of the target, in the order of the tasks."""
    return np.stack([source, target] if target_code == 1 else [target, source])
