"""Sampled rows with the scores of rules that have not seen them: what all forecasts follow from."""

from __future__ import annotations

from typing import NamedTuple

from kinspan._rows.types import Codes, Floats


class LeftOutRows(NamedTuple):
    """Every sampled row that could be left out of the rule that scores it."""

    scores: Floats  # (rows, classes): log odds with priors and costs, as `decision_function` has
    tasks: Codes  # (rows,)
    classes: Codes  # (rows,)
    weights: Floats  # (rows,): a weight of 2 is the row twice
    log_priors: Floats  # (tasks, classes): what of the scores is not about the row
