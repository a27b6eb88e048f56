"""Step 3: scaled means → contrasts between classes, and how related the tasks are.

A contrast is a combination of the class means of one task that no common offset changes. Inner
products of the contrasts of different tasks estimate those of the true means without bias; the
square of a task's own contrast is too large by its sampling noise, which is subtracted. Nothing is
split in halves and nothing is centred beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinspan._cell_sums import Codes, Floats

Mask = NDArray[np.bool_]


class TaskRows(NamedTuple):
    """Contrasts of all tasks as rows; one such set for all classes, or one for each."""

    rows: Floats | None  # (tasks, coordinates), or None where tasks lack classes
    products: Floats  # (tasks, tasks) inner products of the rows, noise included; empty with rows
    noise: Floats  # (tasks,): squared sampling error of a task's own row
    dimension: float  # over how many coordinates the noise is spread

    def gram(self) -> Floats:
        """(tasks, tasks) inner products of the true contrasts, without bias, maybe not positive."""
        products = self.products if self.rows is None else self.rows @ self.rows.T
        return np.asarray(products - np.diag(self.noise))


class Weights(Protocol):
    """Weights of tasks for targets."""

    def combine(self, rows: Floats) -> Floats:
        """(targets, coordinates) weighted sums of rows (tasks, coordinates)."""

    def matrix(self) -> Floats:
        """(targets, tasks)."""


class SharedContrasts:
    """One relatedness for all classes: the contrasts of all classes stacked into one row a task.

    A contrast is a class mean minus the mean of the class means. Two tasks are compared on the
    classes that both have; with fewer than two of them their relatedness is zero.
    """

    def __init__(self, means: Floats, counts: Floats, cell_noise: Floats) -> None:
        self.means, self.present, self.cell_noise = means, counts > 0, cell_noise

    @cached_property
    def coefficients(self) -> Floats:
        """(tasks, contrasts, classes): how the contrasts combine the class means."""
        return _centring(self.present)

    @cached_property
    def values(self) -> Floats:
        """(tasks, classes, features): every task's own contrasts; zero where a class is missing."""
        return np.asarray(self.coefficients @ self.means)

    def task_rows(self) -> list[TaskRows]:
        """One set: all classes in one row."""
        noise = _contrast_noise(self.coefficients, self.cell_noise).sum(axis=0)
        n_contrasts = np.maximum(self.present.sum(axis=1) - 1.0, 0.0)
        dimension = self.means.shape[2] * n_contrasts[n_contrasts > 0].mean()
        if self.present.all():
            return [TaskRows(self._stacked(), np.empty((0, 0)), noise, dimension)]
        return [TaskRows(None, self._common_products(), noise, dimension)]

    def combine(self, weights: Sequence[Weights]) -> Floats:
        """(targets, classes, features): Σ_s a_ts · contrasts of task s, on the classes of both."""
        if self.present.all():
            return weights[0].combine(self._stacked()).reshape(self.means.shape)
        matrix, directions = weights[0].matrix(), np.zeros_like(self.means)
        for targets, sources, common in _groups(self.present):
            part = matrix[np.ix_(targets, sources)] @ self._among(sources, common)
            place = np.ix_(targets, np.flatnonzero(common))
            directions[place] += part.reshape(len(targets), -1, self.means.shape[2])
        return directions

    def cell_weights(self, weights: Sequence[Weights]) -> Floats:
        """(targets, classes, tasks, classes): the weight of every cell mean in `combine`."""
        (k, m), matrix = self.present.shape, weights[0].matrix()
        cells = np.zeros((k, m, k, m))
        for targets, sources, common in _groups(self.present):
            centring = _centring(common[None])[0]
            part = np.einsum("ts,lj->tlsj", matrix[np.ix_(targets, sources)], centring)
            cells[np.ix_(targets, np.arange(m), sources, np.arange(m))] = part
        return cells

    def _stacked(self) -> Floats:
        return self.values.reshape(len(self.values), -1)

    def _common_products(self) -> Floats:
        n_tasks = len(self.present)
        products = np.zeros((n_tasks, n_tasks))
        for first, second, common in _groups(self.present):
            rows = self._among(first, common)
            columns = rows if first is second else self._among(second, common)
            products[np.ix_(first, second)] = rows @ columns.T
        return products

    def _among(self, tasks: Codes, common: Mask) -> Floats:
        """(tasks, common classes · features): contrasts among some of the classes, stacked."""
        chosen = self.means[tasks][:, common]
        return np.asarray((chosen - chosen.mean(axis=1, keepdims=True)).reshape(len(tasks), -1))


