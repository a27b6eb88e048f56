"""The main hyperparameter of a method, cross-validated on labelled rows of the tasks to predict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.peers.measure import quietly
from benchmarks.peers.peer import Parameters, Peer
from benchmarks.peers.samples import Sample
from kinspan import TaskStratifiedKFold


def chosen(
    peer: Peer, first: Any, done: Mapping[Any, Any], drawn: Callable[..., Sample], n_folds: int = 3
) -> Parameters:
    """What was chosen on the first draw; its key says which draw this is."""
    if len(peer.grid) == 1:
        return peer.grid[0]
    if first in done:
        return dict(done[first].parameters)
    return tuned(peer, drawn(*first[1:-1]), n_folds)


def tuned(peer: Peer, sample: Sample, n_folds: int = 3) -> Parameters:
    """The parameters with the fewest errors on left-out rows; the first of equals."""
    parts = list(folds(sample, n_folds))
    return min(peer.grid, key=lambda parameters: sum(errors(peer, p, parameters) for p in parts))


def folds(sample: Sample, n_folds: int = 3) -> Iterator[Sample]:
    """The first of three folds of the rows of these tasks; all others are always training rows."""
    train, asked = sample.train, np.flatnonzero(sample.asked)
    kfold = TaskStratifiedKFold(3, shuffle=True, random_state=0)
    splits = kfold.split(train.X[asked], train.y[asked], groups=train.task[asked])
    for _, held_out in islice(splits, n_folds):
        out = asked[held_out]
        kept = np.delete(np.arange(len(train.y)), out)
        yield sample._replace(train=train.of(kept), test=train.of(out))


def errors(peer: Peer, sample: Sample, parameters: Parameters) -> int:
    """How many new rows are predicted wrongly."""
    with quietly(peer):
        rule = peer.fit(sample, **parameters)
        return int((rule(sample.test) != sample.test.y).sum())
