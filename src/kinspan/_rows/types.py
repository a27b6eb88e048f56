"""Names for kinds of arrays, and for the values that are made of them."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]  # positions: of tasks, classes, cells or rows
Mask = NDArray[np.bool_]
Keys = NDArray[np.uint64]  # hashes of rows
Ids = NDArray[Any]  # of tasks or classes


class Moments(Protocol):
    """What the mathematics reads of `ClassMoments`."""

    @property
    def tasks(self) -> Ids: ...
    @property
    def classes(self) -> Ids: ...
    @property
    def counts(self) -> Floats: ...
    @property
    def means(self) -> Floats: ...
    @property
    def squares(self) -> Floats: ...
    @property
    def squared_weights(self) -> Floats | None: ...
    @property
    def present(self) -> Mask: ...
    @property
    def n_features(self) -> int: ...


class SampledRows(Protocol):
    """What checks read of `RowSample`."""

    @property
    def size(self) -> int: ...
    @property
    def tasks(self) -> Ids: ...
    @property
    def classes(self) -> Ids: ...
    @property
    def cells(self) -> Codes: ...
    @property
    def keys(self) -> Keys: ...
    @property
    def weights(self) -> Floats: ...
    @property
    def rows(self) -> NDArray[np.floating[Any]]: ...
    @property
    def recency(self) -> Floats | None: ...
    def aligned(self, tasks: Ids, classes: Ids, n_features: int) -> Self: ...
