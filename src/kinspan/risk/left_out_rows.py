"""Sampled rows with the scores of rules that have not seen them: what all forecasts follow from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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

    def of_one_size(self) -> Floats:
        """(rows, classes): scores by rules of two classes as large as that of the task.

        As far as a rule is noise of the task's labels, its size follows the row that is left out,
        and is left as it is.
        """
        if self.scores.shape[1] != 2:
            return self.scores
        moved = (1.0 - np.clip(self.noise_share, 0.0, 1.0))[self.tasks] * self.resized
        return self.scores + np.outer(moved, [-0.5, 0.5])

    def error_of_guesses(self, priors: Floats) -> Floats:
        """(tasks,): the error of who answers classes as often as these scores do, but by chance.

        A rule that seeks something else than few errors can be wrong more often than who always
        answers the most frequent class, and is compared with a guess that seeks it too. Rows of a
        class that a task could not leave out are answered as those of the other tasks.
        """
        pi = priors / np.maximum(priors.sum(axis=1, keepdims=True), 1e-300)
        answers, (n_tasks, m) = self.scores.argmax(axis=1), priors.shape
        n = np.zeros((n_tasks, m))
        np.add.at(n, (self.tasks, self.classes), self.weights)
        of_all = 1e-9 * np.eye(m)  # (classes, answers): of all tasks
        np.add.at(of_all, (self.classes, answers), self.weights)
        of_all /= of_all.sum(axis=1, keepdims=True)
        answered = np.where(n > 0, 0.0, pi) @ of_all
        each = (pi / np.where(n > 0, n, 1.0))[self.tasks, self.classes]
        np.add.at(answered, (self.tasks, answers), each * self.weights)
        return np.asarray((pi * (1.0 - answered)).sum(axis=1))
