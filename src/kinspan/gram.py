"""Step 3: scaled means → contrasts between classes, and how related the tasks are.

A contrast is a combination of the class means of one task that no common offset changes, eq. (7) of
docs/theory.md. Inner products of the contrasts of different tasks estimate those of the true means
without bias; the square of a task's own contrast is too large by its sampling noise, eq. (8), which
is subtracted. No rows are split in halves, and no task is centred beforehand.

The contrasts of all tasks are one object, computed on first use: build it once and hand it on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from kinspan._rows.centring import centred, centred_variances, centring, from_one_class
from kinspan._rows.common_classes import pairs_by_classes, tasks_by_classes
from kinspan._rows.once import computed_once
from kinspan._rows.types import Codes, Floats, Mask


class ContrastRows(NamedTuple):
    """Contrasts of all tasks as rows; one such set for all classes, or one for each."""

    rows: Floats | None  # (tasks, coordinates), or None where tasks lack classes
    products: Floats  # (tasks, tasks) inner products with noise; empty where there are rows
    noise: Floats  # (tasks,): ν, squared sampling error of a task's row
    dimension: float  # P, the coordinates that the noise is spread over

    def gram(self) -> Floats:
        """(tasks, tasks) unbiased inner products of the true contrasts, maybe not positive."""
        products = self.products if self.rows is None else self.rows @ self.rows.T
        return np.asarray(products - np.diag(self.noise))


class Weights(Protocol):
    """Weights of tasks for targets."""

    def combine(self, rows: Floats) -> Floats:
        """(targets, coordinates) weighted sums of rows (tasks, coordinates)."""

    def matrix(self) -> Floats:
        """(targets, tasks)."""


class _Contrasts:
    """Contrasts of every task: each class mean minus the mean of the class means."""

    def __init__(
        self, means: Floats, counts: Floats, cell_noise: Floats, dimension: float | None = None
    ) -> None:
        self.means, self.counts, self.cell_noise = means, counts, cell_noise
        self.present = counts > 0
        self.dimension = float(means.shape[2]) if dimension is None else dimension

    @computed_once
    def coefficients(self) -> Floats:
        """(tasks, contrasts, classes): how the contrasts combine the class means."""
        return centring(self.present)

    def of_classes(self, values: Floats) -> Floats:
        """(tasks, contrasts, …): values (tasks, classes, …), combined as class means are.

        The same as with `coefficients`, of which there is one for every pair of classes.
        """
        return centred(values, self.present)

    def of_variances(self, values: Floats) -> Floats:
        """(tasks, contrasts): what independent errors of class means (tasks, classes) add up to."""
        return centred_variances(values, self.present)

    @computed_once
    def values(self) -> Floats:
        """(tasks, classes, features): every task's own contrasts; zero where a class is missing."""
        if self.present.shape[1] == 2 and self.present.all():
            return self.of_classes(self.means)  # differences: no offset costs digits
        return self.of_classes(from_one_class(self.means, self.present))


