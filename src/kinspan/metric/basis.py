"""Directions in which the metric is diagonal, described by few rows where there are few."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.metric.row_matrix import RowMatrix


class Basis(NamedTuple):
    """Orthonormal directions: axes that are combinations of a few rows, and the rest.

    With fewer rows than features nothing of size features × axes is ever needed.
    """

    mixing: Floats  # (axes, rows)
    rows: RowMatrix | None  # (rows, features); None where axes are combinations of the features
    rest: Floats  # (directions outside of the rows, features)

    def astype(self, kind: Any) -> Basis:
        """The same in another precision."""
        rows = None if self.rows is None else self.rows.astype(kind)
        return Basis(self.mixing.astype(kind, copy=False), rows, self.rest.astype(kind, copy=False))

    def coordinates(self, vectors: Floats) -> Floats:
        """(…, features) → (…, directions)."""
        flat = vectors.reshape(-1, vectors.shape[-1])
        along = flat if self.rows is None else self.rows.along(flat)
        found = np.concatenate([along @ self.mixing.T, flat @ self.rest.T], axis=1)
        return found.reshape(*vectors.shape[:-1], -1)

    def turned_back(self, coordinates: Floats) -> Floats:
        """(…, directions), or as many as there are axes → (…, features)."""
        return self.in_features(self.mixed(coordinates), slice(None))

    def mixed(self, coordinates: Floats) -> Floats:
        """The same, as weights of the rows, or of the features, and of the rest."""
        flat, n_axes = coordinates.reshape(-1, coordinates.shape[-1]), len(self.mixing)
        found = np.concatenate([flat[:, :n_axes] @ self.mixing, flat[:, n_axes:]], axis=1)
        return np.asarray(found.reshape(*coordinates.shape[:-1], -1))

    def in_features(self, mixed: Floats, features: slice) -> Floats:
        """Some features of such weighted sums."""
        n, flat = self.mixing.shape[1], mixed.reshape(-1, mixed.shape[-1])
        if self.rows is None:
            found = flat[:, :n][:, features]
        else:
            found = self.rows.combined(flat[:, :n], features)
        if flat.shape[1] > n:
            found += flat[:, n:] @ self.rest[:, features]
        return np.asarray(found.reshape(*mixed.shape[:-1], -1))
