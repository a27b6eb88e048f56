"""Eigenvalues of a covariance → how uneven the noise of new rows is in a metric made of it.

In a metric with much of the covariance of few rows, new rows are long where these rows happen to be
short. The first three moments of that noise follow from the eigenvalues alone.
"""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats


def unevenness(values: Floats, share: float, freedom: float) -> float:
    """tr T tr T³ / (tr T²)² of the noise T of new rows in (1 − share) I + share C; one if white.

    From the eigenvalues of C, which has so many degrees of freedom: eq. (10b) of docs/theory.md.
    """
    f = max(freedom, 1.0)
    seen = values / ((1.0 - share) + share * np.maximum(values, 1e-300))
    squared = seen * seen
    first, second, third = (float(part) for part in (seen.sum(), squared.sum(), squared @ seen))
    left = 1.0 - share * first / f  # of the rows, next to the directions that they span
    of_two = second - first**2 / f
    if left <= 1e-6 or of_two <= 1e-6 * second:
        return 1.0
    beyond = share * (2.0 * second + of_two) - 2.0 * first
    of_three = third - first * second / f + of_two * beyond / (f * left)
    return max(first * left * of_three / of_two**2, 1.0)
