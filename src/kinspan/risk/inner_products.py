"""Sampled rows by task and cell, and their inner products with rules, in every metric."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.by_task import RowsByTask
from kinspan._rows.types import Codes, Floats
from kinspan.risk.rule_parts import Residuals


class Rows(NamedTuple):
    """Rows by their task, and by their cell."""

    by_task: RowsByTask
    cells: Codes  # (rows,)
    present: Codes  # the cells that have rows: with many classes, few of all
    by_present: RowsByTask  # rows by the place of their cell among these
    present_by_task: RowsByTask  # these cells by their task

    @classmethod
    def of(cls, residuals: Residuals, n_classes: int) -> Rows:
        """Rows that are sorted by task, and by class."""
        cells = residuals.tasks * n_classes + residuals.classes
        is_present = np.bincount(cells) > 0
        present, places = np.flatnonzero(is_present), np.cumsum(is_present) - 1
        by_present, present_by_task = RowsByTask(places[cells]), RowsByTask(present // n_classes)
        return cls(RowsByTask(residuals.tasks), cells, present, by_present, present_by_task)

    def of_task(self, values: Floats) -> Floats:
        """(rows, …): of (tasks, …) values."""
        return self.by_task.of_rows(values)

    def of_cell(self, values: Floats) -> Floats:
        """(rows, …): of (tasks, classes, …) values."""
        return _of_cells(values).take(self.cells, axis=0)

    def of_present(self, values: Floats) -> Floats:
        """(cells that have rows, …): of (tasks, classes, …) values."""
        return _of_cells(values).take(self.present, axis=0)


def _of_cells(values: Floats) -> Floats:
    """(tasks, classes, …) → (cells, …)."""
    return values.reshape(-1, *values.shape[2:])


class Products(NamedTuple):
    """Inner products in the metrics, of a row with rules."""

    x_coef: Floats  # (rows, metrics, columns): the row around the centre of its task, with rules
    r_coef: Floats  # (rows, metrics, columns): its residual, with rules
    length: Floats | None  # (rows, metrics, columns): squared lengths of rules, where they count
    x_r: Floats  # (rows, metrics): the row with its residual
    square: Floats  # (rows, metrics): the residual with itself
