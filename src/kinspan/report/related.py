"""Who is like whom: the map of the tasks, and for each those that are most like it."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.displays.relatedness import similar_side_by_side
from kinspan.gram import SharedContrasts
from kinspan.metric import scaled_by
from kinspan.report._plain import rounded

MOST_IN_MAP = 300
_MOST_COMPARED = 1500  # tasks; their relatedness is a decomposition of tasks × tasks
_MOST_ALIKE = 20


def related(model: Any, order: Codes) -> dict[str, Any]:
    """The map of the tasks in most need, in an order in which like ones are neighbours.

    Where the map leaves tasks out, `alike` lists the most related tasks of every task, or is None
    where tasks are too many for that.
    """
    n_tasks, shown = len(order), order[:MOST_IN_MAP]
    if n_tasks > _MOST_COMPARED:
        values, alike = _among(model, shown), None
    else:
        everyone = model.relatedness_[np.ix_(order, order)]
        values = everyone[:MOST_IN_MAP, :MOST_IN_MAP]
        alike = None if n_tasks <= MOST_IN_MAP else _all_alike(everyone)
    places = similar_side_by_side(values)
    return {
        "order": places.tolist(),
        "values": rounded(values[np.ix_(places, places)], 2),
        "alike": alike,
    }


def _among(model: Any, tasks: Codes) -> Floats:
    """Relatedness as if there were no other tasks."""
    moments, scale = model.moments_.effective(), model._rules.scale[:-1]
    classes = np.ones(len(moments.classes), dtype=bool)
    scaled = scaled_by(moments.chosen(tasks, classes), scale[tasks] if len(scale) > 1 else scale)
    return SharedContrasts(scaled.means, scaled.counts, scaled.cell_noise).relatedness()


def _all_alike(values: Floats) -> list[list[list[Any]]]:
    return [_alike(row, t) for t, row in enumerate(values)]


def _alike(row: Floats, task: int) -> list[list[Any]]:
    """The most related tasks of one, whichever the sign, the largest cosine first."""
    size = np.abs(row)
    size[task] = -1.0
    most = np.argsort(-size, kind="stable")[:_MOST_ALIKE]
    most = most[np.argsort(-row[most], kind="stable")]
    return [[int(s), rounded(row[s], 2)] for s in most]
