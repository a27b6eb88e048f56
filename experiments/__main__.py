"""`python -m experiments all`, or one figure or table: rows, pictures, values of the paper."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from threadpoolctl import threadpool_limits

from experiments import (
    drawing,
    figure_1,
    figure_2,
    figure_3_amazon,
    figure_3_mnist,
    figure_3_synthetic,
    figure_4,
    protocols,
    table_1,
    timing,
)
from experiments.options import Options
from experiments.rows import Point, Row, fill


class Experiment(Protocol):
    """The interface of an experiment, one file of this folder."""

    NAME: str  # of the command and of the files

    def points(self, options: Options) -> list[Point]:
        """What is measured."""

    def measure(self, point: Point, options: Options) -> Row:
        """One point."""

    def draw(self, rows: list[Row]) -> drawing.Figure:
        """Draw all points next to the paper's."""

    def describe(self, rows: list[Row]) -> list[str]:
        """The same as text."""


EXPERIMENTS: tuple[Experiment, ...] = (
    figure_1,
    figure_2,
    timing,
    table_1,
    figure_3_synthetic,
    figure_3_amazon,
    figure_3_mnist,
    figure_4,
    protocols,
)


def run(experiment: Experiment, options: Options) -> list[Row]:
    """Measure what is missing, draw, and print where the files are."""
    path = options.path(experiment.NAME, ".csv")
    with threadpool_limits(1):
        rows = fill(path, experiment.points(options), partial(experiment.measure, options=options))
    drawing.save(experiment.draw(rows), path)
    print("\n".join([f"{experiment.NAME}: {path}, .svg, .png", *experiment.describe(rows)]))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns 1 if data were missing."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    names = [experiment.NAME for experiment in EXPERIMENTS]
    parser.add_argument("what", choices=["all", *names], metavar="what", help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="few points and draws: seconds")
    parser.add_argument("--seed", type=int, default=0, help="seed of all draws; 0 by default")
    parser.add_argument("--out", type=Path, default=Options().out, help="folder for the results")
    parser.add_argument("--data", help="folder of the real data (default: KINSPAN_DATA)")
    asked = parser.parse_args(arguments)
    options = Options(asked.seed, asked.quick, asked.out, asked.data)
    missing = 0
    for experiment in EXPERIMENTS:
        if asked.what in ("all", experiment.NAME):
            try:
                run(experiment, options)
            except FileNotFoundError as error:
                print(f"{experiment.NAME}: skipped, {error}", file=sys.stderr)
                missing = 1
    return missing


if __name__ == "__main__":
    sys.exit(main())
