"""A fitted model → its forecast errors with classes that count as often as they occur, or equally.

One of the two is the forecast of the fit. The other, and how much less is known of it, follows from
how scores of both classes are distributed: eq. (55b) of docs/theory.md. Both are the same number
where classes are equally frequent. With more than two classes there is the forecast of the fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Floats
from kinspan.answers.seen_from import distributions_of, thresholds_of
from kinspan.metrics import Score
from kinspan.risk import Forecast, ScoreForecast, forecast_score

_ERRORS = ("error", "balanced_error")


def forecast_of_error(model: Any, score: Score) -> Forecast | None:
    """(tasks,): None for another score, and where nothing but the scores of rows tells it."""
    unit, name = worth_of_an_error(score), score.name if score.name in _ERRORS else "error"
    if unit == 0:
        return None
    own = "balanced_error" if model._learnt.parameters["priors"] is None else "error"
    if len(model.classes_) > 2 and name != own:
        return None
    found = Forecast(model.forecast_error_, model.forecast_interval_)
    if len(model.classes_) == 2 and model.sample_ is not None:
        found = _moved(model, found, own, name)
    return Forecast(unit * found.error, unit * found.interval)


def worth_of_an_error(score: Score) -> float:
    """One, or what every error costs if all cost the same; zero for scores that count no errors."""
    if score.name != "cost":
        return float(score.name in _ERRORS)
    costs = np.asarray(score.level, dtype=np.float64)
    most = float(costs.max())
    return most if np.array_equal(costs, most * (1.0 - np.eye(len(costs)))) else 0.0


def _moved(model: Any, found: Forecast, own: str, name: str) -> Forecast:
    """By what draws say of another error, whose classes are as frequent as labels tell."""
    known, above = distributions_of(model), thresholds_of(model)
    if name == own and (own == "balanced_error" or known.shares is not None):
        return found
    as_labelled = known
    if known.shares is None:
        total = np.maximum(known.counts.sum(axis=1), 1.0)
        as_labelled = known._replace(shares=known.counts[:, 1] / total)
    before, after = (forecast_score(as_labelled, of, None, above) for of in (own, name))
    wanted = after if name == "balanced_error" else forecast_score(known, name, None, above)
    of_fit = _halves(ScoreForecast(*found))
    squared = of_fit**2 + _halves(wanted) ** 2 - _halves(before) ** 2
    least = of_fit if name == own else np.minimum(of_fit, _halves(wanted))
    low, high = np.sqrt(np.maximum(squared, least**2)).T
    value = found.error + (after.value - before.value)
    return Forecast(value, np.clip(np.stack([value - low, value + high], axis=1), 0.0, 1.0))


def _halves(of: ScoreForecast) -> Floats:
    """(tasks, 2): how far both ends of an interval are from the value."""
    return np.abs(of.interval - of.value[:, None])
