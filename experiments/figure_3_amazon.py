"""Figure 3, centre: reviews of books, DVDs and electronics help to classify those of kitchen ware.

400 word frequencies; 50 labels per class for the target, 100 for the others; all other reviews of
the target are test rows.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from experiments import added_tasks, drawing, methods
from experiments.options import Options
from experiments.rows import Point, Row
from experiments.trials import answered, average, split
from kinspan.datasets import TaskDataset, load_amazon_reviews

NAME = "figure-3-amazon"
TARGET, ADDED = "kitchen", ("books", "dvd", "electronics")


def points(options: Options) -> list[Point]:
    """Every number of added products and method."""
    steps = added_tasks.steps(len(ADDED))
    return [{"added": added, "method": method} for added, method in steps]


def measure(point: Point, options: Options) -> Row:
    """The mean over 100 draws of labelled reviews."""
    method, helpers = point["method"], ADDED[: point["added"]]
    data = reviews(options.data)

    def trial(seed: Any) -> float:
        parts = split(data, TARGET, added_tasks.labelled(TARGET, helpers), seed)
        return answered(method, methods.estimator(method, "task"), parts, TARGET)

    return average(trial, options.draws(100, quick=4))


@cache
def reviews(data: str | None) -> TaskDataset:
    """All reviews."""
    return load_amazon_reviews(data=data)


def draw(rows: list[Row]) -> drawing.Figure:
    """Error against the products that are added."""
    figure, (axes,) = drawing.panels(1, width=9.0, height=4.8)
    added_tasks.panel(axes, rows, ADDED, NAME)
    title = "Figure 3, Amazon reviews: 50 labels per class for kitchen ware, 100 for the others"
    drawing.label(axes, title, "added product", "error on kitchen ware")
    drawing.legend(axes, drawing.named(added_tasks.METHODS), lines="", beside=True)
    return figure


def describe(rows: list[Row]) -> list[str]:
    """Our values next to the paper's."""
    return added_tasks.lines(rows, NAME, "")
