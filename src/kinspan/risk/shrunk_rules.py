"""How short rules of tasks alone are without the row that they score.

A task alone keeps the share φ = 1 − ν/‖d‖² of its contrasts, eq. (24) of docs/theory.md. Without
the row both the contrasts and their noise are others.
"""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats
from kinspan.risk.inner_products import Rows
from kinspan.risk.rule_parts import RuleParts

LEAST_SHARE = 1e-3  # a direction without signal is still the best guess


def kept_again(rules: RuleParts, length: Floats, change: Floats, rows: Rows) -> Floats:
    """(rows, metrics, columns): what rules are multiplied by, from their squared lengths.

    `change` is what the noise of the row's cell mean changes by, (rows, metrics).
    """
    found, squared = np.ones(length.shape), rules.centring**2
    noise = rows.of_task(np.einsum("tcs,tcl->ts", rules.cell_noise, squared))
    noise = noise + change * rows.of_cell(squared).sum(axis=1)[:, None]
    for part in rules.shrunk:
        share, multiple = (
            rows.of_task(np.where(of_tasks > 0, of_tasks, 1.0))  # tasks of one class have no rules
            for of_tasks in (part.share, part.multiple)
        )
        square = length[..., part.columns].sum(axis=2) / multiple**2
        kept = np.maximum(1.0 - noise / np.where(square > 0, square, np.inf), LEAST_SHARE)
        found[..., part.columns] = (kept / share)[..., None]
    return found


def offsets_again(rules: RuleParts, ratio: Floats, rows: Rows) -> Floats:
    """(rows, metrics, columns): what eq. (26) changes by where rules are multiplied."""
    n_candidates = rules.undone.shape[2] // rules.centring.shape[2]
    shares = rules.centring * rules.class_shares[..., None]
    shared, own = (
        np.tile(np.einsum("tcs,tcl->tsl", rules.cell_noise, parts), n_candidates)
        for parts in (shares, rules.centring**2)
    )
    assert rules.half_level is not None
    linear, square = rules.undone * shared, rules.half_level[..., None] * rules.undone**2 * own
    return rows.of_task(linear) * (ratio - 1.0) + rows.of_task(square) * (ratio**2 - 1.0)
