"""A fitted model → how related its tasks are, and what every task weighs in every rule.

Arrays of tasks × tasks, computed when they are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinspan._rows.types import Codes, Floats
from kinspan._validation.fitted import check_pairs_of_tasks
from kinspan.class_moments import ClassMoments
from kinspan.gram import SharedContrasts
from kinspan.metric import ScaledMoments, scaled_by
from kinspan.selection.outcome import FittedRules
from kinspan.selection.solutions import contrasts_of

MOST_COMPARED = 1500  # tasks; their relatedness is a decomposition of tasks × tasks


def scaled_moments(model: Any) -> ScaledMoments:
    """The class moments of a fitted model in the scale of its rules."""
    return scaled_by(model._whole.moments.effective(), model._rules.scale[:-1])


def relatedness_among(scaled: ScaledMoments, tasks: Codes | list[int] | slice) -> Floats:
    """(tasks, tasks) noise-corrected cosines between some tasks, as if there were no others."""
    means, counts, noise = scaled.means[tasks], scaled.counts[tasks], scaled.cell_noise[tasks]
    return SharedContrasts(means, counts, noise).relatedness()


def relatedness_to(model: Any, task: int, others: Codes) -> Floats:
    """(others,): what `relatedness_` has for a task; of very many tasks, among these only."""
    scaled = scaled_moments(model)
    if len(scaled.counts) <= MOST_COMPARED:
        return np.asarray(relatedness_among(scaled, slice(None))[task, others])
    return np.asarray(relatedness_among(scaled, np.array([task, *others]))[0, 1:])


class WeightsMixin:
    """Relatedness and labels of a fitted MultiTaskSPCA."""

    moments_: ClassMoments
    _rules: FittedRules

    @property
    def relatedness_(self) -> Floats:
        """(n_tasks, n_tasks) cosines between the class contrasts of tasks, corrected for noise."""
        check_is_fitted(self)
        check_pairs_of_tasks(len(self.moments_.tasks), 1, "relatedness_", "explain_transfer(task)")
        return relatedness_among(scaled_moments(self), slice(None))

    @property
    def labels_(self) -> Floats:
        """(n_tasks, 1 or n_classes, n_tasks, n_classes) labels of the samples of every cell."""
        check_is_fitted(self)
        k, m = self.moments_.counts.shape
        check_pairs_of_tasks(k, m, "labels_", "coef_")
        scaled = scaled_moments(self)
        contrasts = contrasts_of(scaled, self._rules.multi_class)
        cells = np.empty((k, m, k, m))
        for i, weights in enumerate(self._rules.task_weights):
            targets = self._rules.weights_of_task == i
            cells[targets] = contrasts.cell_weights(weights)[targets]
        cells = cells[:, 1:] - cells[:, :1] if m == 2 else cells
        return np.asarray(cells / np.where(scaled.counts > 0, scaled.counts, 1.0))
