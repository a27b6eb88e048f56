"""Labelled rows of several tasks and new rows to predict, prepared for linear rules and trees.

Linear methods get the features that `benchmarks.accuracy` gives them: minus the mean of the class
means of their task, divided by the deviation within classes, with one column for each level of a
category. Trees get the original features, with categories as codes.
"""

from __future__ import annotations

import numpy as np

from benchmarks.peers.samples import Codes, Floats, Rows, Sample, standardised


def prepared(
    train: tuple[Floats, Codes, Codes], new: tuple[Floats, Codes, Codes], n_categorical: int = 0
) -> Sample:
    """Features, classes and tasks of both kinds of rows → a sample."""
    (raw, y, task), (raw_new, y_new, task_new) = train, new
    levels = _levels(np.concatenate([raw, raw_new]), n_categorical)
    X, X_new = (_one_column_a_level(r, levels) for r in (raw, raw_new))
    rows, new_rows = Rows(X, y, task, raw), Rows(X_new, y_new, task_new, raw_new)
    return standardised(Sample(rows, new_rows, n_categorical))


def _levels(raw: Floats, n_categorical: int) -> list[Floats]:
    return [np.unique(column) for column in raw[:, raw.shape[1] - n_categorical :].T]


def _one_column_a_level(raw: Floats, levels: list[Floats]) -> Floats:
    n_numeric = raw.shape[1] - len(levels)
    codes = [raw[:, [n_numeric + i]] == of for i, of in enumerate(levels)]
    return np.hstack([raw[:, :n_numeric], *codes])
