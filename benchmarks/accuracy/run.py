"""The loop over sets, targets, draws and methods: it continues where it stopped."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from benchmarks.accuracy.peers import OURS, Parameters, Peer
from benchmarks.accuracy.rows import ROWS, Key, Row, append, read
from benchmarks.accuracy.sets import Draw, Set, prepared, targets, training_rows
from benchmarks.accuracy.tuning import tuned
from kinspan.datasets import TaskDataset


class Outcome(NamedTuple):
    """How accurate a method was, and how long it took to fit."""

    accuracy: float
    seconds: float


def run(
    sets: Iterable[Set], peers: list[Peer], path: Path, folder: str | None, draws: range
) -> None:
    """Measure every row that the file lacks; a set may have fewer draws."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    for of in sets:
        data = of.load(data=folder)
        run_set(data, of, peers, path, draws)


def run_set(data: TaskDataset, of: Set, peers: list[Peer], path: Path, draws: range) -> None:
    done = (read(ROWS) if draws.start else {}) | read(path)
    wanted = [key for key in keys(data, of, peers, draws) if key not in done]
    by_name = {peer.name: peer for peer in peers}
    with tqdm(total=len(wanted), desc=of.name) as bar:
        for place in dict.fromkeys(key[:3] for key in wanted):
            methods = [by_name[key.method] for key in wanted if key[:3] == place]
            for row in one_draw(data, of, Key(*place, OURS.name), methods, done):
                append(path, row)
                done[row.key] = row
                bar.update()


def keys(data: TaskDataset, of: Set, peers: list[Peer], draws: range) -> Iterator[Key]:
    """The rows of a set in a complete file, in the order in which they are measured."""
    binary = len(np.unique(data.y)) == 2
    for target in targets(data):
        for draw in draws[: of.draws]:
            for peer in peers:
                if not (binary and peer.several_classes):
                    yield Key(of.name, target, draw, peer.name)


def one_draw(
    data: TaskDataset, of: Set, place: Key, peers: list[Peer], done: dict[Key, Row]
) -> Iterator[Row]:
    """The rows of some methods; kinspan is always fitted too, as the unit of time."""
    draw = prepared(data, place.target, training_rows(data, of, place.target, place.draw))
    reference = judged(OURS, draw, {})
    for peer in peers:
        key = place._replace(method=peer.name)
        parameters = chosen(peer, of, data, key, done)
        outcome = reference if peer is OURS else judged(peer, draw, parameters)
        yield Row(*key, *outcome, reference.seconds, parameters)


def chosen(peer: Peer, of: Set, data: TaskDataset, key: Key, done: dict[Key, Row]) -> Parameters:
    """The parameters that were chosen on the first draw of the target."""
    if of.name in peer.settled:
        return peer.settled[of.name]
    first = key._replace(draw=0)
    if first in done:
        return done[first].parameters
    draw = prepared(data, key.target, training_rows(data, of, key.target, 0))
    return tuned(peer, draw, of.tuning_folds)


def judged(peer: Peer, draw: Draw, parameters: Parameters) -> Outcome:
    """Fit, timed, and test on the rows of the target that have no label in the draw."""
    start = time.perf_counter()
    rule = peer.fit(draw, **parameters)
    seconds = time.perf_counter() - start
    return Outcome(float((rule(draw.X_test) == draw.y_test).mean()), seconds)
