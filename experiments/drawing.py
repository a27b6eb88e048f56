"""The look of figures: lines are theory, filled marks our values, hollow marks the paper's.

Colours are those of Okabe and Ito, which colour-blind readers can distinguish; marks differ too.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments import methods as m
from experiments.rows import Row, column

__all__ = ["Axes", "Figure"]


class Style(NamedTuple):
    """How a method is drawn."""

    colour: str
    mark: str


STYLES = {
    "PCA": Style("#D55E00", "D"),
    "SPCA": Style("#0072B2", "o"),
    m.SINGLE: Style("#707070", "s"),
    m.NAIVE: Style("#D55E00", "D"),
    m.NAIVE_EIGENVECTOR: Style("#E69F00", "v"),
    m.PLUGIN: Style("#56B4E9", "^"),
    m.DEFAULT: Style("#0072B2", "o"),
    m.ALONE: Style("#000000", "d"),
    m.ORACLE: Style("#000000", "P"),
    m.LSSVM: Style("#CC79A7", "X"),
    m.LSSVM_CHOSEN: Style("#8B4A73", "h"),
    m.LANDMARKS: Style("#009E73", "p"),
    m.ALL_LANDMARKS: Style("#7FCFB5", "<"),
}


def panels(count: int, width: float = 6.0, height: float = 4.6) -> tuple[Figure, list[Axes]]:
    """A row of panels."""
    figure = Figure(figsize=(width * count, height), layout="constrained")
    return figure, list(np.ravel(figure.subplots(1, count)))


def theory(axes: Axes, method: str, rows: list[Row], x: str) -> None:
    """A line without marks."""
    axes.plot(column(rows, x), column(rows, "error"), color=STYLES[method].colour, linewidth=1.4)


def ours(axes: Axes, method: str, rows: list[Row], x: str, *, joined: bool = False) -> None:
    """Filled marks with two standard errors, joined where no theory draws a line."""
    style = STYLES[method]
    axes.errorbar(
        column(rows, x),
        column(rows, "error"),
        2 * column(rows, "standard_error"),
        fmt=style.mark + ("-" if joined else ""),
        color=style.colour,
        markersize=5,
        linewidth=1.1,
        elinewidth=0.9,
    )


def printed(axes: Axes, method: str, x: Any, y: Any) -> None:
    """Hollow marks."""
    style = STYLES[method]
    axes.plot(
        x, y, style.mark, markerfacecolor="none", markeredgecolor=style.colour, markersize=8.5
    )


def label(axes: Axes, title: str, x: str, y: str) -> None:
    """Title, names of the axes, a light grid."""
    axes.set_title(title, fontsize=10.5)
    axes.set(xlabel=x, ylabel=y)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def legend(
    axes: Axes,
    labels: dict[str, str],
    *,
    lines: str = "theory",
    filled: str = "ours, ± 2 s.e.",
    beside: bool = False,
) -> None:
    """One label per method, and the meaning of lines, filled and hollow marks."""
    handles = [
        Line2D(
            [], [], color=STYLES[name].colour, marker=STYLES[name].mark, markersize=5, label=text
        )
        for name, text in labels.items()
    ]
    grey: dict[str, Any] = {"color": "0.35", "markersize": 6}
    if lines:
        handles.append(Line2D([], [], label=lines, **grey))
    handles.append(Line2D([], [], linestyle="", marker="o", label=filled, **grey))
    hollow = Line2D([], [], linestyle="", marker="o", label="the paper's", **grey)
    hollow.set(markerfacecolor="none", markersize=8.5)
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
    axes.legend(
        handles=[*handles, hollow], fontsize=8.5, frameon=False, **(place if beside else {})
    )


def named(methods: Iterable[str]) -> dict[str, str]:
    """Methods under their own names."""
    return {method: method for method in methods}


def save(figure: Figure, path: Path) -> None:
    """SVG and PNG. The same rows give the same SVG: no date, no random ids."""
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": path.stem}):
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=110)
