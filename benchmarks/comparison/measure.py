"""The loop over situations, seeds and methods: it continues where it stopped."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from benchmarks.comparison.rows import FILE, FITS, Fit, Key
from benchmarks.comparison.situations import Situation, rings
from benchmarks.peers.filling import fill
from benchmarks.peers.measure import measured
from benchmarks.peers.peer import OURS, Peer
from benchmarks.peers.samples import Sample
from benchmarks.peers.tuning import chosen, errors

DISTRIBUTIONS = {
    "kinspan": ("kinspan", "numpy"),
    "sklearn": ("scikit-learn", "numpy"),
    "sklego": ("scikit-lego", "scikit-learn"),
    "skada": ("skada", "scikit-learn"),
    "adapt": ("adapt", "scikit-learn"),
    "lightgbm": ("lightgbm",),
    "tabpfn": ("tabpfn", "torch"),
}


def run(situations: Iterable[Situation], contenders: list[Peer], path: Path = FITS) -> None:
    """Measure every fit that the file lacks."""
    for contender in contenders:  # so that no import is timed
        errors(contender, rings(0), contender.grid[0])
    for situation in situations:
        measure(situation, contenders, path)


def measure(situation: Situation, contenders: list[Peer], path: Path) -> None:
    """One situation; kinspan is fitted again next to every method, as the unit of time."""

    def row(key: Key, peer: Peer, sample: Sample, done: dict[Key, Fit]) -> Fit:
        first = key._replace(seed=key.seed % situation.turns)
        parameters = chosen(peer, first, done, situation.make)
        reference = measured(OURS, sample, {})
        outcome = reference if peer is OURS else measured(peer, sample, parameters)
        versions = ", ".join(f"{d} {version(d)}" for d in DISTRIBUTIONS[peer.needs])
        error, times = float((~outcome.right).mean()), (*outcome[2:], *reference[2:])
        return Fit(*key, error, *times, parameters, versions)

    wanted = [
        Key(situation.name, seed, c.name)
        for seed in range(situation.seeds)
        for c in contenders
        if not (c.several_tasks and situation.one_task)
    ]
    fill(FILE, path, wanted, contenders, situation.make, row)
