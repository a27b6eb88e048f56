"""Rows on a device → scores, answers and probabilities, by functions of the array API.

The same as in `kinspan.scores`, in double precision where the device has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._arrays.elsewhere import DeviceRows
from kinspan._arrays.libraries import (
    copied_to_numpy,
    device,
    in_spans,
    moved,
    namespace,
    widest_float,
)
from kinspan._device.kernels import has_kernels
from kinspan._rows.types import Floats

_BLOCK_BYTES = 1 << 27
_FEW_SCORES = 16  # of a row: for more of them products of matrices are faster


def paired_scores(X: DeviceRows, rules: Any, coef: Floats, intercept: Floats) -> Any:
    """(rows, scores): every row with the rule of its own task."""
    xp, precision = namespace(X.array), widest_float(X.array)
    weights = xp.astype(moved(coef, X.array), precision, copy=False)
    starts = xp.astype(moved(intercept, X.array), precision, copy=False)
    if has_kernels(X.array) and coef.shape[1] <= _FEW_SCORES:
        from kinspan._device.triton_scores import row_scores  # noqa: PLC0415

        return row_scores(X.array, rules, weights, starts)
    by = _scores_by_row if coef.shape[1] == 1 else _scores_by_task
    scores = by(X.array, rules, weights)
    return scores + xp.take(starts, rules, axis=0)


def _scores_by_row(X: Any, rules: Any, coef: Any) -> Any:
    """One score per row: the coefficients of every row's task are gathered block by block."""
    xp, parts = namespace(X), []
    for rows in in_spans(X.shape[0], _block_rows(X)):
        x = xp.astype(X[rows, :], coef.dtype)
        parts.append(xp.sum(x * xp.take(coef[:, 0, :], rules[rows], axis=0), axis=1))
    return xp.concat(parts, axis=0)[:, None]


def _scores_by_task(X: Any, rules: Any, coef: Any) -> Any:
    """Several scores per row: one product for the rows of every task, block by block."""
    xp, parts = namespace(X), []
    order = xp.argsort(rules, stable=True)
    bounds = xp.arange(coef.shape[0] + 1, dtype=rules.dtype, device=device(X))
    ends = copied_to_numpy(xp.searchsorted(xp.take(rules, order, axis=0), bounds))
    block = _block_rows(X)
    for task in np.flatnonzero(np.diff(ends)):
        directions = xp.matrix_transpose(coef[int(task), :, :])
        for start in range(int(ends[task]), int(ends[task + 1]), block):
            rows = order[start : min(start + block, int(ends[task + 1]))]
            parts.append(xp.astype(xp.take(X, rows, axis=0), coef.dtype) @ directions)
    return xp.take(xp.concat(parts, axis=0), xp.argsort(order), axis=0)


def _block_rows(X: Any) -> int:
    return max(16, _BLOCK_BYTES // (8 * int(X.shape[1])))


def answers(scores: Any) -> Any:
    """(rows,) positions of the classes with the largest scores."""
    xp = namespace(scores)
    if scores.shape[1] == 1:
        return xp.astype(scores[:, 0] > 0, xp.int32)
    return xp.argmax(scores, axis=1)


def without_absent(scores: Any, absent: Any, never: float) -> Any:
    """Scores in which classes that a row's task cannot answer are far below all others."""
    xp = namespace(scores)
    if scores.shape[1] == 1:
        return scores
    highest = xp.max(scores) + xp.zeros_like(scores)
    lowest = xp.min(xp.where(absent, highest, scores), axis=1, keepdims=True)
    return xp.where(absent, lowest + never, scores)


def probabilities(scores: Any, absent: Any) -> Any:
    """(rows, classes) probabilities of scores that are log odds."""
    xp = namespace(scores)
    if scores.shape[1] == 1:
        scores = xp.concat([xp.zeros_like(scores), scores], axis=1)
    powers = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
    powers = xp.where(absent, xp.zeros_like(powers), powers)
    return powers / xp.sum(powers, axis=1, keepdims=True)
