"""Names of scores, with their levels → scores that can be computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kinspan._rows.types import Floats, Ids
from kinspan._validation.messages import of_length, short, some
from kinspan._validation.numbers import is_number, real_numbers
from kinspan.metrics import SCORES, Score

_EXAMPLES = {
    "precision": "0.8",
    "budget": "0.05 (a share of the rows) or 100 (rows)",
    "matrix": "[[0, 1], [5, 0]], the cost of answering j for a row of class i",
}

_EXAMPLES_OF_TEXT = {"precision": "0.8", "budget": "5%", "matrix": "0 1; 5 0"}
LABELLED = ("positives", "rows", "each class")
_LARGEST = float(np.finfo(np.float64).max)


def check_score(argument: str, given: Any, n_classes: int) -> Score:
    """A name, "name=level" or {name: level}, for a model with so many classes."""
    name, level = _named(argument, given)
    if name not in SCORES:
        raise ValueError(f"{argument}={given!r} is no score; use one of {', '.join(SCORES)}")
    needed = SCORES[name].level
    if (level is None) != (not needed):
        way = _with_level(argument, name, needed) if needed else f"use {name!r}"
        raise ValueError(
            f"{argument}={given!r}: {name} needs {'a' if needed else 'no'} level; {way}"
        )
    if name == "precision_at_budget" and n_classes > 2:
        raise ValueError(
            f"{argument}={given!r} needs two classes, and there are {n_classes}; "
            "use recall_at_budget or lift_at_budget"
        )
    return Score(name, _level(f"{argument}={given!r}", needed, level, n_classes))


def _with_level(argument: str, name: str, needed: str) -> str:
    """How to say a score with its level, in Python or on the command line."""
    if argument.startswith("--"):
        return f"use '{name}={_EXAMPLES_OF_TEXT[needed]}'"
    return f"use {{{name!r}: {_EXAMPLES[needed]}}}"


def check_forecast_score(argument: str, given: Any, n_classes: int, has_rows: bool) -> Score:
    """A score that left-out rows foretell."""
    score = check_score(argument, given, n_classes)
    if not has_rows:
        raise ValueError(
            f"{argument}={given!r} is forecast from left-out rows, and the model keeps none; "
            "fit it with row_sample=100, or from statistics with rows"
        )
    if isinstance(score.level, int):
        raise ValueError(
            f"{argument}={given!r}: how many new rows there will be is unknown; name the budget as "
            "a share of them, such as 0.05"
        )
    return score


def check_curve_score(argument: str, given: Any, n_classes: int, has_rows: bool) -> Score:
    """A score of which two classes have a curve."""
    if n_classes != 2:
        raise ValueError(
            f"{argument}={given!r}: curves of scores are for two classes, and there are "
            f"{n_classes}; forecast(score={given!r}) says what to expect with the labels there are"
        )
    return check_forecast_score(argument, given, n_classes, has_rows)


def check_labelled(given: Any, n_classes: int) -> str:
    """What is to be labelled: rows of each class, rows as they come, or of the second class."""
    if not isinstance(given, str) or given not in LABELLED:
        ways = ", ".join(map(repr, LABELLED))
        raise ValueError(f"label={short(given)} is nothing that can be labelled; use one of {ways}")
    if given == "positives" and n_classes != 2:
        raise ValueError(
            f"label='positives' needs two classes, and there are {n_classes}; use 'each class' or "
            "'rows'"
        )
    return str(given)


def check_wanted(score: Score, given: Any) -> float:
    """A value of a score to reach."""
    if not is_number(given) or isinstance(given, bool) or not abs(given) <= _LARGEST:
        raise ValueError(f"wanted={short(given)}; use a value of {score.name}, such as 0.8")
    return float(given)


def check_scores(argument: str, given: Any, n_classes: int) -> list[Score]:
    """One score, or several of them."""
    several = [given] if isinstance(given, (str, dict)) else given
    if not isinstance(several, Iterable) or getattr(several, "ndim", 1) == 0:
        raise TypeError(f"{argument}={given!r}; use the name of a score, or a list of names")
    scores = [check_score(argument, one, n_classes) for one in several]
    names = [str(score) for score in scores]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{argument} names {name} twice")
    return scores


def check_probabilities(
    given: Any, n_rows: int, scores: list[Score], classes: Ids, of_first: bool = False
) -> Floats:
    """(rows, classes) probabilities; without them NaN, if no score needs them.

    A single column is that of the second of two classes, or `of_first`.
    """
    if given is None:
        needing = [score.name for score in scores if not score.kind.of_answers]
        if needing:
            raise ValueError(f"scores has {needing[0]}, which needs y_proba; pass probabilities")
        return np.full((n_rows, len(classes)), np.nan)
    p = of_length(real_numbers("y_proba", given), n_rows, "y_proba")
    if p.ndim == 1 and len(classes) == 2:
        p = np.stack([p, 1.0 - p] if of_first else [1.0 - p, p], axis=1)
    if p.shape != (n_rows, len(classes)):
        raise ValueError(
            f"y_proba has shape {p.shape}, and there are {len(classes)} classes, "
            f"{some(classes.tolist())}; pass one column for each, and their order in labels"
        )
    if not (np.isfinite(p) & (p >= 0.0)).all() or (np.abs(p.sum(axis=1) - 1.0) > 1e-6).any():
        raise ValueError("y_proba has rows that are no probabilities; each must sum to one")
    return p


def _named(argument: str, given: Any) -> tuple[Any, Any]:
    if isinstance(given, str):
        name, equal, text = given.partition("=")
        return name.strip(), read_level(text) if equal else None
    if isinstance(given, dict) and len(given) == 1:
        return next(iter(given.items()))
    raise TypeError(f"{argument}={given!r}; use the name of a score, or {{name: level}}")


def read_level(text: str) -> Any:
    """A number, a share in per cent, or a matrix "0 1; 5 0"; other text as it is."""
    try:
        if ";" in text:
            return [[float(cell) for cell in row.split()] for row in text.split(";")]
        if text.endswith("%"):
            return float(text[:-1]) / 100.0
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError:
        return text


def _level(said: str, needed: str, level: Any, n_classes: int) -> Any:
    if needed == "matrix":
        return check_cost_matrix(said, level, n_classes)
    if not needed:
        return None
    whole = isinstance(level, (int, np.integer)) and not isinstance(level, bool)
    if needed == "budget" and whole and level >= 1:
        return int(level)
    if not is_number(level) or isinstance(level, bool) or not 0 < level <= 1:
        raise ValueError(f"{said}; the level is a {needed}: use {_EXAMPLES[needed]}")
    return float(level)


def check_cost_matrix(said: str, given: Any, n_classes: int) -> Floats:
    """(classes, classes): what it costs to answer a row of class i by class j."""
    matrix = real_numbers(said, given)
    if matrix.shape != (n_classes, n_classes) or not np.isfinite(matrix).all():
        raise ValueError(
            f"{said}; costs of {n_classes} classes are {n_classes} rows of {n_classes} finite "
            f"numbers, such as {_EXAMPLES['matrix']}"
        )
    return matrix
