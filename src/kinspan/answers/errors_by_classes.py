"""A fitted model → its forecast errors with classes that count as often as they occur, or equally.

One of the two is the forecast of the fit. The other follows from the same left-out rows in the same
way (eqs. 40 to 44 of docs/theory.md), so that both are the same number where classes are equally
frequent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_priors
from kinspan.metrics import Score
from kinspan.risk import Forecast, LeftOutErrors

_ERRORS = ("error", "balanced_error")


def forecast_of_error(model: Any, score: Score) -> Forecast | None:
    """(tasks,): None for another score, and where left-out rows do not tell."""
    unit = worth_of_an_error(score)
    found = _forecast(model, score.name == "balanced_error") if unit > 0 else None
    return None if found is None else Forecast(unit * found.error, unit * found.interval)


def worth_of_an_error(score: Score) -> float:
    """One, or what every error costs if all cost the same; zero for scores that count no errors."""
    if score.name != "cost":
        return float(score.name in _ERRORS)
    costs = np.asarray(score.level, dtype=np.float64)
    most = float(costs.max())
    return most if np.array_equal(costs, most * (1.0 - np.eye(len(costs)))) else 0.0


def _forecast(model: Any, balanced: bool) -> Forecast | None:
    """With classes that count equally, or as often as they occur."""
    if _is_balanced(model) == balanced:
        return Forecast(model.forecast_error_, model.forecast_interval_)
    known = model._rules.expected.left_out
    counted, own = (_left_out(model, is_equal) for is_equal in (not _is_balanced(model), None))
    tells = own.rows > 0
    if not known.rows.any() or (tells != (known.rows > 0)).any():
        return None  # classes of which no row was left out
    harder = known.unit / np.where(known.chance > 0, known.chance, 1.0)
    fewer = known.rows / np.where(tells, own.rows, 1.0)
    # A rule for classes that count equally is wrong in half of all rows if it can only guess.
    chance = np.maximum(known.chance, counted.chance)
    return counted._replace(
        rows=counted.rows * fewer,
        chance=chance,
        unit=chance * harder,
        by_distance=known.by_distance,
    ).forecast()


def _is_balanced(model: Any) -> bool:
    return model._learnt.parameters["priors"] is None


def _left_out(model: Any, is_equal: bool | None) -> LeftOutErrors:
    """With classes that count equally or as they occur; None as in the forecast of the fit."""
    rows, counts = model._learnt.left_out_rows, np.asarray(model.moments_.effective().counts)
    asked = model._learnt.parameters["priors"]
    if is_equal is not None:
        asked = None if is_equal else "empirical"
    priors: Floats = np.where(counts > 0, check_priors(asked, counts), 0.0)
    if rows.scores.shape[1] == 2:  # above zero where they are above the threshold
        moved = 0.5 * np.append(model.threshold_, 0.0)[rows.tasks]
        rows = rows._replace(scores=rows.scores + np.outer(moved, [1.0, -1.0]))
    return LeftOutErrors.of(rows, priors)
