"""Limits of single kinds of hostile worlds: which tasks, compared with what, lose how much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.worlds.judged import Outcome

World = Mapping[str, Any]  # the line of a world in the file of results


class Bar(NamedTuple):
    """The largest acceptable mean loss of some tasks in the worlds of a kind."""

    kind: str
    tasks: str
    against: str
    column: str  # of the lines of worlds: the mean over these tasks of a world
    most: float


class Standing(NamedTuple):
    """How a limit is kept."""

    kind: str
    tasks: str
    against: str
    worlds: int
    mean: float  # over worlds, of the mean over these tasks of a world
    percentile_95: float  # of the worlds
    maximum: float  # of the worlds
    worst_task: float
    bar: float
    kept: bool  # by the mean


BARS = [
    Bar("other units", "in other units", "own rows alone", "attacked_itself", 0.02),
    Bar("other units", "the others", "own rows alone", "others_itself", 0.02),
    Bar("minority", "the minority", 'labels="single"', "attacked", 0.03),
]


def figures(found: Outcome) -> dict[str, float]:
    """Losses of the attacked tasks and of the others, next to those of all tasks."""
    loss, loss_itself = found.ours - found.alone, found.ours - found.by_itself
    return {
        **_losses("attacked", loss[found.attacked]),
        **_losses("attacked_itself", loss_itself[found.attacked]),
        **_losses("others_itself", loss_itself[~found.attacked]),
    }


def _losses(column: str, loss: NDArray[np.float64]) -> dict[str, float]:
    """NaN if there are no such tasks in a world."""
    mean, worst = (loss.mean(), loss.max()) if len(loss) else (np.nan, np.nan)
    return {column: float(mean), f"{column}_worst": float(worst)}


def standings(worlds: Iterable[World]) -> list[Standing]:
    """Every limit of the kinds that there are worlds of."""
    worlds = list(worlds)
    here = [(bar, [world for world in worlds if world["kind"] == bar.kind]) for bar in BARS]
    return [standing(bar, of_kind) for bar, of_kind in here if of_kind]


def standing(bar: Bar, worlds: list[World]) -> Standing:
    loss = np.array([world[bar.column] for world in worlds])
    worst = max(world[f"{bar.column}_worst"] for world in worlds)
    shown = [loss.mean(), np.quantile(loss, 0.95), loss.max(), worst]
    mean, high, largest, worst_task = (round(float(value), 4) for value in shown)
    kept = mean <= bar.most
    return Standing(*bar[:3], len(worlds), mean, high, largest, worst_task, bar.most, kept)


def print_standings(found: list[Standing]) -> None:
    print("our error − the other: mean   95 %    max | worst task | bar of the mean")
    for s in found:
        print(
            f"  {s.kind}: {s.tasks} against {s.against}, {s.worlds} worlds: {s.mean:+.4f} "
            f"{s.percentile_95:+.4f} {s.maximum:+.4f} | {s.worst_task:+.4f} | "
            f"≤ {s.bar:.2f} {'kept' if s.kept else 'missed'}"
        )
