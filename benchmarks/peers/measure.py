"""How one fit is timed and judged."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from numpy.typing import NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning

from benchmarks.peers.fits import Rule
from benchmarks.peers.peer import Parameters, Peer
from benchmarks.peers.samples import Sample


class Outcome(NamedTuple):
    """A fitted rule, its answers, and the time it took."""

    rule: Rule
    right: NDArray[Any]  # (new rows,)
    fit_seconds: float
    predict_seconds: float


def measured(peer: Peer, sample: Sample, parameters: Parameters) -> Outcome:
    """Fit once, predict three times: the fastest counts, because a call may take microseconds.

    Times are processor times: other work on the machine does not count.
    """
    predict_seconds = []
    with quietly(peer):
        start = time.process_time()
        rule = peer.fit(sample, **parameters)
        fit_seconds = time.process_time() - start
        for _ in range(3):
            start = time.process_time()
            classes = rule(sample.test)
            predict_seconds.append(time.process_time() - start)
    return Outcome(rule, classes == sample.test.y, fit_seconds, min(predict_seconds))


@contextmanager
def quietly(peer: Peer) -> Iterator[None]:
    """Without warnings of convergence and of names.

    skada needs metadata routing and switches it on globally; the others run without it.
    """
    routed = config_context(enable_metadata_routing=peer.needs == "skada")
    with routed, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield
