"""Steps 3 to 6 in a row: scaled moments → the linear rules of all tasks and their errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._cell_sums import Floats
from kinspan.gram import SharedContrasts, TaskRows, VersusRestContrasts
from kinspan.labels import (
    Spectrum,
    TaskWeights,
    agreed_weights,
    spectrum_of_gram,
    spectrum_of_rows,
    task_weights,
)
from kinspan.metric import ScaledMoments
from kinspan.risk import alignment, error_rate
from kinspan.scores import (
    NEVER,
    Agreement,
    LinearRules,
    agreement,
    centred_rules,
    discriminant_rules,
    in_input_units,
    shrinkage,
)

Contrasts = SharedContrasts | VersusRestContrasts


class FittedRules(NamedTuple):
    """What the estimator keeps. The last rule is the shared one, for tasks that are not fitted."""

    coef: Floats  # (tasks + 1, 1 or classes, features), in the units of the input
    intercept: Floats  # (tasks + 1, 1 or classes)
    absent: NDArray[np.bool_]  # (tasks + 1, classes): what is never answered
    scale: Floats  # (tasks + 1, features)
    task_weights: list[TaskWeights]  # for all classes, or for each
    forecast_error: Floats  # (tasks,)
    single_task_error: Floats  # (tasks,)


def contrasts_of(scaled: ScaledMoments, multi_class: str) -> Contrasts:
    """The contrasts of the way to treat many classes."""
    kind = SharedContrasts if multi_class == "shared" else VersusRestContrasts
    return kind(scaled.means, scaled.counts, scaled.cell_noise)


def fit_rules(
    scaled: ScaledMoments,
    pooled: ScaledMoments,
    labels: str,
    multi_class: str,
    priors: Floats,
    costs: Floats,
    share_classes: bool,
) -> FittedRules:
    """All targets at once; `pooled` is in the scale of tasks that are not fitted."""
    log_priors = np.log(priors * costs)
    contrasts = contrasts_of(scaled, multi_class)
    spectra = [_spectrum(rows) for rows in contrasts.task_rows()]
    weights = [task_weights(labels, spectrum, scaled.counts) for spectrum in spectra]
    rules, score_means = _rules(scaled, contrasts, weights, log_priors)
    own = [task_weights("single", spectrum, scaled.counts) for spectrum in spectra]
    alone, means_alone = _rules(scaled, contrasts, own, log_priors)
    agreed = _agreement(pooled)
    filled = _fill_absent(rules, scaled, agreed.contrasts, log_priors, share_classes)
    coef, intercept = in_input_units(filled, scaled.centres, scaled.scale)
    shared = _shared_rule(agreed.contrasts, pooled, log_priors)
    shared_coef, shared_intercept = in_input_units(shared, agreed.centre, pooled.scale)
    none_absent = np.zeros_like(scaled.present[:1])
    return FittedRules(
        np.concatenate([coef, shared_coef]),
        np.concatenate([intercept, shared_intercept]),
        np.concatenate([~scaled.present & (not share_classes), none_absent]),
        np.concatenate([np.broadcast_to(scaled.scale, scaled.centres.shape), pooled.scale]),
        weights,
        _error(rules, score_means, scaled, priors),
        _error(alone, means_alone, scaled, priors),
    )


def _spectrum(rows: TaskRows) -> Spectrum:
    if rows.rows is None:
        return spectrum_of_gram(rows.products, rows.noise, rows.dimension)
    return spectrum_of_rows(rows.rows, rows.noise, rows.dimension)


def _rules(
    scaled: ScaledMoments, contrasts: Contrasts, weights: list[TaskWeights], log_priors: Floats
) -> tuple[LinearRules, Floats]:
    """The rules that some weights give, and the mean of every score (l) over every class (j)."""
    directions = contrasts.combine(weights)
    own = contrasts.per_target([w.noise_share for w in weights])[..., None] * contrasts.coefficients
    class_means = contrasts_of(scaled, "shared")
    aligned = alignment(
        directions, class_means.values, own, class_means.coefficients, scaled.cell_noise
    )
    if isinstance(contrasts, VersusRestContrasts):
        level, present = scaled.noise_level, scaled.present
        rules = centred_rules(directions, aligned, level, log_priors, present)
    else:
        signal = contrasts.per_target([w.signal for w in weights])[:, 0]
        factor = shrinkage(signal, _squares(directions), _squares(contrasts.values))
        rules = discriminant_rules(directions, factor, scaled.noise_level, log_priors)
    length = np.einsum("tlp,tlp->tl", directions, directions)
    multiple = np.einsum("tlp,tlp->tl", rules.coef, directions) / np.where(length > 0, length, 1.0)
    score_means = aligned * multiple[:, None, :] + rules.offset[:, None, :]
    # A direction and the centre of its task contain the same samples: with cells of different
    # sizes the noise that they share would move the threshold.
    shared_noise = np.einsum("tlj,tj->tl", own, scaled.class_shares * scaled.cell_noise)
    return rules._replace(offset=rules.offset + multiple * shared_noise), score_means


def _squares(directions: Floats) -> Floats:
    return np.asarray(np.einsum("tlp,tlp->t", directions, directions))


def _error(
    rules: LinearRules, score_means: Floats, scaled: ScaledMoments, priors: Floats
) -> Floats:
    covariance = rules.coef @ rules.coef.transpose(0, 2, 1) * scaled.noise_level[:, None, None]
    return error_rate(score_means, covariance, np.where(scaled.present, priors, 0.0))


def _agreement(pooled: ScaledMoments) -> Agreement:
    weights = agreed_weights(pooled.counts, pooled.cell_noise)
    coefficients = contrasts_of(pooled, "shared").coefficients
    return agreement(pooled.means, weights, coefficients, pooled.centres, pooled.class_shares)


def _shared_rule(agreed: Floats, pooled: ScaledMoments, log_priors: Floats) -> LinearRules:
    level = pooled.noise_level.mean(keepdims=True)
    return discriminant_rules(agreed[None], np.ones(1), level, log_priors.mean(axis=0)[None])


def _fill_absent(
    rules: LinearRules, scaled: ScaledMoments, agreed: Floats, log_priors: Floats, share: bool
) -> LinearRules:
    """Rules for the classes that a task has no samples of: never answered, or borrowed."""
    absent = ~scaled.present
    if not absent.any():
        return rules
    if not share:
        coef = np.where(absent[..., None], 0.0, rules.coef)
        return LinearRules(coef, np.where(absent, NEVER, rules.offset))
    relative = agreed[None] - (scaled.class_shares @ agreed)[:, None, :]
    borrowed = discriminant_rules(relative, np.ones(len(absent)), scaled.noise_level, log_priors)
    coef = np.where(absent[..., None], borrowed.coef, rules.coef)
    return LinearRules(coef, np.where(absent, borrowed.offset, rules.offset))
