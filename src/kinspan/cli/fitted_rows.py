"""A model and the rows of a table → whether it was fitted on them, as far as it keeps rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows import identifiers
from kinspan._validation.parameters import check_random_state
from kinspan.tables.rows import FileRows

_NEARLY_ALL = 0.9  # of the kept rows of the tasks of a table


class FittedRows:
    """The rows that a model keeps, and which of them a table has."""

    def __init__(self, model: Any) -> None:
        sample = model.sample_
        key = check_random_state(model.random_state).name
        self.model = model
        self.sample = None if sample is None or sample.key_name != key else sample
        n_kept = 0 if self.sample is None else len(self.sample.cells)
        self.is_there = np.zeros(n_kept, dtype=bool)
        self.has_task = np.zeros(len(model.tasks_), dtype=bool)

    def look(self, rows: FileRows) -> None:
        """Look for rows of a table among those that are kept."""
        if self.sample is None:
            return
        self.is_there |= np.isin(self.sample.keys, self.model._keys(rows.X))
        task, known = rows.task, self.model.tasks_
        ids = known[:1] if task is None else task.ids[np.unique(task.codes)]
        places = identifiers.lookup(known, ids)
        self.has_task[places[places >= 0]] = True

    def notes(self) -> list[str]:
        """What to say if the model was fitted on the table.

        Rows that came more than once in the fit say nothing: new ones may be equal, as counts are.
        """
        if self.sample is None:
            return []
        kept = self.has_task[self.sample.cells // len(self.model.classes_)]
        once = kept & (self.sample.weights == 1.0)
        n_once, n_there = int(once.sum()), int((once & self.is_there).sum())
        repeated = float(self.sample.weights[kept & ~once].sum())
        if (
            not n_there
            or n_there < _NEARLY_ALL * n_once
            or n_once < _NEARLY_ALL * (n_once + repeated)
        ):
            return []
        return [
            f"the table has {n_there:,} of {n_once:,} rows that the model keeps: it was fitted on "
            "them, and will do worse on new rows; evaluate it on those"
        ]
