"""Class means of all tasks → the contrasts and the centre that the tasks agree on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats


class Agreement(NamedTuple):
    """What tasks agree on."""

    contrasts: Floats  # (classes, features), shrunken by how little they agree
    centre: Floats  # (1, features)


def agreement(
    means: Floats, weights: Floats, coefficients: Floats, centres: Floats, class_shares: Floats
) -> Agreement:
    """Contrasts that fit all tasks best, by least squares where tasks lack classes.

    Products of different tasks alone say how much of it a new task will have.
    """
    own = np.einsum("t,tlj,tjp->tlp", weights, coefficients, means)
    inverse = np.linalg.pinv(np.einsum("t,tlj->lj", weights, coefficients), hermitian=True)
    mean = inverse @ own.sum(axis=0)
    power = float((mean**2).sum())
    of_one = float(((inverse @ own) ** 2).sum())
    pairs = max(1.0 - float((weights**2).sum()), 1e-9)
    several = power > 0 and (weights > 0).sum() > 1
    factor = max((power - of_one) / (pairs * power), 1e-3) if several else 1.0
    centre = weights[None] @ (centres - class_shares @ mean)
    return Agreement(mean * min(factor, 1.0), centre)
