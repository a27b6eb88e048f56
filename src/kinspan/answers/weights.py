"""What every task counts for every other: arrays of tasks × tasks, computed on access."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinspan._rows.types import Floats
from kinspan.class_moments import ClassMoments
from kinspan.gram import SharedContrasts
from kinspan.metric import scaled_by
from kinspan.selection.fit import FittedRules
from kinspan.selection.rules import contrasts_of


class WeightsMixin:
    """Relatedness and labels of a fitted MultiTaskSPCA."""

    moments_: ClassMoments
    _rules: FittedRules

    @property
    def relatedness_(self) -> Floats:
        """(n_tasks, n_tasks) cosines between the class contrasts of tasks, corrected for noise."""
        check_is_fitted(self)
        scaled = scaled_by(self.moments_.effective(), self._rules.scale[:-1])
        return SharedContrasts(scaled.means, scaled.counts, scaled.cell_noise).relatedness()

    @property
    def labels_(self) -> Floats:
        """(n_tasks, 1 or n_classes, n_tasks, n_classes) labels of the samples of every cell."""
        check_is_fitted(self)
        scaled = scaled_by(self.moments_.effective(), self._rules.scale[:-1])
        contrasts = contrasts_of(scaled, self._rules.multi_class)
        k, m = scaled.counts.shape
        cells = np.empty((k, m, k, m))
        for i, weights in enumerate(self._rules.task_weights):
            targets = self._rules.weights_of_task == i
            cells[targets] = contrasts.cell_weights(weights)[targets]
        cells = cells[:, 1:] - cells[:, :1] if m == 2 else cells
        return np.asarray(cells / np.where(scaled.counts > 0, scaled.counts, 1.0))
