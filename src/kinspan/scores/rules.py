"""Directions → linear rules, and the same rules in the units of the input.

Equations are numbered as in docs/theory.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats, Mask


class LinearRules(NamedTuple):
    """Score l of a row x of task t: (x − centre_t)ᵀ coef_tl + offset_tl, in scaled units."""

    coef: Floats  # (tasks, classes, features)
    offset: Floats  # (tasks, classes)


def shrinkage(signal: Floats, power: Floats, own_power: Floats) -> Floats:
    """Factor φ that turns directions into the best estimate of the true contrasts, eq. (24).

    signal = ⟨direction, true contrast⟩ and power = ‖direction‖², so that signal/power is one for
    the optimal labels. A direction without signal is still a direction: it keeps a thousandth of
    the length of the task's own contrast.
    """
    safe = np.where(power > 0, power, 1.0)
    return np.maximum(signal / safe, 1e-3 * np.sqrt(own_power / safe))


def discriminant_rules(
    directions: Floats,
    factor: Floats,
    level: Floats,
    log_priors: Floats,
    squares: Floats | None = None,
    out: Floats | None = None,
) -> LinearRules:
    """Linear discriminant ((x − c)ᵀw − ½‖w‖²)/v + log π with w = φ · direction, eq. (25).

    Squared lengths of the directions (tasks, classes) may be known already; coefficients can be
    written over them.
    """
    if squares is None:
        squares = np.einsum("tlp,tlp->tl", directions, directions)
    multiple = factor / level
    half = 0.5 * squares * (factor * multiple)[:, None]
    coef = np.multiply(directions, multiple[:, None, None], out=out)
    return LinearRules(coef, log_priors - half)


def centred_rules(
    directions: Floats, alignment: Floats, level: Floats, log_priors: Floats, present: Mask
) -> LinearRules:
    """Scores of Algorithm 1: unit-variance projections minus their mean over the class."""
    length = np.sqrt(np.einsum("tlp,tlp->tl", directions, directions))
    unit = 1.0 / np.where(length > 0, length, np.inf) / np.sqrt(level)[:, None]
    own_mean = np.diagonal(alignment, axis1=1, axis2=2) * unit
    n_rivals = np.maximum(present.sum(axis=1, keepdims=True) - 1.0, 1.0)
    rest_mean = ((alignment * present[:, :, None]).sum(axis=1) * unit - own_mean) / n_rivals
    # The prior moves the threshold of a unit-variance score by log π over the gap of its means; of
    # two classes both scores move, each by half.
    share = present / np.maximum(present.sum(axis=1, keepdims=True), 1.0)
    relative = log_priors - (share * log_priors).sum(axis=1, keepdims=True)
    shift = relative * (1.0 + 1.0 / n_rivals) / np.maximum(own_mean - rest_mean, 1e-3)
    return LinearRules(directions * unit[..., None], shift - own_mean)


def in_input_units(
    rules: LinearRules, turned: Floats, centres: Floats, scale: Floats
) -> tuple[Floats, Floats]:
    """(coef, intercept) for rows in their own units; two classes make one score, for the second.

    Rules and centres are in the metric, `turned` are the coefficients for scaled rows.
    """
    coef = turned / scale[:, None, :]
    intercept = rules.offset - np.einsum("tlp,tp->tl", rules.coef, centres)
    if coef.shape[1] == 2:
        return coef[:, 1:] - coef[:, :1], intercept[:, 1:] - intercept[:, :1]
    return coef, intercept
