"""Left-out scores by rules of several sizes → as if all were by the rule that the task has.

Without a row a task has other weights. With few rows of a class they are so much smaller or larger
that a left-out score says more of the size of its rule than of its row. Rules of a task are made
comparable by how they score all rows of the task: what they have on average, and how far they
spread within classes.
"""

from __future__ import annotations

import numpy as np

from kinspan._rows.groups import Groups
from kinspan._rows.types import Floats
from kinspan.selection.evidence import Evidence

_LEAST = 1e-12  # of a spread: a rule that tells no rows apart stays as it is


def resized(scores: Floats, left_out: Floats, of_task: Floats, evidence: Evidence) -> Floats:
    """(rows, 1): scores by (rows, rules) weights without the row, in the size of those of the task.

    Of two classes, from (rules, rows, 1) scores: eq. (55a) of docs/theory.md.
    """
    u, copies = scores[..., 0], 1.0 / evidence.of_one
    usual = evidence.by_task.means(u, copies)
    around = u - evidence.by_cell.means(u, copies)
    spread, wanted = _spreads(around, copies, evidence.by_task, (left_out, of_task))
    known = (spread > _LEAST * wanted) & (wanted > 0)
    larger = np.where(known, np.sqrt(wanted / np.where(known, spread, 1.0)), 1.0)
    beyond = np.einsum("nj,jn->n", left_out, u - usual)
    return np.asarray(np.einsum("nj,jn->n", of_task, usual) + larger * beyond)[:, None]


def _spreads(
    around: Floats, copies: Floats, by_task: Groups, of_rules: tuple[Floats, ...]
) -> Floats:
    """(sets, rows): the variance within classes of all rows of its task, by weights of a row.

    For several sets of (rows, rules) weights.
    """
    found, n = np.zeros((len(of_rules), len(copies))), by_task.sums(copies)
    for i, first in enumerate(around):
        for j, second in enumerate(around[: i + 1]):
            of_tasks = by_task.sums(copies * first * second) / (n if i == j else 0.5 * n)
            product = by_task.of_rows(of_tasks)
            for k, weights in enumerate(of_rules):
                found[k] += weights[:, i] * product * weights[:, j]
    return found
