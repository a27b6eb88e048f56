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
from kinspan.metric import Root, ScaledMoments
from kinspan.risk import RuleParts, SharedPart, SharedProducts, alignment, error_rate
from kinspan.scores import (
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
        doubt = self.scaled.noise_doubt
        return [spectrum(rows)._replace(doubt=doubt) for rows in self.contrasts.task_rows()]

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


def solve(problem: Problem, labels: str, log_priors: Floats, *, shrunk: bool = True) -> Solution:
    """Rules of all targets at once, with the weights of tasks that `labels` names.

    Where left-out rows say how large scores should be, directions need not be shrunk.
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
    scaled, contrasts = problem.scaled, problem.contrasts
    directions = contrasts.combine(weights)
    noise_share = contrasts.per_target([w.noise_share for w in weights])
    if problem.is_discriminant:
        factor = np.ones(len(directions))
        if shrunk:
            signal = contrasts.per_target([w.signal for w in weights]).sum(axis=1)
            factor = shrinkage(signal, squares(directions), squares(contrasts.values))
        rules = discriminant_rules(directions, factor, scaled.noise_level, log_priors)
    else:
        aligned = _alignment(problem, directions, noise_share)
        level = scaled.noise_level
        rules = centred_rules(directions, aligned, level, log_priors, scaled.present)
    length = np.einsum("tlp,tlp->tl", directions, directions)
    multiple = np.einsum("tlp,tlp->tl", rules.coef, directions) / np.where(length > 0, length, 1.0)
    own = noise_share * multiple
    offset = rules.offset + _shared_noise(problem, own)
    return Solution(rules._replace(offset=offset), weights, own)


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


Solved = tuple[Problem, Solution]


def rule_parts(solved: Sequence[Sequence[Solved]], roots: Sequence[Root]) -> RuleParts:
    """What leaving out a row needs to know of rules that were not shrunk.

    For every metric, all of its solutions.
    """
    first, is_discriminant = solved[0][0][0], solved[0][0][0].is_discriminant
    found = [_Columns.of_metric(some, by) for some, by in zip(solved, roots, strict=True)]
    in_metrics = [some[0][0].scaled for some in solved]
    level = np.stack([scaled.noise_level for scaled in in_metrics], axis=1)
    two = first.scaled.counts.shape[1] == 2
    return RuleParts(
        np.stack([columns.coef for columns in found], axis=1),
        np.stack([columns.offset for columns in found], axis=1),
        np.stack([columns.own for columns in found], axis=1),
        np.stack([columns.undone for columns in found], axis=1),
        np.stack([scaled.cell_noise for scaled in in_metrics], axis=2),
        roots[0].restored(first.class_means.values),
        first.contrasts.coefficients.transpose(0, 2, 1)[..., 1 if two else 0 :],
        first.scaled.class_shares,
        first.scaled.counts,
        0.5 * level if is_discriminant and not two else None,
        level * first.scaled.scale.shape[1] if is_discriminant else None,
        [
            _shared_part(solved[s][j], s, j, roots[s].root)
            for s, j in np.ndindex(len(solved), len(solved[0]))
            if _has_shared_part(solved[s][j][1])
        ],
    )


def _of_scores(of_classes: Floats) -> Floats:
    """(tasks, classes, …) → (tasks, scores, …): of two classes, the second minus the first.

    Their directions mirror each other: −½‖coef‖² is the same for both.
    """
    return of_classes[:, 1:] - of_classes[:, :1] if of_classes.shape[1] == 2 else of_classes


class _Columns(NamedTuple):
    """The scores of all solutions in one metric, side by side."""

    coef: Floats  # (tasks, columns, directions), for rows before the metric
    offset: Floats  # (tasks, columns), without −½‖coef‖²
    own: Floats  # (tasks, columns)
    undone: Floats  # (tasks, columns)

    @classmethod
    def of_metric(cls, solved: Sequence[Solved], root: Root) -> _Columns:
        """Of all solutions in a metric."""
        found = [cls._of(problem, solution) for problem, solution in solved]
        coef, *rest = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
        return cls(root.turned_back(coef), *rest)

    @classmethod
    def _of(cls, problem: Problem, solution: Solution) -> _Columns:
        scaled, (coef, offset) = problem.scaled, solution.rules
        own = undone = solution.own
        if problem.is_discriminant:
            length = np.einsum("tlp,tlp->tl", coef, coef)
            offset = offset + 0.5 * scaled.noise_level[:, None] * length
        if solution.response is not None:
            own = np.repeat((solution.response.kept / scaled.noise_level)[:, None], len(own.T), 1)
        if own.shape[1] == 2:  # contrasts mirror each other, and both rules follow one of them
            own, undone = (part.sum(axis=1, keepdims=True) for part in (own, undone))
        return cls(_of_scores(coef), _of_scores(offset), own, undone)


def _has_shared_part(solution: Solution) -> bool:
    return solution.response is not None and bool(solution.response.vectors.size)


def _shared_part(solved: Solved, metric: int, place: int, root: Floats) -> SharedPart:
    """Directions of the others."""
    problem, response = solved[0], solved[1].response
    assert response is not None
    basis = _of_scores(np.tensordot(response.rows, problem.contrasts.values, axes=1)) / root
    columns = slice(place * basis.shape[1], (place + 1) * basis.shape[1])
    gain = response.gain / problem.scaled.noise_level[:, None, None]
    products = None
    if basis.shape[1] > 1:  # of two classes, both rules are equally long
        by_column = basis.transpose(1, 0, 2)
        stretched = (by_column * root**2).transpose(0, 2, 1)
        coef = (solved[1].rules.coef / root).transpose(1, 0, 2)
        products = SharedProducts((coef @ stretched).transpose(1, 2, 0), by_column @ stretched)
    return SharedPart(metric, columns, basis, response.vectors, gain, products)


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
