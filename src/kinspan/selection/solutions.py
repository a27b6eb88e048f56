"""Steps 3 to 5 for one metric: scaled moments → contrasts → weights of tasks → linear rules.

Equations are numbered as in docs/theory.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinspan._rows.once import computed_once
from kinspan._rows.types import Floats
from kinspan.gram import ContrastRows, EachClassContrasts, SharedContrasts, VersusRestContrasts
from kinspan.labels import (
    Response,
    Spectrum,
    TaskWeights,
    agreed_weights,
    spectral_rules,
    spectrum_of_gram,
    spectrum_of_rows,
    task_weights,
)
from kinspan.metric import ScaledMoments
from kinspan.risk import alignment, error_rate
from kinspan.scores import (
    Agreement,
    LinearRules,
    agreement,
    centred_rules,
    discriminant_rules,
    shrinkage,
)

_AT_ONCE = 1 << 17  # numbers in sets of contrasts that are copied next to each other

Contrasts = SharedContrasts | VersusRestContrasts
CONTRASTS: dict[str, type[SharedContrasts] | type[VersusRestContrasts]] = {
    "shared": SharedContrasts,
    "each": EachClassContrasts,
    "one-vs-all": VersusRestContrasts,
}


def contrasts_of(scaled: ScaledMoments, multi_class: str) -> Contrasts:
    """The contrasts that a treatment of many classes is about."""
    kind = CONTRASTS[multi_class]
    return kind(scaled.means, scaled.counts, scaled.cell_noise, scaled.dimension)


class Problem:
    """Moments in one metric, with the contrasts and spectra that all their solutions share."""

    def __init__(self, scaled: ScaledMoments, multi_class: str) -> None:
        self.scaled, self.multi_class = scaled, multi_class
        self.contrasts = contrasts_of(scaled, multi_class)

    @computed_once
    def class_means(self) -> SharedContrasts:
        """Class means around the centre of their task, whatever the contrasts are."""
        if isinstance(self.contrasts, SharedContrasts):
            return self.contrasts
        found = contrasts_of(self.scaled, "shared")
        assert isinstance(found, SharedContrasts)
        return found

    @computed_once
    def spectra(self) -> list[Spectrum]:
        """The spectrum of every set of contrasts: one for all classes, or one per class."""
        return _spectra_of([self])[0]

    @computed_once
    def noise_of_contrasts(self) -> tuple[Floats, Floats]:
        """(tasks, contrasts): the noise that contrasts share with centres, and their own."""
        scaled, contrasts = self.scaled, self.contrasts
        shared = contrasts.of_classes(scaled.class_shares * scaled.cell_noise)
        return shared, contrasts.of_variances(scaled.cell_noise)

    @property
    def is_one_set(self) -> bool:
        """Whether all tasks have all classes, with one relatedness for all of these."""
        return isinstance(self.contrasts, SharedContrasts) and self.contrasts.is_whole

    @property
    def is_discriminant(self) -> bool:
        """Whether scores are those of eq. (25), with −½ ‖coef‖², and not those of Algorithm 1."""
        return self.multi_class != "one-vs-all"


class Solution(NamedTuple):
    """The rules of all tasks for some weights, and what their errors follow from."""

    rules: LinearRules  # scores around the centres of the tasks, in the metric
    weights: list[TaskWeights]  # one for each spectrum of the problem
    own: Floats  # (tasks, classes): how rules depend on the task's own contrasts
    response: Response | None = None  # how directions follow the own contrasts, where it is known
    shrunk: Floats | None = None  # (tasks,): φ of eq. (24), where scores depend on lengths of rules


def solve(problem: Problem, labels: str, log_priors: Floats, *, shrunk: bool = True) -> Solution:
    """Rules of all targets at once, with the weights of tasks that `labels` names.

    Where left-out rows say how large scores should be, directions need not be shrunk, except for
    tasks alone with more than two classes: their scores contain squared lengths of noise.
    """
    return solve_each([problem], labels, log_priors, shrunk=shrunk)[0]


def solve_each(
    problems: Sequence[Problem], labels: str, log_priors: Floats, *, shrunk: bool = True
) -> list[Solution]:
    """The same in several metrics."""
    if labels != "spectral":
        of_problems = [
            [task_weights(labels, s, problem.scaled.counts) for s in problem.spectra]
            for problem in problems
        ]
        return [
            solution_of(problem, weights, log_priors, shrunk=shrunk)
            for problem, weights in zip(problems, of_problems, strict=True)
        ]
    found = iter(spectral_rules([s for problem in problems for s in problem.spectra]))
    solutions = []
    for problem in problems:
        some = list(itertools.islice(found, len(problem.spectra)))
        solution = solution_of(problem, [w for w, _ in some], log_priors, shrunk=shrunk)
        response = some[0][1] if problem.is_one_set else None
        solutions.append(solution._replace(response=response))
    return solutions


def solution_of(
    problem: Problem, weights: list[TaskWeights], log_priors: Floats, *, shrunk: bool = True
) -> Solution:
    """Linear rules of all targets, for the weights of tasks in each spectrum."""
    scaled, contrasts, level = problem.scaled, problem.contrasts, problem.scaled.noise_level
    directions = contrasts.combine(weights)
    noise_share = contrasts.per_target([w.noise_share for w in weights])
    length, kept = np.einsum("tlp,tlp->tl", directions, directions), None
    if problem.is_discriminant:
        factor = np.ones(len(directions))
        if shrunk or (_is_alone(weights) and length.shape[1] > 2):
            signal = contrasts.per_target([w.signal for w in weights]).sum(axis=1)
            factor = shrinkage(signal, length.sum(axis=1), squares(contrasts.values))
            kept = factor
        rules = discriminant_rules(directions, factor, level, log_priors, length, out=directions)
        multiple = (length > 0) * (factor / level)[:, None]
    else:
        aligned = _alignment(problem, directions, noise_share)
        rules = centred_rules(directions, aligned, level, log_priors, scaled.present)
        inner = np.einsum("tlp,tlp->tl", rules.coef, directions)
        multiple = inner / np.where(length > 0, length, 1.0)
    own = noise_share * multiple
    offset = rules.offset + _shared_noise(problem, own)
    return Solution(rules._replace(offset=offset), weights, own, shrunk=kept)


def _is_alone(weights: Sequence[TaskWeights]) -> bool:
    return all(not of_set.right.size for of_set in weights)


def problems_of(in_metrics: Sequence[ScaledMoments], multi_class: str) -> list[Problem]:
    """In several metrics, with spectra that are found at once."""
    problems = [Problem(scaled, multi_class) for scaled in in_metrics]
    for problem, spectra in zip(problems, _spectra_of(problems), strict=True):
        vars(problem)["spectra"] = spectra
    return problems


def _spectra_of(problems: Sequence[Problem]) -> list[list[Spectrum]]:
    sets = [problem.contrasts.task_rows() for problem in problems]
    found = iter(_decomposed([rows for of_problem in sets for rows in of_problem]))
    spectra = []
    for problem, of_problem in zip(problems, sets, strict=True):
        doubt, unevenness = problem.scaled.noise_doubt, problem.scaled.unevenness
        some = itertools.islice(found, len(of_problem))
        spectra.append([one._replace(doubt=doubt, unevenness=unevenness) for one in some])
    return spectra


def _decomposed(sets: Sequence[ContrastRows]) -> list[Spectrum]:
    """The spectrum of each of several sets, of few numbers at once."""
    rows = [of_set.rows for of_set in sets if of_set.rows is not None]
    if not 1 < len(rows) == len(sets) or len(rows) * rows[0].size > _AT_ONCE:
        return [spectrum(of_set) for of_set in sets]
    noise, dimension = (np.stack([np.asarray(s[i]) for s in sets]) for i in (2, 3))
    return spectrum_of_rows(np.stack(rows), noise, dimension).each()


def spectrum(rows: ContrastRows) -> Spectrum:
    """Singular values and vectors of the contrasts of tasks."""
    if rows.rows is None:
        return spectrum_of_gram(rows.products, rows.noise, rows.dimension)
    return spectrum_of_rows(rows.rows, rows.noise, rows.dimension)


def _alignment(problem: Problem, directions: Floats, own: Floats) -> Floats:
    means = problem.class_means
    noise, of_cells = problem.scaled.cell_noise, own[..., None] * problem.contrasts.coefficients
    return alignment(directions, means.values, of_cells, means.coefficients, noise)


def _shared_noise(problem: Problem, own: Floats) -> Floats:
    """(tasks, classes): what offsets add for noise that rules and thresholds share, eq. (26).

    A direction and the centre of its task contain the same samples: with cells of different sizes
    the noise that they share would move the threshold. And −½‖coef‖² contains the noise of cells.
    """
    centre, variance = problem.noise_of_contrasts
    shared = own * centre
    if problem.is_discriminant:
        shared += 0.5 * problem.scaled.noise_level[:, None] * own**2 * variance
    return np.asarray(shared)


def squares(directions: Floats) -> Floats:
    """(tasks,): sums over the classes of the squared lengths of directions."""
    return np.asarray(np.einsum("tlp,tlp->t", directions, directions))


def isotropic_error(solution: Solution, problem: Problem, priors: Floats) -> Floats:
    """(tasks,): the error of rules if features were uncorrelated within classes."""
    scaled, (coef, offset) = problem.scaled, solution.rules
    plain = offset - _shared_noise(problem, solution.own)
    score_means = _alignment(problem, coef, solution.own) + plain[:, None, :]
    covariance = coef @ coef.transpose(0, 2, 1) * scaled.noise_level[:, None, None]
    return error_rate(score_means, covariance, np.where(scaled.present, priors, 0.0))


def agreed(pooled: ScaledMoments) -> Agreement:
    """What tasks agree on."""
    weights = agreed_weights(pooled.counts, pooled.cell_noise)
    contrasts, coefficients = contrasts_of(pooled, "shared"), None
    if not (isinstance(contrasts, SharedContrasts) and contrasts.is_whole):
        coefficients = contrasts.coefficients
    return agreement(contrasts.values, weights, coefficients, pooled.centres, pooled.class_shares)


def shared_rule(agreement: Agreement, pooled: ScaledMoments, log_priors: Floats) -> LinearRules:
    """The rule of tasks that are not fitted."""
    level = pooled.noise_level.mean(keepdims=True)
    contrasts = agreement.contrasts[None]
    return discriminant_rules(contrasts, np.ones(1), level, log_priors.mean(axis=0)[None])
