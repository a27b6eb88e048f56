"""Steps 3 to 5 in a row: scaled moments → the linear rules of all tasks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Floats
from kinspan.gram import EachClassContrasts, SharedContrasts, TaskRows, VersusRestContrasts
from kinspan.labels import (
    Spectrum,
    TaskWeights,
    agreed_weights,
    spectrum_of_gram,
    spectrum_of_rows,
    task_weights,
    with_some_alone,
)
from kinspan.labels.spectral import pooled_energies
from kinspan.metric import ScaledMoments
from kinspan.risk import Energies, RuleParts, alignment, error_rate
from kinspan.scores import (
    NEVER,
    Agreement,
    LinearRules,
    agreement,
    centred_rules,
    discriminant_rules,
    shrinkage,
)

Contrasts = SharedContrasts | VersusRestContrasts
CONTRASTS: dict[str, type[SharedContrasts] | type[VersusRestContrasts]] = {
    "shared": SharedContrasts,
    "each": EachClassContrasts,
    "one-vs-all": VersusRestContrasts,
}


class Solution(NamedTuple):
    """The rules of all tasks for some weights, and what their errors follow from."""

    rules: LinearRules  # scores around the centres of the tasks, in the metric
    weights: list[TaskWeights]  # of tasks: for all classes, or for each, or for each set of classes
    multi_class: str  # which of `CONTRASTS` the weights are for
    score_means: Floats  # (tasks, classes j, classes l): mean of score l over class j, unbiased
    own: Floats  # (tasks, classes l, classes j): how rule l depends on the task's own cell mean j

    @property
    def has_length(self) -> bool:
        """Whether the offsets contain −½ ‖coef‖² times the noise level."""
        return self.multi_class != "one-vs-all"


def contrasts_of(scaled: ScaledMoments, multi_class: str) -> Contrasts:
    """The contrasts of the way to treat many classes."""
    kind = CONTRASTS[multi_class]
    return kind(scaled.means, scaled.counts, scaled.cell_noise, scaled.dimension)


def solve(
    scaled: ScaledMoments, labels: str, multi_class: str, log_priors: Floats
) -> tuple[Solution, Solution]:
    """Rules of all targets at once, and those of every task alone."""
    contrasts = contrasts_of(scaled, multi_class)
    spectra = [spectrum(rows) for rows in contrasts.task_rows()]

    def solved_by(rule: str) -> Solution:
        weights = [task_weights(rule, found, scaled.counts) for found in spectra]
        return _solution(scaled, multi_class, weights, log_priors)

    alone = solved_by("single")
    return alone if labels == "single" else solved_by(labels), alone


def send_alone(
    scaled: ScaledMoments,
    log_priors: Floats,
    both: tuple[Solution, Solution],
    targets: NDArray[np.bool_],
) -> Solution:
    """The first of two solutions, with the rules of the second for some targets."""
    weights = [
        with_some_alone(together, alone, targets)
        for together, alone in zip(both[0].weights, both[1].weights, strict=True)
    ]
    return _solution(scaled, both[0].multi_class, weights, log_priors)


def spectrum(rows: TaskRows) -> Spectrum:
    """Singular values and vectors of the contrasts of tasks."""
    if rows.rows is None:
        return spectrum_of_gram(rows.products, rows.noise, rows.dimension)
    return spectrum_of_rows(rows.rows, rows.noise, rows.dimension)


def _solution(
    scaled: ScaledMoments, multi_class: str, weights: list[TaskWeights], log_priors: Floats
) -> Solution:
    contrasts, class_means = contrasts_of(scaled, multi_class), contrasts_of(scaled, "shared")
    directions = contrasts.combine(weights)
    own = contrasts.per_target([w.noise_share for w in weights])[..., None] * contrasts.coefficients
    aligned = alignment(
        directions, class_means.values, own, class_means.coefficients, scaled.cell_noise
    )
    if multi_class == "one-vs-all":
        level, present = scaled.noise_level, scaled.present
        rules = centred_rules(directions, aligned, level, log_priors, present)
    else:
        signal = contrasts.per_target([w.signal for w in weights]).sum(axis=1)
        factor = shrinkage(signal, _squares(directions), _squares(contrasts.values))
        rules = discriminant_rules(directions, factor, scaled.noise_level, log_priors)
    length = np.einsum("tlp,tlp->tl", directions, directions)
    multiple = np.einsum("tlp,tlp->tl", rules.coef, directions) / np.where(length > 0, length, 1.0)
    score_means = aligned * multiple[:, None, :] + rules.offset[:, None, :]
    own = own * multiple[..., None]
    undone = _undone(own, scaled, multi_class)
    shared_noise = np.einsum("tlj,tj->tl", undone, scaled.cell_noise)
    rules = rules._replace(offset=rules.offset + shared_noise)
    return Solution(rules, weights, multi_class, score_means, own)


def _undone(own: Floats, scaled: ScaledMoments, multi_class: str) -> Floats:
    """(tasks, classes l, classes j): what undoes the noise of cell j in the threshold of rule l.

    A direction and the centre of its task contain the same samples: with cells of different sizes
    the noise that they share would move the threshold. And −½‖coef‖² contains the noise of cells.
    """
    undone = own * scaled.class_shares[:, None, :]
    if multi_class != "one-vs-all":
        undone = undone + 0.5 * scaled.noise_level[:, None, None] * own**2
    return np.asarray(undone)


def _squares(directions: Floats) -> Floats:
    return np.asarray(np.einsum("tlp,tlp->t", directions, directions))


def isotropic_error(solution: Solution, scaled: ScaledMoments, priors: Floats) -> Floats:
    """(tasks,): the error of rules if features were uncorrelated within classes."""
    coef = solution.rules.coef
    covariance = coef @ coef.transpose(0, 2, 1) * scaled.noise_level[:, None, None]
    return error_rate(solution.score_means, covariance, np.where(scaled.present, priors, 0.0))


def energies(solution: Solution, scaled: ScaledMoments) -> Energies:
    """How far apart classes are, and how much of that the rules know.

    The square of a direction, times a common share that is signal, says more about a task of few
    labels than its own estimate of the signal.
    """
    contrasts, rules = contrasts_of(scaled, "shared"), contrasts_of(scaled, solution.multi_class)
    squared_weights = (contrasts.coefficients**2).sum(axis=1)
    n_contrasts = np.maximum(scaled.present.sum(axis=1) - 1.0, 0.0)
    several = np.where(n_contrasts > 0, n_contrasts, 1.0)
    squares = _squares(contrasts.values) / several
    noise = (squared_weights * scaled.cell_noise).sum(axis=1)
    noise = np.maximum(noise, 1e-12 * np.where(squares > 0, squares, 1.0) * several)
    freedom = scaled.dimension * (n_contrasts > 0)
    total = several * pooled_energies(squares, freedom, noise / several / scaled.dimension)
    signal = rules.per_target([w.signal for w in solution.weights]).sum(axis=1)
    share = rules.per_target([w.noise_share for w in solution.weights]).mean(axis=1)
    power = _squares(rules.combine(solution.weights))
    lent = share < 0.999
    ratio = max(signal[lent].sum(), 0.0) / max(power[lent].sum(), 1e-300)
    alone = total**2 / np.where(total + noise > 0, total + noise, 1.0)
    known = np.where(lent, ratio**2 * power, alone)
    return Energies(total, known, squared_weights * scaled.cell_noise * scaled.counts)


def rule_parts(solution: Solution, scaled: ScaledMoments) -> RuleParts:
    """What leaving out a row needs to know of the rules."""
    coef, offset = solution.rules
    half = 0.5 * scaled.noise_level * solution.has_length
    length = np.einsum("tlp,tlp->tl", coef, coef)
    return RuleParts(
        coef,
        offset + half[:, None] * length,
        half,
        solution.own,
        _undone(solution.own, scaled, solution.multi_class),
        scaled.cell_noise,
        contrasts_of(scaled, "shared").values,
        scaled.class_shares,
        scaled.counts,
    )


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


def fill_absent(
    rules: LinearRules, scaled: ScaledMoments, agreed: Floats, log_priors: Floats, share: bool
) -> tuple[LinearRules, NDArray[np.bool_]]:
    """Rules for classes that a task has no samples of: never answered, or borrowed; and which."""
    absent = ~scaled.present
    if not share:
        coef = np.where(absent[..., None], 0.0, rules.coef)
        return LinearRules(coef, np.where(absent, NEVER, rules.offset)), absent
    relative = agreed[None] - (scaled.class_shares @ agreed)[:, None, :]
    borrowed = discriminant_rules(relative, np.ones(len(absent)), scaled.noise_level, log_priors)
    coef = np.where(absent[..., None], borrowed.coef, rules.coef)
    offset = np.where(absent, borrowed.offset, rules.offset)
    return LinearRules(coef, offset), np.zeros_like(absent)
