"""Rows and linear rules → scores, predicted classes, probabilities, projections."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._arrays.elsewhere import is_elsewhere
from kinspan._arrays.libraries import is_foreign, is_sparse
from kinspan._device import scores as on_device
from kinspan._rows.types import Codes, Floats, Mask

ABSENT_PENALTY = -100.0  # log odds of a class that a task cannot answer, relative to its others
_BLOCK_BYTES = 1 << 21


def paired_scores(X: Any, rules: Codes, coef: Floats, intercept: Floats) -> Floats:
    """(rows, scores): every row with the rule of its own task, −1 the last, in double precision."""
    if is_elsewhere(X):
        return on_device.paired_scores(X, rules, coef, intercept)  # type: ignore[no-any-return]
    rules = np.where(rules < 0, rules + len(coef), rules)
    with np.errstate(invalid="ignore"):  # infinity minus infinity: named by who calls
        if is_sparse(X):
            scores = _sparse_scores(sp.csr_array(X), rules, coef)
        elif coef.shape[1] == 1:
            scores = _scores_by_row(X, rules, coef[:, 0])[:, None]
        else:
            scores = _scores_by_group(X, rules, coef)
    return np.asarray(scores + intercept[rules])


def _scores_by_row(X: NDArray[Any], rules: Codes, coef: Floats) -> Floats:
    """One score a row: the coefficients of every row's task are gathered block by block."""
    scores = np.empty(X.shape[0])
    block = max(16, _BLOCK_BYTES // (8 * max(X.shape[1], 1)))
    for start in range(0, len(scores), block):
        rows = slice(start, start + block)
        scores[rows] = np.vecdot(X[rows].astype(np.float64, copy=False), coef[rules[rows]])
    return scores


def _scores_by_group(X: NDArray[Any], rules: Codes, coef: Floats) -> Floats:
    """Several scores a row: rows of a task in groups of one size, and one product for many groups.

    The last group of a task is filled up with any row. A group is about as large as tasks have
    rows, so that neither many small tasks nor a few large ones cost more than their products.
    """
    if len(rules) and (rules == rules[0]).all():
        return np.asarray(X.astype(np.float64, copy=False) @ coef[rules[0]].T)
    counts = np.bincount(rules, minlength=len(coef))
    n_present = max(int((counts > 0).sum()), 1)
    size = int(2 ** np.clip(np.round(np.log2(max(len(rules), 1) / n_present)), 0, 8))
    n_groups = -(-counts // size)
    order = np.argsort(rules, kind="stable")
    place = np.arange(len(rules)) - (np.cumsum(counts) - counts)[rules[order]]
    slots = size * (np.cumsum(n_groups) - n_groups)[rules[order]] + place
    of_group = np.repeat(np.arange(len(coef)), n_groups)
    row_of_slot = np.zeros(size * len(of_group), dtype=np.intp)  # some row where there is none
    row_of_slot[slots] = order
    at_once = max(1, 4 * _BLOCK_BYTES // (8 * max(size, coef.shape[1]) * max(X.shape[1], 1)))
    scores = np.empty((len(rules), coef.shape[1]))
    for start in range(0, len(of_group), at_once):
        group = of_group[start : start + at_once]
        ends = size * start, size * (start + len(group))
        rows = X[row_of_slot[slice(*ends)]].astype(np.float64, copy=False)
        products = rows.reshape(len(group), size, -1) @ coef[group].transpose(0, 2, 1)
        some = slice(*np.searchsorted(slots, ends))
        scores[order[some]] = products.reshape(-1, coef.shape[1])[slots[some] - ends[0]]
    return scores


def _sparse_scores(X: sp.csr_array, rules: Codes, coef: Floats) -> Floats:
    """Every row moved to the columns of its task in a matrix with those of all tasks."""
    n_tasks, n_scores, p = coef.shape
    columns = np.repeat(rules.astype(np.int64), np.diff(X.indptr)) * p + X.indices
    parts = X.data.astype(np.float64), columns, X.indptr.astype(np.int64)
    wide = sp.csr_array(parts, shape=(X.shape[0], n_tasks * p))
    scores = [wide @ coef[:, score].reshape(-1) for score in range(n_scores)]
    return np.stack(scores, axis=1)


def answers(scores: Floats) -> Codes:
    """(rows,) positions of the classes that (rows, 1 or classes) scores speak for."""
    if is_foreign(scores):
        return on_device.answers(scores)  # type: ignore[no-any-return]
    best = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return np.asarray(best.astype(np.intp))


def without_absent(scores: Floats, absent: Mask) -> Floats:
    """Scores in which classes that a row's task cannot answer are far below all others."""
    if is_foreign(scores):
        return on_device.without_absent(scores, absent, ABSENT_PENALTY)  # type: ignore[no-any-return]
    if scores.shape[1] == 1 or not absent.any():
        return scores  # with two classes the rule of such a task is a constant
    lowest = np.where(absent, np.inf, scores).min(axis=1, keepdims=True)
    return np.where(absent, lowest + ABSENT_PENALTY, scores)


def probabilities(scores: Floats, absent: Mask) -> Floats:
    """(rows, classes) probabilities of scores that are log odds."""
    if is_foreign(scores):
        return on_device.probabilities(scores, absent)  # type: ignore[no-any-return]
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    odds[absent] = 0.0
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def projectors(coef: Floats, n_components: int) -> Floats:
    """(tasks, components, features): the leading orthonormal directions of every task's rules."""
    size = np.abs(coef).max(axis=(1, 2), keepdims=True)  # of squares that are numbers
    coef = coef / np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(coef @ coef.transpose(0, 2, 1))
    values, vectors = values[:, ::-1][:, :n_components], vectors[:, :, ::-1][:, :, :n_components]
    vectors = vectors * np.where(vectors[:, -1:] < 0, -1.0, 1.0)
    floor = 1e-12 * values[:, :1]
    length = np.where(values > floor, np.sqrt(np.maximum(values, 0.0)), np.inf)
    return np.asarray(vectors.transpose(0, 2, 1) @ coef / length[..., None])
