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
    resized: Floats  # (rows,): of two classes, what the score would change by the task's own rule
    noise_share: Floats  # (tasks,): of the squared length of rules, noise of the task's own labels

    def mirrored(self) -> LeftOutRows:
        """With two classes exchanged."""
        return self._replace(
            scores=self.scores[:, ::-1],
            classes=1 - self.classes,
            log_priors=self.log_priors[:, ::-1],
            resized=-self.resized,
        )
