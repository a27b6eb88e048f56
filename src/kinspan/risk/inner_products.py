"""Sampled rows by task and cell, and their inner products with rules, in every metric."""

from __future__ import annotations

from typing import NamedTuple

from kinspan._rows.by_task import RowsByTask
from kinspan._rows.types import Floats
from kinspan.risk.rule_parts import Residuals


class Rows(NamedTuple):
    """Rows by their task, and by their cell."""

    by_task: RowsByTask
    by_cell: RowsByTask

    @classmethod
    def of(cls, residuals: Residuals, n_classes: int) -> Rows:
        """Rows that are sorted by task."""
        cells = residuals.tasks * n_classes + residuals.classes
        return cls(RowsByTask(residuals.tasks), RowsByTask(cells))

    def of_task(self, values: Floats) -> Floats:
        """(rows, …): of (tasks, …) values."""
        return self.by_task.of_rows(values)

    def of_cell(self, values: Floats) -> Floats:
        """(rows, …): of (tasks, classes, …) values."""
        return self.by_cell.of_rows(of_cells(values))


def of_cells(values: Floats) -> Floats:
    """(tasks, classes, …) → (cells, …)."""
    return values.reshape(-1, *values.shape[2:])


class Products(NamedTuple):
    """Inner products in the metrics, of a row with rules."""

    x_coef: Floats  # (rows, metrics, columns): the row around the centre of its task, with rules
    r_coef: Floats  # (rows, metrics, columns): its residual, with rules
    length: Floats | None  # (rows, metrics, columns): squared lengths of rules, where they count
    x_r: Floats  # (rows, metrics): the row with its residual
    square: Floats  # (rows, metrics): the residual with itself