class SharedContrasts(_Contrasts):
    """One relatedness for all classes: the contrasts of all classes stacked into one row per task.

    A target meets the other tasks on the classes that both have: targets with the same classes
    share one set of rows, in which classes that the targets lack do not appear. Tasks with fewer
    than two classes in common are unrelated.
    """

    @computed_once
    def is_whole(self) -> bool:
        """Whether every task has all classes, or fewer than two and so no contrasts."""
        n_classes = self.present.sum(axis=1)
        several = n_classes > 1
        return bool(several.any() and (n_classes[several] == self.present.shape[1]).all())

    @computed_once
    def _patterns(self) -> list[tuple[Codes, Mask]]:
        return tasks_by_classes(self.present)

    @computed_once
    def problems(self) -> list[tuple[Codes, Mask]]:
        """Targets that have the same classes, and these classes, at least two."""
        return [(tasks, classes) for tasks, classes in self._patterns if classes.sum() > 1]

    def task_rows(self) -> list[ContrastRows]:
        """One set for the targets of every problem, all classes in one row."""
        return [self._rows_among(classes) for _, classes in self.problems]

    def combine(self, weights: Sequence[Weights]) -> Floats:
        """(targets, classes, features): Σ_s a_ts · contrasts of task s, on the classes of both."""
        if self.is_whole and self.means.shape[1] == 2:
            directions = np.empty(self.means.shape)
            directions[:, 1] = weights[0].combine(self.values[:, 1])
            np.negative(directions[:, 1], out=directions[:, 0])
            return directions
        if self.is_whole:
            return weights[0].combine(self._stacked()).reshape(self.means.shape)
        directions = np.zeros_like(self.means)
        for targets, sources, common, part in self._lending(weights):
            rows = _contrasts_among(self.means, sources, common)
            place = np.ix_(targets, np.flatnonzero(common))
            directions[place] += (part @ rows).reshape(len(targets), -1, self.means.shape[2])
        return directions

    def cell_weights(self, weights: Sequence[Weights]) -> Floats:
        """(targets, classes, tasks, classes): the weight of every cell mean in `combine`."""
        k, m = self.present.shape
        cells = np.zeros((k, m, k, m))
        for targets, sources, common, part in self._lending(weights):
            place = np.ix_(targets, np.arange(m), sources, np.arange(m))
            cells[place] = np.einsum("ts,lj->tlsj", part, centring(common[None])[0])
        return cells

    def per_target(self, values: Sequence[Floats]) -> Floats:
        """(targets, 1): one number per target, from its own set of rows."""
        chosen = np.zeros((len(self.present), 1))
        for (targets, _), of_set in zip(self.problems, values, strict=True):
            chosen[targets, 0] = of_set[targets]
        return chosen

    def relatedness(self) -> Floats:
        """(tasks, tasks) cosines between the true contrasts, on the classes that both have."""
        if self.is_whole:
            return cosines(self.task_rows()[0].gram())
        k = len(self.present)
        related = np.zeros((k, k))
        for first, second, common in pairs_by_classes(self.present):
            rows, columns = (_contrasts_among(self.means, t, common) for t in (first, second))
            noise = self._noise_among(common)
            squares = (
                (rows**2).sum(axis=1) - noise[first],
                (columns**2).sum(axis=1) - noise[second],
            )
            lengths = [np.sqrt(np.maximum(square, 0.0)) for square in squares]
            scale = lengths[0][:, None] * lengths[1]
            cosine = (rows @ columns.T) / np.where(scale > 0, scale, np.inf)
            related[np.ix_(first, second)] = np.clip(cosine, -1.0, 1.0)
        np.fill_diagonal(related, 1.0)
        return related

    def _stacked(self) -> Floats:
        """Of two classes one, √2 times: the contrasts of both mirror each other."""
        if self.means.shape[1] == 2:
            return np.asarray(np.sqrt(2.0) * self.values[:, 1])
        return self.values.reshape(len(self.values), -1)

    def _noise_among(self, classes: Mask) -> Floats:
        """(tasks,): squared sampling error of the stacked contrasts among some classes."""
        noise = centred_variances(self.cell_noise, self.present & classes)
        return np.asarray(noise.sum(axis=1))

    def _rows_among(self, classes: Mask) -> ContrastRows:
        present, noise = self.present & classes, self._noise_among(classes)
        n_contrasts = np.maximum(present.sum(axis=1) - 1.0, 0.0)
        dimension = self.dimension * float(n_contrasts[n_contrasts > 0].mean())
        if self.is_whole:
            return ContrastRows(self._stacked(), np.empty((0, 0)), noise, dimension)
        return ContrastRows(None, _common_products(self.means, present), noise, dimension)

    def _lending(self, weights: Sequence[Weights]) -> Iterator[tuple[Codes, Codes, Mask, Floats]]:
        """Targets, tasks that lend to them, the classes of both, and how much they lend."""
        for (targets, classes), of_set in zip(self.problems, weights, strict=True):
            matrix = of_set.matrix()
            for sources, theirs in self._patterns:
                if (classes & theirs).sum() > 1:
                    yield targets, sources, classes & theirs, matrix[np.ix_(targets, sources)]


