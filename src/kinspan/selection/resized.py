"""Left-out scores by rules of several sizes → as if all were by the rule that the task has.

Without a row a task has other weights. With few rows of a class they are so much smaller or larger
that a left-out score says more of the size of its rule than of its row. Rules of a task are made
comparable by how they score all rows of the task: what they have on average, and how far they
spread within classes.
"""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.selection.evidence import Evidence

_LEAST = 1e-12  # of a spread: a rule that tells no rows apart stays as it is


def resized(scores: Floats, left_out: Floats, of_task: Floats, evidence: Evidence) -> Floats:
    """(rows, 1): scores by (rows, rules) weights without the row, in the size of those of the task.

    Of two classes, from (rules, rows, 1) scores: eq. (55a) of docs/theory.md.
    """
    u, tasks = scores[..., 0], evidence.tasks
    copies = 1.0 / evidence.of_one
    usual = _means(u, copies, tasks)
    around = u - _means(u, copies, 2 * tasks + evidence.classes)
    spread = _spreads(around, left_out, copies, tasks)
    wanted = _spreads(around, of_task, copies, tasks)
    known = (spread > _LEAST * wanted) & (wanted > 0)
    larger = np.where(known, np.sqrt(wanted / np.where(known, spread, 1.0)), 1.0)
    beyond = np.einsum("nj,jn->n", left_out, u - usual)
    return np.asarray(np.einsum("nj,jn->n", of_task, usual) + larger * beyond)[:, None]


def _means(values: Floats, copies: Floats, groups: Codes) -> Floats:
    """(rules, rows): for every row the means over its group."""
    n = np.maximum(np.bincount(groups, copies), 1e-300)
    return np.array([np.bincount(groups, copies * row)[groups] for row in values]) / n[groups]


def _spreads(around: Floats, weights: Floats, copies: Floats, tasks: Codes) -> Floats:
    """(rows,): the variance within classes of all rows of its task, by the weights of a row."""
    found = np.zeros(len(tasks))
    for i, first in enumerate(around):
        for j, second in enumerate(around):
            product = _means((first * second)[None], copies, tasks)[0]
            found += weights[:, i] * product * weights[:, j]
    return np.asarray(found)
