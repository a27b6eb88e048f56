"""How one fit is timed, and how a file of results is filled: it continues where it stopped."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from numpy.typing import NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from benchmarks._resumable import RowFile
from benchmarks.peers.fits import Rule
from benchmarks.peers.peer import Parameters, Peer
from benchmarks.peers.samples import Sample

R = TypeVar("R", bound=Any)
Drawn = TypeVar("Drawn")


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


def fill(
    rows: RowFile[R],
    path: Path,
    wanted: Iterable[Any],
    drawn: Callable[..., Drawn],
    row: Callable[[Any, Drawn, dict[Any, R]], R],
) -> None:
    """Append the rows that the file lacks, one draw after another; the last of a key is a method.

    `drawn` makes what all methods of a draw get, and `row` measures one of them; it is also given
    all finished rows.
    """
    done = rows.read(path)
    missing = [key for key in wanted if key not in done]
    with tqdm(total=len(missing), desc=str(missing[0][0]) if missing else None) as bar:
        for place, keys in groupby(missing, key=lambda key: key[:-1]):
            of_all = drawn(*place[1:])
            for key in keys:
                done[key] = row(key, of_all, done)
                rows.append(path, done[key])
                bar.update()
