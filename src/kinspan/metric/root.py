"""The inverse root of a metric that is diagonal, or diagonal but for a few directions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._arrays.elsewhere import on_host
from kinspan._arrays.libraries import moved
from kinspan._rows.large import Large, beside, in_double
from kinspan._rows.types import Floats


class Root(NamedTuple):
    """The inverse root of a metric: (1 + Σ by · bent bentᵀ)/root."""

    root: Floats  # (directions,)
    bent: Floats  # (directions, few), orthonormal
    by: Floats  # (few,)

    @classmethod
    def of_diagonal(cls, stretch: Floats) -> Root:
        """Of a metric with these eigenvalues (directions,) along the axes."""
        return cls(np.sqrt(stretch), np.empty((len(stretch), 0)), np.empty(0))

    def turned(self, coordinates: Floats) -> Floats:
        """(…, directions): vectors in the basis → the same in the metric."""
        return self._bent(coordinates / self.root, self.by)

    def turned_back(self, coef: Floats, out: Floats | None = None) -> Floats:
        """(…, directions): rules for rows in the metric → rules for rows in the basis."""
        return np.divide(self._bent(coef, self.by), self.root, out=out)

    def restored(self, vectors: Floats) -> Floats:
        """(…, directions): vectors in the metric → the same in the basis."""
        return self._bent(vectors, 1.0 / (1.0 + self.by) - 1.0) * self.root

    def inverse_beyond(self, vectors: Large) -> Large:
        """(…, directions): the inverse metric times vectors, beyond that of the diagonal."""
        over = moved(self.bent / self.root[:, None], vectors)
        return ((vectors @ over) * moved(self._of_squares(), vectors)) @ over.T

    def squares_beyond(self, rows: Large) -> Floats:
        """(rows,): squared lengths of rows in the metric, beyond those by the diagonal."""
        along = in_double(rows @ beside(self.bent / self.root[:, None], rows))
        return np.asarray(on_host(along**2 @ moved(self._of_squares(), rows)))

    def lengths_beyond(self, coef: Floats) -> Floats:
        """(…): squared lengths of rules for rows in the basis, beyond those by the diagonal."""
        along = coef @ (self.bent * self.root[:, None])
        return np.asarray(along**2 @ (1.0 / (1.0 + self.by) ** 2 - 1.0))

    def _of_squares(self) -> Floats:
        return np.asarray((1.0 + self.by) ** 2 - 1.0)

    def _bent(self, vectors: Floats, by: Floats) -> Floats:
        if not len(by):
            return vectors
        flat = vectors.reshape(-1, len(self.root))
        found = ((flat @ self.bent) * by) @ self.bent.T
        found += flat
        return np.asarray(found.reshape(vectors.shape))
