"""The options of a run, and where its files are stored."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Options(NamedTuple):
    """The options of the command line."""

    seed: int = 0  # draw i of a point uses the seeds (seed, i)
    quick: bool = False  # few points and draws: seconds instead of minutes
    out: Path = Path("experiments/results")  # folder of the files
    data: str | None = None  # folder of the real data; None: the variable KINSPAN_DATA

    def path(self, name: str, suffix: str) -> Path:
        """The file of an experiment. Runs with other options have other files: none are mixed."""
        quick = "-quick" if self.quick else ""
        seed = f"-seed-{self.seed}" if self.seed else ""
        return self.out / f"{name}{quick}{seed}{suffix}"

    def draws(self, full: int, quick: int = 3) -> list[list[int]]:
        """The seeds of the draws of a point."""
        return [[self.seed, draw] for draw in range(quick if self.quick else full)]
