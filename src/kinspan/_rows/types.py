"""Names for the kinds of arrays that everything is computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]  # positions: of tasks, classes, cells or rows
Mask = NDArray[np.bool_]
Keys = NDArray[np.uint64]  # hashes of rows
Ids = NDArray[Any]  # of tasks or classes
