"""What the paper may have done otherwise than its text says: other protocols, next to its values.

Every protocol changes one thing or two. It explains a curve if all points of the curve lie on the
diagonal of the picture.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from matplotlib.lines import Line2D

from experiments import added_tasks, drawing, figure_3_synthetic, figure_4, methods, paper
from experiments.options import Options
from experiments.protocol_trials import (
    Trial,
    cdls,
    counts,
    digits,
    many_classes,
    z_scored_reviews,
)
from experiments.rows import Point, Row, select, values
from experiments.trials import Seed, average

NAME = "protocols"


class Protocol(NamedTuple):
    """One way to run a figure again."""

    figure: str
    name: str
    methods: tuple[str, ...]
    places: tuple[float, ...]  # where the figure has values
    trial: Trial
    draws: int


BETAS, TASKS = (0.0, 5 / 9, 1.0), tuple(2.0**i for i in range(1, 9))
TWO = (methods.ORACLE, methods.NAIVE_EIGENVECTOR)
FOUR = (methods.SINGLE, methods.NAIVE, methods.NAIVE_EIGENVECTOR, methods.PLUGIN)
MANY = (methods.PLUGIN, methods.LSSVM)
PRODUCTS, PAIRS = (1.0, 2.0, 3.0), (1.0, 3.0, 5.0)
ONLY = (methods.ALL_LANDMARKS,)
PROTOCOLS = (
    Protocol("figure-2", "C = 1", ONLY, BETAS, cdls(1.0, z_scored=False), 40),
    Protocol("figure-2", "C = 0.1", ONLY, BETAS, cdls(0.1, z_scored=False), 40),
    Protocol("figure-2", "z-scores", ONLY, BETAS, cdls(1.0, z_scored=True), 40),
    Protocol("figure-3-synthetic", "50 rows per class", TWO, TASKS, counts(50), 40),
    Protocol("figure-3-synthetic", "10 rows per class", TWO, TASKS, counts(10), 40),
    Protocol("figure-3-amazon", "z-scores", FOUR, PRODUCTS, z_scored_reviews(), 40),
    Protocol(
        "figure-3-amazon", "all tested", FOUR, PRODUCTS, z_scored_reviews(tested_on_all=True), 40
    ),
    Protocol(
        "figure-3-amazon",
        "with replacement",
        FOUR,
        PRODUCTS,
        z_scored_reviews(tested_on_all=True, replaced=True),
        40,
    ),
    Protocol("figure-3-mnist", "z-scores", FOUR, PAIRS, digits(1.0, "task"), 20),
    Protocol("figure-3-mnist", "no noise", FOUR, PAIRS, digits(0.0, "task"), 20),
    Protocol("figure-3-mnist", "no z-scores", FOUR, PAIRS, digits(1.0, None), 20),
    Protocol("figure-3-mnist", "noise 1.3 alone", FOUR, PAIRS, digits(1.3, None), 20),
    Protocol("figure-4", "length 2", MANY, (0.0,), many_classes(2.0, versus_rest=False), 10),
    Protocol("figure-4", "length 2.5", MANY, (0.0,), many_classes(2.5, versus_rest=False), 10),
    Protocol("figure-4", "length 2.8", MANY, (0.0,), many_classes(2.8, versus_rest=False), 10),
    Protocol("figure-4", "against the rest", MANY, (0.0,), many_classes(2.0, versus_rest=True), 10),
)
PRINTED = {
    "figure-2": {methods.ALL_LANDMARKS: "CDLS (Emp)"},
    "figure-3-synthetic": figure_3_synthetic.PRINTED,
    "figure-3-amazon": added_tasks.PRINTED,
    "figure-3-mnist": {methods.NAIVE: "N-SPCA", **added_tasks.PRINTED},
    "figure-4": {name: f"Synthetic: {curve}" for name, curve in figure_4.PRINTED.items()},
}  # the curve of the paper that a method is compared with
TITLES = {
    "figure-2": "Figure 2, CDLS",
    "figure-3-synthetic": "Figure 3, synthetic",
    "figure-3-amazon": "Figure 3, Amazon reviews",
    "figure-3-mnist": "Figure 3, MNIST",
    "figure-4": "Figure 4, synthetic",
}
MARKS = "osD^"


def points(options: Options) -> list[Point]:
    """Every protocol, method and place."""
    return [
        {"figure": p.figure, "protocol": p.name, "method": method, "place": place}
        for p in PROTOCOLS
        for method in p.methods
        for place in (p.places[:1] if options.quick else p.places)
    ]


def measure(point: Point, options: Options) -> Row:
    """The mean over draws."""
    (protocol,) = (p for p in PROTOCOLS if p[:2] == (point["figure"], point["protocol"]))

    def trial(seed: Seed) -> float:
        return protocol.trial(point["method"], point["place"], seed, options.data)

    return average(trial, options.draws(protocol.draws, quick=2))


def printed(row: Row) -> float:
    """The value of the paper; NaN where it has none."""
    curve = PRINTED[row["figure"]].get(row["method"])
    if curve is None:
        return math.nan
    places, found = paper.coordinates(row["figure"], curve)
    if row["figure"] == "figure-4":  # its error is its place
        return float(places[0])
    return float(found[abs(places - row["place"]).argmin()])


def draw(rows: list[Row]) -> drawing.Figure:
    """Ours against the paper's: one panel per figure, one mark per protocol."""
    figures = values(rows, "figure")
    figure, panels = drawing.panels(len(figures), width=4.4, height=4.6)
    for axes, name in zip(panels, figures, strict=True):
        of_figure = [row for row in select(rows, figure=name) if not math.isnan(printed(row))]
        protocols, named = values(of_figure, "protocol"), values(of_figure, "method")
        for row in of_figure:
            mark = MARKS[protocols.index(row["protocol"])]
            colour = drawing.STYLES[row["method"]].colour
            axes.errorbar(
                printed(row), row["error"], 2 * row["standard_error"], fmt=mark, color=colour
            )
        axes.axline((0.1, 0.1), slope=1, color="0.6", linewidth=1, zorder=0)
        drawing.label(axes, TITLES[name], "error, the paper's", "error, ours, ± 2 s.e.")
        marks = [
            Line2D([], [], ls="", marker=m, color="0.35", label=p)
            for p, m in zip(protocols, MARKS, strict=False)
        ]
        lines = [Line2D([], [], lw=4, color=drawing.STYLES[m].colour, label=m) for m in named]
        axes.legend(
            handles=marks + lines,
            fontsize=7.5,
            frameon=False,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.14),
        )
    return figure


def describe(rows: list[Row]) -> list[str]:
    """Every curve of every protocol, next to the paper's."""
    lines = []
    for name, protocol, method in dict.fromkeys(
        (r["figure"], r["protocol"], r["method"]) for r in rows
    ):
        found = select(rows, figure=name, protocol=protocol, method=method)
        ours = " ".join(f"{row['error']:.3f}" for row in found)
        known = [value for value in map(printed, found) if not math.isnan(value)]
        beside = " ".join(f"{value:.3f}" for value in known) or "–"
        lines.append(f"{name}, {protocol}, {method}: {ours} (the paper's {beside})")
    return lines
