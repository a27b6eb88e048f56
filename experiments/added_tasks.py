"""Shared by the two real panels of Figure 3: tasks are added one by one to help a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from experiments import drawing, methods, paper
from experiments.rows import Row, select

METHODS = (
    methods.SINGLE,
    methods.ALONE,
    methods.NAIVE,
    methods.NAIVE_EIGENVECTOR,
    methods.PLUGIN,
    methods.DEFAULT,
)
SINGLE = METHODS[:2]
PRINTED = {
    methods.PLUGIN: "MTL SPCA",
    methods.NAIVE_EIGENVECTOR: "N-SPCA",
    methods.SINGLE: "ST-SPCA",
}


def steps(n_added: int) -> list[tuple[int, str]]:
    """Every number of added tasks and method; single-task methods are measured once."""
    transfer = METHODS[len(SINGLE) :]
    return [
        *((0, method) for method in SINGLE),
        *((added, method) for added in range(1, n_added + 1) for method in transfer),
    ]


def labelled(target: str, added: Sequence[str]) -> Callable[[str, int], int]:
    """50 rows per class for the target, 100 for every added task."""
    return lambda task, _: 50 if task == target else 100 if task in added else 0


def panel(axes: drawing.Axes, rows: list[Row], names: Sequence[str], figure: str) -> None:
    """Error against the added tasks; single-task methods are horizontal lines."""
    for method in METHODS:
        found = _levelled(select(rows, method=method), len(names))
        drawing.ours(axes, method, found, "added", joined=True)
        if method in PRINTED:
            drawing.printed(axes, method, *paper.coordinates(figure, PRINTED[method]))
    axes.set_xticks(range(1, len(names) + 1), ["+ " + name for name in names])


def lines(rows: list[Row], figure: str, title: str) -> list[str]:
    """Our values next to the paper's."""
    return [
        paper.beside(
            f"{title}{method}",
            _levelled(select(rows, method=method), 1),
            "added",
            paper.coordinates(figure, PRINTED.get(method, "")),
        )
        for method in METHODS
    ]


def _levelled(rows: list[Row], n_added: int) -> list[Row]:
    """The row of a single-task method, repeated for every number of added tasks."""
    if rows[0]["method"] not in SINGLE:
        return rows
    return [{**rows[0], "added": added} for added in range(1, n_added + 1)]
