"""Tasks whose classes are further apart or nearer → how far their errors lie apart.

Where tasks differ, the distances between their classes do, by a factor. What that does to errors
depends on the errors: near those of guessing, and near none at all, they hardly move.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from kinspan._rows.types import Floats
from kinspan.risk.distances import DISTANCES, errors_of_equal_classes

_ROUNDING = 1e-9  # of what guessing gets wrong, a mean over tasks


def change_of_error(error: Floats, chance: float) -> Floats:
    """By how much an error falls if the distance behind it grows, per log of the distance.

    Of two Gaussian classes, of which the rarer one makes up what guessing gets wrong, or of as many
    equal classes as that takes: eq. (42b) of docs/theory.md.
    """
    errors, changes = _of_two(chance) if chance <= 0.5 + _ROUNDING else _of_several(chance)
    return np.asarray(np.interp(np.asarray(error), errors[::-1], changes[::-1]))


def _of_two(rarer: float) -> tuple[Floats, Floats]:
    """Errors at all distances, and what they change by; at the best threshold."""
    distances = np.maximum(DISTANCES, 1e-3)
    threshold = np.log((1.0 - rarer) / rarer) / distances
    missed, other = threshold - 0.5 * distances, -threshold - 0.5 * distances
    errors = rarer * ndtr(missed) + (1.0 - rarer) * ndtr(other)
    return errors, rarer * distances * np.exp(-0.5 * missed**2) / np.sqrt(2.0 * np.pi)


def _of_several(chance: float) -> tuple[Floats, Floats]:
    m = int(np.ceil(1.0 / (1.0 - chance) - _ROUNDING))
    errors = errors_of_equal_classes(m) * (chance / (1.0 - 1.0 / m))
    return errors, -DISTANCES * np.gradient(errors, DISTANCES)


def rows_of_a_task(relative: float, rows: float, chance: float) -> float:
    """What a task that is known exactly tells of another, if the log of distances has variance one.

    In rows of it: eq. (42c) of docs/theory.md. The errors of all tasks in units of guessing are
    known as by so many rows, and by one that is half wrong.
    """
    error = min(chance * (relative * rows + 0.5) / (rows + 1.0), 0.5 * (1.0 + chance))
    variance = error * (1.0 - error)
    unsure = np.sqrt(variance / (rows + 1.0)) * np.array([-1.0, 1.0])
    from_guessing = np.abs(error + unsure - chance)  # worse than a guess is as far as better
    changes = change_of_error(np.maximum(chance - from_guessing, 0.0), chance)
    return float(variance / np.maximum((changes**2).mean(), 1e-300))
