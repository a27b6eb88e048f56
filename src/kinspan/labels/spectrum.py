"""Contrasts of tasks → their spectrum, which all rules start from; and the weights they return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats


class Spectrum(NamedTuple):
    """Singular values and left vectors of the contrasts of tasks, each divided by its noise.

    The rows are a_t = d_t/σ_t = Σ_i s_i u_ti v_i, with unit noise in every coordinate: eq. (9) of
    docs/theory.md. A task without contrasts has a row of zeros and precision zero. Axes before the
    others are several spectra of the same tasks.
    """

    vectors: Floats  # (…, tasks, rank): u
    values: Floats  # (…, rank): s, descending
    precision: Floats  # (…, tasks): 1/σ, zero for tasks without contrasts
    dimension: Floats | float  # (…): P, over how many coordinates the noise is spread
    doubt: Floats | float = 0.0  # (…, tasks): the squared relative error of σ²
    unevenness: Floats | float = 1.0  # (…): one where the noise is the same in all coordinates

    @property
    def coordinates(self) -> Floats:
        """(…, tasks, rank): s_i u_ti, the rows in the basis of the right vectors."""
        return self.vectors * self.values[..., None, :]

    @property
    def rows(self) -> Floats:
        """(…, tasks, rank): the contrasts d_t in the same basis."""
        return self.coordinates * self.deviation[..., None]

    @property
    def noise(self) -> Floats:
        """(…, tasks): ν = P σ², the squared sampling error of the contrasts."""
        return self.active * self.of_tasks(self.dimension) * self.deviation**2

    @property
    def active(self) -> Floats:
        """(…, tasks): one for tasks with contrasts, zero for the others."""
        return (self.precision > 0).astype(np.float64)

    @property
    def deviation(self) -> Floats:
        """(…, tasks): σ, and one for tasks without contrasts."""
        return np.asarray(1.0 / np.where(self.precision > 0, self.precision, 1.0))

    @staticmethod
    def of_tasks(values: Floats | float) -> Floats:
        """(…, 1): numbers of every spectrum, for every task."""
        return np.asarray(values)[..., None]

    @classmethod
    def stacked(cls, spectra: Sequence[Spectrum]) -> Spectrum:
        """Several spectra of the same tasks and rank, along a first axis."""
        vectors, values, precision, dimension = (
            np.stack([np.asarray(s[i]) for s in spectra]) for i in range(4)
        )
        doubt = np.stack([np.broadcast_to(s.doubt, s.precision.shape) for s in spectra])
        unevenness = np.stack([np.asarray(s.unevenness) for s in spectra])
        return cls(vectors, values, precision, dimension, doubt, unevenness)

    def each(self) -> list[Spectrum]:
        """Those along a first axis, one by one, whose doubt is not known yet."""
        of_each = zip(np.asarray(self.dimension), *self[:3], strict=True)
        return [Spectrum(u, s, precision, float(p)) for p, u, s, precision in of_each]


class TaskWeights(NamedTuple):
    """Weights of tasks for targets, left @ right + diag(diagonal), in factors."""

    left: Floats  # (targets, rank)
    right: Floats  # (rank, tasks)
    diagonal: Floats  # (tasks,)
    noise_share: Floats  # (targets,): the share of the target's own noise in its direction
    signal: Floats  # (targets,): ⟨direction, true contrast⟩, estimated without bias

    def combine(self, rows: Floats) -> Floats:
        """(targets, features) weighted sums of rows (tasks, features)."""
        found = self.left @ (self.right @ rows)
        if self.diagonal.any():
            found += self.diagonal[:, None] * rows
        return np.asarray(found)

    def matrix(self) -> Floats:
        """(targets, tasks), multiplied out."""
        weights = self.left @ self.right
        weights[np.diag_indices_from(weights)] += self.diagonal
        return np.asarray(weights)


def of_others(values: Floats) -> Floats:
    """(…, tasks): sums over all other tasks.

    Sums of those before and after: the total minus the task's own value would lose small values
    next to a very large one.
    """
    before, after = np.zeros(values.shape), np.zeros(values.shape)
    if values.shape[-1] > 1:
        np.cumsum(values[..., :-1], axis=-1, out=before[..., 1:])
        np.cumsum(values[..., :0:-1], axis=-1, out=after[..., -2::-1])
    return before + after


def spectrum_of_rows(rows: Floats, noise: Floats, dimension: Floats | float) -> Spectrum:
    """From the contrasts (…, tasks, coordinates), by the smaller of their two Gram matrices."""
    precision = _precision(np.einsum("...tp,...tp->...t", rows, rows), noise, dimension)
    whitened = rows * precision[..., None]
    across = np.swapaxes(whitened, -1, -2)
    if rows.shape[-2] <= rows.shape[-1]:
        return _from_eigenvectors(whitened @ across, precision, dimension)
    values, right = _descending_roots(*np.linalg.eigh(across @ whitened))
    vectors = whitened @ right / np.where(values > 0, values, 1.0)[..., None, :]
    return Spectrum(vectors, values, precision, dimension)


def spectrum_of_gram(products: Floats, noise: Floats, dimension: float) -> Spectrum:
    """From inner products (tasks, tasks), noise included; negative eigenvalues count as zero."""
    precision = _precision(np.diagonal(products), noise, dimension)
    return _from_eigenvectors(products * precision[:, None] * precision, precision, dimension)


def _precision(squares: Floats, noise: Floats, dimension: Floats | float) -> Floats:
    """1/σ with P σ² the noise, which is at least 1e-12 of the square of the contrast."""
    floored = np.maximum(noise, 1e-12 * squares)
    of_tasks = Spectrum.of_tasks(dimension)
    return np.asarray(np.sqrt(of_tasks / np.where(floored > 0, floored, np.inf)))


def _from_eigenvectors(products: Floats, precision: Floats, dimension: Floats | float) -> Spectrum:
    symmetric = (products + np.swapaxes(products, -1, -2)) / 2
    values, vectors = _descending_roots(*np.linalg.eigh(symmetric))
    return Spectrum(vectors, values, precision, dimension)


def _descending_roots(squares: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    squares, vectors = squares[..., ::-1], vectors[..., ::-1]
    least = np.finfo(float).eps * np.maximum(squares[..., :1], 0.0)
    rounding = squares.shape[-1] * least
    return np.sqrt(np.where(squares > rounding, squares, 0.0)), vectors
