"""A fitted model → for every task, who helps it and who is like it, and the map of all tasks.

Tasks are numbered by need, as everywhere on the page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.answers.weights import MOST_COMPARED, relatedness_among, scaled_moments
from kinspan.answers.who_helps import gains, shares
from kinspan.displays.relatedness import similar_side_by_side
from kinspan.report._plain import rounded

MOST_IN_MAP = 300
_MOST_ALIKE = 20
_MOST_HELPERS = 12
_SHOWN_AS_ZERO = 5e-5  # of an error rate, or of a rule


def helpers(model: Any, order: Codes, leave_out: bool) -> dict[str, Any]:
    """For every task the others that matter most: [task, gain or share], the largest first.

    Gains are by leaving out; shares of the rule include that of the task itself, `own`.
    """
    exact = leave_out and len(order) > 1
    rows = gains(model, order)[order] if exact else [row[order] for row in shares(model, order)]
    own: list[Any] = [None if exact else rounded(row[place]) for place, row in enumerate(rows)]
    most = [
        _largest(row, place, _MOST_HELPERS, _SHOWN_AS_ZERO, by_value=exact)
        for place, row in enumerate(rows)
    ]
    return {"exact": exact, "own": own, "of": most}


def related(model: Any, order: Codes) -> dict[str, Any]:
    """The map of the tasks in most need, in an order that makes similar tasks neighbours.

    Where the map leaves tasks out, `alike` lists the most related tasks of every task; it is None
    where there are too many tasks for that.
    """
    n_tasks, alike = len(order), None
    if n_tasks > MOST_COMPARED:
        values = relatedness_among(scaled_moments(model), order[:MOST_IN_MAP])
    else:
        everyone = model.relatedness_[np.ix_(order, order)]
        values = everyone[:MOST_IN_MAP, :MOST_IN_MAP]
        if n_tasks > MOST_IN_MAP:
            alike = [_largest(row, t, _MOST_ALIKE, 0.0, 2) for t, row in enumerate(everyone)]
    places = similar_side_by_side(values)
    return {
        "order": places.tolist(),
        "values": rounded(values[np.ix_(places, places)], 2),
        "alike": alike,
    }


def _largest(
    row: Floats, task: int, most: int, least: float, digits: int = 5, by_value: bool = True
) -> list[list[Any]]:
    """[task, value] of the other tasks with the largest absolute values, by value or by size."""
    size = np.abs(np.nan_to_num(row))
    size[task] = -1.0
    largest = np.argsort(-size, kind="stable")[:most]
    largest = largest[size[largest] >= least]
    if by_value:
        largest = largest[np.argsort(-row[largest], kind="stable")]
    return [[int(s), rounded(row[s], digits)] for s in largest]
