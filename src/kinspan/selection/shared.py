"""What tasks agree on, the rule that follows from it, and the tasks that depend on that rule."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats, Mask
from kinspan.labels import agreed_weights
from kinspan.metric import ScaledMoments
from kinspan.scores import Agreement, LinearRules, agreement, discriminant_rules
from kinspan.selection.solutions import contrasts_of


def agreed(pooled: ScaledMoments) -> Agreement:
    """What tasks agree on."""
    weights = agreed_weights(pooled.counts, pooled.cell_noise)
    coefficients = contrasts_of(pooled, "shared").coefficients
    return agreement(pooled.means, weights, coefficients, pooled.centres, pooled.class_shares)


def shared_rule(agreement: Agreement, pooled: ScaledMoments, log_priors: Floats) -> LinearRules:
    """The rule of tasks that are not fitted."""
    level = pooled.noise_level.mean(keepdims=True)
    contrasts = agreement.contrasts[None]
    return discriminant_rules(contrasts, np.ones(1), level, log_priors.mean(axis=0)[None])


def newcomers(counts: Floats) -> Mask:
    """(tasks,): tasks without two classes, if others have such classes and know theirs."""
    present = counts > 0
    is_new = present.sum(axis=1) < 2
    unheard = ~known_classes(counts)
    return np.asarray(is_new & ~is_new.all() & ~(present & unheard).any(axis=1))


def known_classes(counts: Floats) -> Mask:
    """(classes,): those of the tasks that have two or more."""
    present = counts > 0
    return np.asarray(present[present.sum(axis=1) > 1].any(axis=0))