class VersusRestContrasts(_Contrasts):
    """A relatedness for every class: its mean minus that of all other rows (Algorithm 1)."""

    @computed_once
    def coefficients(self) -> Floats:
        """(tasks, contrasts, classes): how the contrasts combine the class means."""
        rest = self.counts.sum(axis=1, keepdims=True) - self.counts
        has_both = self.present & (rest > 0)
        own = np.eye(self.counts.shape[1])
        others = (1.0 - own) * self.counts[:, None, :] / np.where(rest > 0, rest, 1.0)[..., None]
        return np.asarray(np.where(has_both[..., None], own - others, 0.0))

    def of_classes(self, values: Floats) -> Floats:
        """(tasks, contrasts, …): values (tasks, classes, …), combined as class means are."""
        return np.asarray(np.einsum("tlj,tj...->tl...", self.coefficients, values))

    def of_variances(self, values: Floats) -> Floats:
        """(tasks, contrasts): what independent errors of class means (tasks, classes) add up to."""
        return np.asarray(np.einsum("tlj,tj->tl", self.coefficients**2, values))

    def task_rows(self) -> list[ContrastRows]:
        """One set for every class."""
        noise = self.of_variances(self.cell_noise).T
        sets = zip(self.values.transpose(1, 0, 2), noise, strict=True)
        return [ContrastRows(rows, np.empty((0, 0)), n, self.dimension) for rows, n in sets]

    def combine(self, weights: Sequence[Weights]) -> Floats:
        """(targets, classes, features): Σ_s a_ts · contrast l of task s, weights of class l."""
        rows = self.values.transpose(1, 0, 2)
        return np.stack([w.combine(r) for w, r in zip(weights, rows, strict=True)], axis=1)

    def cell_weights(self, weights: Sequence[Weights]) -> Floats:
        """(targets, classes, tasks, classes): the weight of every cell mean in `combine`."""
        matrices = np.stack([w.matrix() for w in weights])
        return np.asarray(np.einsum("lts,slj->tlsj", matrices, self.coefficients))

    def per_target(self, values: Sequence[Floats]) -> Floats:
        """(targets, classes): one number per target and class."""
        return np.stack(values, axis=1)


class EachClassContrasts(VersusRestContrasts):
    """A relatedness for every class, on the contrasts of `SharedContrasts`.

    For tasks of which only some classes correspond.
    """

    coefficients = _Contrasts.coefficients
    of_classes = _Contrasts.of_classes
    of_variances = _Contrasts.of_variances


def _common_products(means: Floats, present: Mask) -> Floats:
    """(tasks, tasks) inner products of contrasts, each pair on the classes that both have."""
    products = np.zeros((len(present), len(present)))
    for first, second, common in pairs_by_classes(present):
        rows = _contrasts_among(means, first, common)
        columns = rows if first is second else _contrasts_among(means, second, common)
        products[np.ix_(first, second)] = rows @ columns.T
    return products


def _contrasts_among(means: Floats, tasks: Codes, common: Mask) -> Floats:
    """(tasks, common classes · features): contrasts among some of the classes, stacked."""
    chosen = means[tasks][:, common]
    chosen = chosen - chosen[:, :1]
    return np.asarray((chosen - chosen.mean(axis=1, keepdims=True)).reshape(len(tasks), -1))


def cosines(gram: Floats) -> Floats:
    """Relatedness from −1 to 1: the Gram matrix without negative eigenvalues, over its diagonal."""
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
    length = np.sqrt(np.maximum(np.diagonal(positive), 0.0))
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 1e-9 * length.max())
    related = np.clip(positive * inverse[:, None] * inverse, -1.0, 1.0)
    np.fill_diagonal(related, 1.0)
    return np.asarray(related)
