"""Energies and numbers of labels → how much larger the error of a task with fewer labels will be.

Tasks tell each other how wrong they are. A task with ten labels among tasks with a hundred is to
expect more errors than these have: as many more as the learning curve of a usual task says.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from kinspan._rows.types import Floats
from kinspan.risk.distances import distances_at
from kinspan.risk.gaussian import error_of_equal_classes
from kinspan.risk.learning import Energies


def difficulty(energies: Energies, counts: Floats, rows: Floats, relative: Floats) -> Floats:
    """(tasks,): errors of a usual task with the labels of each task, over that with usual ones.

    Eq. (42a) of docs/theory.md. Relative errors are in units of guessing; tasks count by their
    left-out rows.
    """
    here = rows > 0
    if not here.any():
        return np.ones(len(rows))
    weights = rows / rows.sum()
    known = _known(energies, counts, weights)
    usual = float(weights @ known)
    growth = np.sqrt(np.where(here, known, usual) / usual) if usual > 0 else np.ones(len(rows))
    error = max(float(weights @ relative), 1.0 / float(rows.sum()))
    n_classes, found = np.maximum((counts > 0).sum(axis=1), 2), np.ones(len(rows))
    for m in np.unique(n_classes).tolist():
        distance = float(distances_at(np.array([error * (1.0 - 1.0 / m)]), np.array([m]))[0])
        errors = error_of_equal_classes(distance * np.append(growth, 1.0), m)
        found = np.where(n_classes == m, errors[:-1] / errors[-1], found)
    return found


def _known(energies: Energies, counts: Floats, weights: Floats) -> Floats:
    """(tasks,): the energy that a usual task knows with the labels of each task."""
    present = counts > 0
    spread = (weights @ (energies.spread * present)) / np.maximum(weights @ present, 1e-300)
    noise = (present * spread / np.where(present, counts, 1.0)).sum(axis=1)
    total = max(float(weights @ np.nan_to_num(energies.total)), 1e-300)
    missing = total - min(float(weights @ np.nan_to_num(energies.known)), 0.98 * total)
    own = _own(total, missing, noise, weights)
    return np.asarray(total - _lost(own, noise))


def _own(total: float, missing: float, noise: Floats, weights: Floats) -> float:
    """The energy that labels must find: as much as makes the missing energy that of the tasks."""

    def excess(own: float) -> float:
        return float(weights @ _lost(own, noise)) - missing

    return total if excess(total) <= 0.0 else float(brentq(excess, 0.0, total))


def _lost(own: float, noise: Floats) -> Floats:
    """(tasks,): of an energy that is estimated with noise."""
    return np.asarray(own * (noise / np.maximum(own + noise, 1e-300)))
