"""Rows → the final tables: accuracy.csv with every cell, and accuracy.md for readers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from benchmarks._measure import machine
from benchmarks.accuracy.peers import PEERS, PLAIN_SINGLE, SINGLE
from benchmarks.accuracy.rows import Row
from benchmarks.accuracy.sets import SETS
from benchmarks.accuracy.summary import (
    Cell,
    Cells,
    Gap,
    beaten,
    gaps,
    mean_ranks,
    summarise,
    worst_loss,
)
from benchmarks.peers.peer import OURS

BARS = {  # accuracy that the default must reach
    ("Amazon 400, 50 per class", "kitchen"): 0.82,
    ("Office-Caltech SURF, 3 per class", "webcam"): 0.835,
    ("Office-Caltech SURF, 3 per class", "dslr"): 0.79,
    ("Office-Caltech SURF, 3 per class", "amazon"): 0.585,
    ("Office-Caltech SURF, 3 per class", "caltech10"): 0.455,
    ("Office-31 deep, a quarter", "amazon"): 0.835,
    ("Office-31 deep, a quarter", "dslr"): 0.97,
    ("Office-31 deep, a quarter", "webcam"): 0.98,
    ("Office-Home deep, a quarter", "Art"): 0.745,
    ("Office-Home deep, a quarter", "Clipart"): 0.64,
    ("Office-Home deep, a quarter", "Product"): 0.865,
    ("Office-Home deep, a quarter", "RealWorld"): 0.84,
}
NOTES = Path(__file__).parent / "notes.md"


def write(rows: list[Row], folder: Path) -> None:
    """Write both files, in the order of the sets and methods, not of the runs."""
    rows = sorted(rows, key=in_order)
    cells = summarise(rows)
    write_csv(cells, folder / "accuracy.csv")
    found = gaps(rows)
    parts = [heading(), overall(cells), *by_set(cells)]
    if found:
        parts += [singles(found), bars(cells), wins(found)]
    (folder / "accuracy.md").write_text("\n".join([*parts, NOTES.read_text()]))


def write_fresh(rows: list[Row], folder: Path) -> None:
    """Write the results of draws made after the last change of the default (tuned before it)."""
    if rows:
        rows = sorted(rows, key=in_order)
        cells, found = summarise(rows), gaps(rows)
        parts = [heading("# Accuracy on fresh draws"), overall(cells), singles(found), bars(cells)]
        (folder / "accuracy_fresh.md").write_text("\n".join(parts))


def in_order(row: Row) -> tuple[int, str, int, int]:
    """Place of a row in the tables."""
    sets, methods = [*SETS, row.set], [*PEERS, row.method]
    return sets.index(row.set), row.target, methods.index(row.method), row.draw


def write_csv(cells: Cells, path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"# {machine()}, one thread"])
        writer.writerow(
            ["set", "target", "method", "draws", "accuracy", "standard_error", "time", "rank"]
        )
        for place, methods in cells.items():
            for method, cell in methods.items():
                figures = f"{cell.mean:.5f}", f"{cell.error:.5f}", f"{cell.time:.3g}"
                writer.writerow([*place, method, cell.draws, *figures, f"{cell.rank:g}"])


def heading(title: str = "# Accuracy") -> str:
    return (
        f"{title}\n\n"
        "Per cent of the target's rows predicted correctly, mean ± standard error over draws. Time "
        "is the time to fit, relative to kinspan on the same rows in the same run (median). Rank 1 "
        "is best; ranks are means over all sets and targets on which a method ran.\n\n"
        f"{machine()}, one thread.\n"
    )


def overall(cells: Cells) -> str:
    """Mean ranks, best first."""
    return table(
        "All sets",
        ["method", "mean rank", "targets", "mean accuracy", "time"],
        (
            [
                method,
                f"{rank:.2f}",
                str(len(of)),
                percent(float(np.mean([c.mean for c in of]))),
                ratio(of),
            ]
            for method, rank in mean_ranks(cells).items()
            for of in [[methods[method] for methods in cells.values() if method in methods]]
        ),
    )


def by_set(cells: Cells) -> Iterator[str]:
    """One table per set, with a line for each method and a column for each target."""
    for name in dict.fromkeys(place[0] for place in cells):
        of = {target: methods for (s, target), methods in cells.items() if s == name}
        methods = dict.fromkeys(method for found in of.values() for method in found)
        lines = (
            [
                method,
                *(entry(found.get(method)) for found in of.values()),
                ratio([found[method] for found in of.values() if method in found]),
            ]
            for method in methods
        )
        yield table(name, ["method", *of, "time"], lines)


def entry(cell: Cell | None) -> str:
    """Mean and standard error; a single draw has no standard error."""
    if cell is None:
        return ""
    return f"{percent(cell.mean)} ± {percent(cell.error)}" if cell.draws > 1 else percent(cell.mean)


def singles(found: list[Gap]) -> str:
    """Where kinspan loses most compared with every task alone."""
    lines = [
        [gap.method, *gap.place, f"{-100 * gap.mean:+.2f} ± {100 * gap.error:.2f}"]
        for gap in (worst_loss(found, peer.name) for peer in (SINGLE, PLAIN_SINGLE))
    ]
    return table(
        "Worst target compared with every task alone",
        ["alone", "set", "target", "points gained"],
        lines,
    )


def bars(cells: Cells) -> str:
    lines = [
        [*place, percent(bar), entry(cell), "met" if cell.mean >= bar else "missed"]
        for place, bar in BARS.items()
        if place in cells
        for cell in [cells[place][OURS.name]]
    ]
    return table("Bars", ["set", "target", "bar", "kinspan", ""], lines)


def wins(found: list[Gap]) -> str:
    """Where another method is better by more than two standard errors."""
    lines = [
        [*place, ", ".join(f"{gap.method} +{100 * gap.mean:.1f}" for gap in better[:3])]
        for place, better in beaten(found).items()
    ]
    return table(
        "Better than kinspan by more than two standard errors (the best three, in points)",
        ["set", "target", "methods"],
        lines,
    )


def table(title: str, head: list[str], lines: Iterable[list[str]]) -> str:
    rule = ["---"] * len(head)
    body = "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *lines])
    return f"## {title}\n\n{body}\n"


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def ratio(cells: list[Cell]) -> str:
    return f"{np.median([cell.time for cell in cells]):.2g} ×"
