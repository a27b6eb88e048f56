"""The loop over sets, targets, draws and methods: it continues where it stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.accuracy.rows import FILE, ROWS, Key, Row
from benchmarks.accuracy.sets import Set, prepared, targets, training_rows
from benchmarks.peers.filling import fill
from benchmarks.peers.measure import Outcome, measured
from benchmarks.peers.peer import OURS, Parameters, Peer
from benchmarks.peers.samples import Sample
from benchmarks.peers.tuning import chosen
from kinspan.datasets import TaskDataset

Draw = tuple[Sample, Outcome]  # the rows, and kinspan on them: the unit of time


def run(
    sets: Iterable[Set], peers: list[Peer], path: Path, folder: str | None, draws: range
) -> None:
    """Measure every row that the file lacks; a set may have fewer draws."""
    for of in sets:
        run_set(of.load(data=folder), of, peers, path, draws)


def run_set(data: TaskDataset, of: Set, peers: list[Peer], path: Path, draws: range) -> None:
    before = FILE.read(ROWS) if draws.start else {}

    def sample(target: str, draw: int) -> Sample:
        return prepared(data, target, training_rows(data, of, target, draw))

    def drawn(target: str, draw: int) -> Draw:
        rows = sample(target, draw)
        return rows, measured(OURS, rows, {})

    def parameters(peer: Peer, key: Key, done: dict[Key, Row]) -> Parameters:
        if of.name in peer.settled:
            return dict(peer.settled[of.name])
        return chosen(peer, key._replace(draw=0), before | done, sample, of.tuning_folds)

    def row(key: Key, peer: Peer, draw: Draw, done: dict[Key, Row]) -> Row:
        rows, reference = draw
        used = parameters(peer, key, done)
        outcome = reference if peer is OURS else measured(peer, rows, used)
        accuracy = float(outcome.right.mean())
        return Row(*key, accuracy, outcome.fit_seconds, reference.fit_seconds, used)

    fill(FILE, path, keys(data, of, peers, draws), peers, drawn, row)


def keys(data: TaskDataset, of: Set, peers: list[Peer], draws: range) -> Iterator[Key]:
    """The rows of a set in a complete file, in the order in which they are measured."""
    binary = len(np.unique(data.y)) == 2
    for target in targets(data):
        for draw in draws[: of.draws]:
            for peer in peers:
                if not (binary and peer.several_classes):
                    yield Key(of.name, target, draw, peer.name)
