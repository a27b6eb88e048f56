"""Errors ↔ standardised distances between classes, and the effect of correlations on them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Floats
from kinspan.risk.gaussian import error_of_equal_classes, error_of_two

DISTANCES = np.linspace(0.0, 12.0, 2401)
_FEW_ROWS = 200.0  # number of rows at which the log of the spread is halved


def spread_of_scores(
    isotropic: Floats, error: Floats, n_classes: NDArray[Any], n_rows: int
) -> float:
    """Variance of the scores over their variance without correlations, from errors of both kinds.

    The errors are those of tasks with `n_classes` classes each. If they come from few rows, the
    ratio is shrunk towards one.
    """
    both = np.array([distances_at(e, n_classes) for e in (isotropic, error)])
    plain, actual = both[:, np.isfinite(both).all(axis=0)].sum(axis=1)
    if plain <= 0:
        return 1.0
    ratio = float(np.clip((plain / max(actual, 1e-9)) ** 2, 0.1, 100.0))
    return float(ratio ** (n_rows / (n_rows + _FEW_ROWS)))


def distance_of_two(error: float, share: float) -> float:
    """The distance at which two classes have this error; zero for that of a guess or worse."""
    if not np.isfinite(error):
        return float("nan")
    table = error_of_two(DISTANCES, share)
    return float(np.interp(error, table[::-1], DISTANCES[::-1])) if error < share else 0.0


@cache
def errors_of_equal_classes(n_classes: int) -> Floats:
    """At every one of the distances."""
    return error_of_equal_classes(DISTANCES, n_classes)


def distances_at(errors: Floats, n_classes: NDArray[Any]) -> Floats:
    """The standardised distance for every error; zero for chance level or worse, NaN for NaN."""
    distances = np.full(len(errors), np.nan)
    for m in np.unique(n_classes):
        table, of_m = errors_of_equal_classes(max(int(m), 2)), n_classes == m
        distances[of_m] = np.interp(np.maximum(errors[of_m], 1e-6), table[::-1], DISTANCES[::-1])
    return np.where(np.isfinite(errors), distances, np.nan)
