"""Step 3: scaled means → contrasts between classes, and how related the tasks are.

A contrast is a combination of the class means of one task that no common offset changes. Inner
products of the contrasts of different tasks estimate those of the true means without bias; the
square of a task's own contrast is too large by its sampling noise, which is subtracted. Nothing is
split in halves and nothing is centred beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._cell_sums import Codes, Floats

Mask = NDArray[np.bool_]


class TaskGram(NamedTuple):
    """Inner products of the contrasts of tasks; one matrix for all classes, or one for each."""

    gram: Floats  # (1 or classes, tasks, tasks), without bias, not necessarily positive
    noise: Floats  # (1 or classes, tasks): squared sampling error of a task's own contrasts


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

    def gram(self) -> TaskGram:
        """(1, tasks, tasks) inner products of the stacked contrasts."""
        n_tasks = len(self.present)
        gram = np.zeros((1, n_tasks, n_tasks))
        for first, second, common in _groups(self.present):
            rows = self._among(first, common)
            columns = rows if first is second else self._among(second, common)
            gram[0][np.ix_(first, second)] = rows @ columns.T
        noise = _contrast_noise(self.coefficients, self.cell_noise).sum(axis=0, keepdims=True)
        return _unbiased(gram, noise)

    def combine(self, weights: Floats) -> Floats:
        """(targets, classes, features): Σ_s weights[0, t, s] · contrasts of task s."""
        directions = np.zeros_like(self.means)
        for targets, sources, common in _groups(self.present):
            part = weights[0][np.ix_(targets, sources)] @ self._among(sources, common)
            place = np.ix_(targets, np.flatnonzero(common))
            directions[place] += part.reshape(len(targets), -1, self.means.shape[2])
        return directions

    def cell_weights(self, weights: Floats) -> Floats:
        """(targets, classes, tasks, classes): the weight of every cell mean in `combine`."""
        k, m = self.present.shape
        cells = np.zeros((k, m, k, m))
        for targets, sources, common in _groups(self.present):
            centring = _centring(common[None])[0]
            part = np.einsum("ts,lj->tlsj", weights[0][np.ix_(targets, sources)], centring)
            cells[np.ix_(targets, np.arange(m), sources, np.arange(m))] = part
        return cells

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

    def gram(self) -> TaskGram:
        """(classes, tasks, tasks) inner products of the contrasts of each class."""
        rows = self.values.transpose(1, 0, 2)
        noise = _contrast_noise(self.coefficients, self.cell_noise)
        return _unbiased(rows @ rows.transpose(0, 2, 1), noise)

    def combine(self, weights: Floats) -> Floats:
        """(targets, classes, features): Σ_s weights[l, t, s] · contrast l of task s."""
        return np.asarray((weights @ self.values.transpose(1, 0, 2)).transpose(1, 0, 2))

    def cell_weights(self, weights: Floats) -> Floats:
        """(targets, classes, tasks, classes): the weight of every cell mean in `combine`."""
        return np.asarray(np.einsum("lts,slj->tlsj", weights, self.coefficients))


def _centring(present: Mask) -> Floats:
    size = np.maximum(present.sum(axis=1), 1)[:, None, None]
    both = present[:, :, None] & present[:, None, :]
    return np.asarray(both * (np.eye(present.shape[1]) - 1.0 / size))


def _contrast_noise(coefficients: Floats, cell_noise: Floats) -> Floats:
    """(contrasts, tasks): expected square of the sampling error of every contrast."""
    return np.asarray(np.einsum("tlj,tj->lt", coefficients**2, cell_noise))


def _unbiased(gram: Floats, noise: Floats) -> TaskGram:
    diagonal = np.arange(gram.shape[1])
    gram[:, diagonal, diagonal] -= noise
    return TaskGram(gram, noise)


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
