"""The main hyperparameter of another method, cross-validated on the labelled target rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from benchmarks.accuracy.fits import mine
from benchmarks.accuracy.peers import Parameters, Peer
from benchmarks.accuracy.sets import Draw
from kinspan import TaskStratifiedKFold


def tuned(peer: Peer, draw: Draw, n_folds: int) -> Parameters:
    """The parameters with the largest accuracy on left-out rows; the first of equals."""
    if len(peer.grid) == 1:
        return peer.grid[0]
    parts = list(folds(draw, n_folds))
    return max(peer.grid, key=lambda parameters: sum(hits(peer, p, parameters) for p in parts))


def folds(draw: Draw, n_folds: int) -> Iterator[Draw]:
    """The first of three folds of the target's rows; all other rows are always training rows."""
    target = np.flatnonzero(mine(draw))
    kfold = TaskStratifiedKFold(3, shuffle=True, random_state=0)
    splits = kfold.split(draw.X[target], draw.y[target], groups=draw.task[target])
    for _, held_out in islice(splits, n_folds):
        out = target[held_out]
        kept = np.delete(np.arange(len(draw.y)), out)
        train = draw.X[kept], draw.y[kept], draw.task[kept]
        yield Draw(draw.target, *train, draw.X[out], draw.y[out])


def hits(peer: Peer, draw: Draw, parameters: Parameters) -> int:
    """How many rows of the target are predicted correctly."""
    rule = peer.fit(draw, **parameters)
    return int((rule(draw.X_test) == draw.y_test).sum())
