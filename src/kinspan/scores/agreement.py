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
    contrasts: Floats,
    weights: Floats,
    coefficients: Floats | None,
    centres: Floats,
    class_shares: Floats,
) -> Agreement:
    """Contrasts that fit all tasks best, by least squares where tasks lack classes.

    Coefficients (tasks, contrasts, classes) say which classes they have; None is all. Products of
    different tasks alone say how much of it a new task will have.
    """
    if coefficients is None:
        w = weights / max(float(weights.sum()), 1e-300)
        mean, of_one = np.tensordot(w, contrasts, axes=1), float(w**2 @ _squared_norms(contrasts))
    else:
        total = np.einsum("t,tlj->lj", weights, coefficients)
        own = np.linalg.pinv(total, hermitian=True) @ (weights[:, None, None] * contrasts)
        mean, of_one = own.sum(axis=0), float((own**2).sum())
    power = float((mean**2).sum())
    pairs = max(1.0 - float((weights**2).sum()), 1e-9)
    several = power > 0 and (weights > 0).sum() > 1
    factor = max((power - of_one) / (pairs * power), 1e-3) if several else 1.0
    centre = weights[None] @ (centres - class_shares @ mean)
    return Agreement(mean * min(factor, 1.0), centre)


def _squared_norms(contrasts: Floats) -> Floats:
    """(tasks,): without a copy of all contrasts of very many tasks."""
    return np.asarray(np.einsum("tlp,tlp->t", contrasts, contrasts))
