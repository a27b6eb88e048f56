"""What leaving a row out needs to know of rules, and of the rows.

All rules in one basis are there at once, in every metric that is diagonal in it. A column is one
score of one candidate: of a class or, of two classes, the second minus the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from kinspan._rows.large import Large, chosen, times
from kinspan._rows.types import Codes, Floats


class Directions(Protocol):
    """The basis that rules are in."""

    def mixed(self, coordinates: Floats) -> Floats:
        """(…, directions), or the first of them → weights of what the basis is made of."""

    def in_features(self, mixed: Floats, features: slice) -> Floats:
        """Some features of such weighted sums."""


class ScaleChange(NamedTuple):
    """What leaving out a row does to the scale of the features, in their own axes."""

    change: Floats  # (rows, features): 1 − s₋²/s², for the variance s² that features are divided by
    residuals: Floats  # (rows, features)
    shares: Sequence[float]  # (metrics,): of the covariance
    basis: Directions

    def relative(self, share: float, features: slice = slice(None)) -> Floats:
        """(rows, some of the features): Δ' of docs/theory.md.

        With D the ratios of variances, the metric becomes (1 − ρ) D + ρ C: only the part that is
        the identity changes. The inverse is exact without covariance, and where features are
        uncorrelated.
        """
        change = (1.0 - share) * self.change[:, features]
        left = 1.0 - change
        change /= np.maximum(left, 1e-3, out=left)
        return change


class Bent(Protocol):
    """What a metric is beyond a diagonal one."""

    def inverse_beyond(self, vectors: Large) -> Large:
        """(…, directions): what its inverse adds to vectors."""

    def squares_beyond(self, rows: Floats) -> Floats:
        """(rows,): what it adds to the squared lengths of rows."""

    def lengths_beyond(self, coef: Floats) -> Floats:
        """(…): what it adds to the squared lengths of rules."""


class Residuals(NamedTuple):
    """Sampled rows minus the mean of their cell, along the first directions of the basis of rules.

    There are many rows and few rules: the metric is applied to the rules, and rows stay unchanged.
    """

    values: Large  # (rows, axes): r, before the metric; zero in all other directions
    stretch: Floats  # (metrics, directions): diagonals of the metrics
    tasks: Codes  # (rows,), sorted
    classes: Codes  # (rows,)
    weights: Floats  # (rows,): how often the row occurred
    metric_weight: Floats  # (metrics,): the share of a row of weight one in the metric
    scale: ScaleChange | None = None  # None where the scale does not depend on a single row
    longer: Floats | float = 1.0  # (metrics,): squared lengths of new rows, over those of these
    bent: Sequence[Bent] = ()  # (metrics,): beyond the diagonals; none where that is all
    squares: Floats | None = None  # (rows, metrics): squared lengths, where they are known

    def squared_lengths(self) -> Floats:
        """(rows, metrics): of the rows in the metrics."""
        if self.squares is not None:
            return self.squares
        found = times(self.values**2, (1.0 / self.stretch[:, : self.values.shape[1]]).T)
        for s, bent in enumerate(self.bent):
            found[:, s] += bent.squares_beyond(self.values)
        return found

    def some(self, rows: slice) -> Residuals:
        """A block of the rows; tasks are counted from the first of the block."""
        scale = self.scale
        if scale is not None:
            scale = scale._replace(change=scale.change[rows], residuals=scale.residuals[rows])
        return Residuals(
            chosen(self.values, rows),
            self.stretch,
            self.tasks[rows] - self.tasks[rows.start],
            self.classes[rows],
            self.weights[rows],
            self.metric_weight,
            scale,
            self.longer,
            self.bent,
            None if self.squares is None else self.squares[rows],
        )


class SharedProducts(NamedTuple):
    """Inner products of the directions of the others in their metric, column by column."""

    coef: Floats  # (tasks, vectors, columns): with coefficients
    basis: Floats  # (columns, vectors, vectors): with each other


class SharedPart(NamedTuple):
    """How some columns follow the own contrasts of a target along directions of the others."""

    metric: int
    columns: slice
    basis: Floats  # (vectors, columns, directions), like coefficients
    vectors: Floats  # (tasks, vectors, spikes)
    gain: Floats  # (tasks, spikes, spikes)
    products: SharedProducts | None  # None where lengths do not count

    def of(self, tasks: slice) -> SharedPart:
        """Those of some tasks."""
        products = self.products
        if products is not None:
            products = products._replace(coef=products.coef[tasks])
        return self._replace(vectors=self.vectors[tasks], gain=self.gain[tasks], products=products)


class ShrunkPart(NamedTuple):
    """Some columns that follow the own contrasts of a target as far as these are no noise."""

    columns: slice
    share: Floats  # (tasks, metrics): of the contrasts that is kept
    multiple: Floats  # (tasks, metrics): coef over contrasts

    def of(self, tasks: slice) -> ShrunkPart:
        """Those of some tasks."""
        return self._replace(share=self.share[tasks], multiple=self.multiple[tasks])


class RuleParts(NamedTuple):
    """Linear rules of all columns, and how they depend on the cell means of their task."""

    coef: Floats  # (tasks, metrics, columns, directions), for rows before the metric
    offset: Floats  # (tasks, metrics, columns), without what depends on the length of coef
    own: Floats  # (tasks, metrics, columns): d coef / d contrast, a multiple of identity
    undone: Floats  # (tasks, metrics, columns): the same, as far as offsets undo noise of means
    cell_noise: Floats  # (tasks, classes, metrics): squared sampling error of the cell means
    contrasts: Floats  # (tasks, classes, directions): class means around the centre
    centring: Floats  # (tasks, classes, columns of a candidate): d contrast / d mean_c
    class_shares: Floats  # (tasks, classes): weight of the class means in the centre
    counts: Floats  # (tasks, classes)
    half_level: Floats | None = None  # (tasks, metrics): scores contain −half_level · ‖coef‖²
    trace: Floats | None = None  # (tasks, metrics): features × noise level, the divisor of coef
    shared: Sequence[SharedPart] = ()  # what coefficients follow beyond `own`
    shrunk: Sequence[ShrunkPart] = ()  # columns whose length follows the own contrasts

    def of(self, tasks: slice) -> RuleParts:
        """The rules of some tasks."""
        arrays = {
            name: value[tasks]
            for name, value in self._asdict().items()
            if isinstance(value, np.ndarray)
        }
        shared = [part.of(tasks) for part in self.shared]
        shrunk = [part.of(tasks) for part in self.shrunk]
        return self._replace(shared=shared, shrunk=shrunk, **arrays)
