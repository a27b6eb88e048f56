"""Values of the classes of a task minus their mean over the classes that the task has."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats, Mask


def from_one_class(means: Floats, present: Mask) -> Floats:
    """Means minus that of one class of their task, so that a large offset costs no digits."""
    return np.asarray(means - means[np.arange(len(means)), present.argmax(axis=1)][:, None])


def centring(present: Mask) -> Floats:
    """(tasks, classes, classes): what `centred` does to the values of a task, as a matrix."""
    size = np.maximum(present.sum(axis=1), 1)[:, None, None]
    both = present[:, :, None] & present[:, None, :]
    return np.asarray(both * (np.eye(present.shape[1]) - 1.0 / size))


def centred(values: Floats, present: Mask) -> Floats:
    """Values (tasks, classes, …) minus their means over the classes of a task."""
    if present.shape[1] == 2 and present.all():
        found = np.empty(values.shape)
        np.subtract(values[:, 1], values[:, 0], out=found[:, 1])
        found[:, 1] *= 0.5
        np.negative(found[:, 1], out=found[:, 0])
        return found
    if present.all():
        return np.asarray(values - values.sum(axis=1, keepdims=True) / present.shape[1])
    there = present.reshape(*present.shape, *(1,) * (values.ndim - 2))
    known = np.where(there, values, 0.0)
    size = np.maximum(there.sum(axis=1, keepdims=True), 1)
    return np.asarray((known - known.sum(axis=1, keepdims=True) / size) * there)


def centred_variances(values: Floats, present: Mask) -> Floats:
    """The same for the squares of the coefficients, which are 1 − 1/m, and −1/m for others."""
    size = np.maximum(present.sum(axis=1, keepdims=True), 1)
    known = np.where(present, values, 0.0)
    of_all = known.sum(axis=1, keepdims=True) / size**2
    return np.asarray((known * (1.0 - 2.0 / size) + of_all) * present)