class VersusRestContrasts:
    """A relatedness for every class: its mean minus that of all other rows (Algorithm 1)."""

    def __init__(self, means: Floats, counts: Floats, cell_noise: Floats) -> None:
        self.means, self.counts, self.cell_noise = means, counts, cell_noise

    @cached_property
    def coefficients(self) -> Floats:
        """(tasks, contrasts, classes): how the contrasts combine the class means."""
        rest = self.counts.sum(axis=1, keepdims=True) - self.counts
        has_both = (self.counts > 0) & (rest > 0)
        own = np.eye(self.counts.shape[1])
        others = (1.0 - own) * self.counts[:, None, :] / np.where(rest > 0, rest, 1.0)[..., None]
        return np.asarray(np.where(has_both[..., None], own - others, 0.0))

    @cached_property
    def values(self) -> Floats:
        """(tasks, classes, features): every task's own contrasts; zero where a class is missing."""
        return np.asarray(self.coefficients @ self.means)

    def task_rows(self) -> list[TaskRows]:
        """One set for every class."""
        noise = _contrast_noise(self.coefficients, self.cell_noise)
        rows, p = self.values.transpose(1, 0, 2), float(self.means.shape[2])
        return [TaskRows(r, np.empty((0, 0)), n, p) for r, n in zip(rows, noise, strict=True)]

    def combine(self, weights: Sequence[Weights]) -> Floats:
        """(targets, classes, features): Σ_s a_ts · contrast l of task s, weights of class l."""
        rows = self.values.transpose(1, 0, 2)
        return np.stack([w.combine(r) for w, r in zip(weights, rows, strict=True)], axis=1)

    def cell_weights(self, weights: Sequence[Weights]) -> Floats:
        """(targets, classes, tasks, classes): the weight of every cell mean in `combine`."""
        matrices = np.stack([w.matrix() for w in weights])
        return np.asarray(np.einsum("lts,slj->tlsj", matrices, self.coefficients))


def _centring(present: Mask) -> Floats:
    size = np.maximum(present.sum(axis=1), 1)[:, None, None]
    both = present[:, :, None] & present[:, None, :]
    return np.asarray(both * (np.eye(present.shape[1]) - 1.0 / size))


def _contrast_noise(coefficients: Floats, cell_noise: Floats) -> Floats:
    """(contrasts, tasks): expected square of the sampling error of every contrast."""
    return np.asarray(np.einsum("tlj,tj->lt", coefficients**2, cell_noise))


def _groups(present: Mask) -> Iterator[tuple[Codes, Codes, Mask]]:
    """Groups of tasks with the same classes, in pairs, and the classes that both groups have."""
    patterns, pattern_of_task = np.unique(present, axis=0, return_inverse=True)
    groups = [np.flatnonzero(pattern_of_task.ravel() == i) for i in range(len(patterns))]
    for first, first_classes in zip(groups, patterns, strict=True):
        for second, second_classes in zip(groups, patterns, strict=True):
            common = first_classes & second_classes
            if common.sum() > 1:
                yield first, second, common


def cosines(gram: Floats) -> Floats:
    """Relatedness between −1 and 1: the Gram matrix, made positive, in units of its diagonal."""
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
    length = np.sqrt(np.maximum(np.diagonal(positive), 0.0))
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 1e-9 * length.max())
    related = np.clip(positive * inverse[:, None] * inverse, -1.0, 1.0)
    np.fill_diagonal(related, 1.0)
    return np.asarray(related)
