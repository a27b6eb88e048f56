"""The combined rules for rows as they come, with priors; also for tasks that are not fitted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Floats, Mask
from kinspan.metric import ScaledMoments
from kinspan.scores import ABSENT_PENALTY, Agreement, LinearRules, discriminant_rules
from kinspan.selection.candidates import Candidate, Options
from kinspan.selection.combination import Combination, combined_rules
from kinspan.selection.new_tasks import Places, known_classes, newcomers, places
from kinspan.selection.prepared import Prepared
from kinspan.selection.solutions import agreed, shared_rule

_LEAST_TASKS = 64  # of a block: the basis is read again for every block


class Shared(NamedTuple):
    """What tasks agree on in one metric."""

    pooled: ScaledMoments
    agreement: Agreement
    places: Places | None  # of new tasks, where there are some

    @classmethod
    def of(cls, prepared: Prepared, share: float, priors: Floats) -> Shared:
        """With a share of the covariance in the metric."""
        pooled, unlabelled = prepared.shared_in_metric(share)
        agreement, found = agreed(pooled), None
        if newcomers(pooled.counts).any():
            found = places(pooled, agreement, priors, unlabelled)
        return cls(pooled, agreement, found)


class InputUnits(NamedTuple):
    """Rules of all tasks and, last, of those that are not fitted, for rows as they come."""

    coef: Floats  # (tasks + 1, classes, features)
    intercept: Floats  # (tasks + 1, classes)

    def of_two(self) -> InputUnits:
        """Of two classes one rule, the difference of both; others stay as they are."""
        if self.coef.shape[1] != 2:
            return self
        return InputUnits(*(part[:, 1:] - part[:, :1] for part in self))


def rules_in_input_units(
    combination: Combination, prepared: Prepared, options: Options
) -> tuple[InputUnits, Mask]:
    """All rules with priors, of two classes one; (tasks + 1, classes): which are never answered."""
    counts = prepared.scaled.counts
    both, of_strangers = _relative_to_origin(combination, prepared, options)
    coef, intercept = both
    is_new = newcomers(counts)
    coef[:-1][is_new] = coef[-1]
    intercept[:-1][is_new] = of_strangers[is_new]
    if options.multi_class != "one-vs-all":
        intercept[:-1] += options.log_priors
    intercept[-1] += options.log_priors.mean(axis=0)
    missing = ~prepared.scaled.present & (not options.share_classes)
    missing = np.where(is_new[:, None], ~known_classes(counts), missing)
    absent = np.concatenate([missing, np.zeros_like(missing[:1])])
    coef[absent] = 0.0
    intercept = np.where(absent, ABSENT_PENALTY, intercept - coef @ prepared.origin)
    return InputUnits(coef, intercept).of_two(), absent


def _relative_to_origin(
    combination: Combination, prepared: Prepared, options: Options
) -> tuple[InputUnits, Floats]:
    """All rules, relative to the origin; (tasks, classes) intercepts of strangers for new tasks."""
    n_tasks, n_classes = prepared.scaled.counts.shape
    intercept, of_strangers = np.zeros((2, n_tasks + 1, n_classes))
    turned: dict[tuple[int, int], tuple[Prepared, Floats]] = {}
    for basis, group in combination.by_basis():
        strangers = _of_strangers(combination, basis, group, options)
        own = _of_tasks(combination, basis, group, prepared, options)
        intercept[:-1] += own.intercept
        of_strangers += strangers.intercept
        found = np.concatenate([own.coef, strangers.coef])
        del own  # as large as all rules
        same = id(basis.axes), id(basis.scaled.scale)  # rows of several bases are read once
        if same in turned:
            found += turned[same][1]
        turned[same] = basis, found
    coef = np.zeros((n_tasks + 1, n_classes, prepared.scaled.scale.shape[1]))
    for basis, found in turned.values():
        scale = np.broadcast_to(basis.scaled.scale, (n_tasks, coef.shape[2]))
        for rows in blocks(len(coef), coef[:1].size, least=_LEAST_TASKS):
            in_features = basis.turned_back(found[rows])
            in_features[: n_tasks - rows.start] /= scale[rows][:, None]
            in_features[n_tasks - rows.start :] /= basis.pooled.scale[0]
            coef[rows] += in_features
    intercept[-1] = of_strangers[-1]
    return InputUnits(coef, intercept), of_strangers[:-1]


def _of_tasks(
    combination: Combination,
    basis: Prepared,
    group: list[int],
    prepared: Prepared,
    options: Options,
) -> InputUnits:
    """What candidates in a basis add to the rules of all tasks, along its axes."""
    scaled = basis.scaled
    shape = (*prepared.scaled.means.shape[:2], scaled.means.shape[2])
    rules = combined_rules(combination, group, shape)
    if options.share_classes and not prepared.scaled.present.all():
        rules = _with_borrowed(rules, combination, basis, group, prepared)
    centres = np.broadcast_to(scaled.centres, rules.coef[:, 0].shape)
    return InputUnits(rules.coef, rules.offset - np.einsum("tlp,tp->tl", rules.coef, centres))


def _with_borrowed(
    rules: LinearRules,
    combination: Combination,
    basis: Prepared,
    group: list[int],
    prepared: Prepared,
) -> LinearRules:
    """Rules for classes without samples in a task, from what the other tasks agree on."""
    if len(basis.scaled.counts) < len(prepared.scaled.counts):
        return rules  # all tasks as one have all classes
    absent = ~prepared.scaled.present
    coef, offset = (
        np.where(absent[..., None], 0.0, rules.coef),
        np.where(absent, 0.0, rules.offset),
    )
    for j in group:
        candidate, amount = combination.candidates[j], combination.weights[:, j]
        problem = candidate.solution()[0]
        scaled, agreement = problem.scaled, agreed(problem.scaled)
        relative = agreement.contrasts - (scaled.class_shares @ agreement.contrasts)[:, None, :]
        ones, zeros = np.ones(len(absent)), np.zeros(absent.shape)
        found = discriminant_rules(relative, ones, scaled.noise_level, zeros)
        factor = amount * candidate.factor
        back = basis.root(candidate.share).turned_back(found.coef)
        coef += np.where(absent[..., None], factor[:, None, None] * back, 0.0)
        offset += np.where(absent, factor[:, None] * found.offset, 0.0)
    return LinearRules(coef, offset)


def _of_strangers(
    combination: Combination, basis: Prepared, group: list[int], options: Options
) -> InputUnits:
    """One coef of what tasks agree on; its intercept for every task, and for those not fitted."""
    n_tasks, n_classes = options.priors.shape
    coef = np.zeros((1, n_classes, basis.scaled.means.shape[2]))
    intercept = np.zeros((n_tasks + 1, n_classes))
    for j in group:
        amount = combination.of_strangers[j]
        if amount:
            rules = _shared_rules(combination.candidates[j], options)
            coef += amount * rules.coef
            intercept += amount * rules.offset
    return InputUnits(coef, intercept)


def _shared_rules(candidate: Candidate, options: Options) -> LinearRules:
    """What tasks agree on in one metric, in the basis.

    Offsets are relative to the origin, for every new task where it lies, if there are any.
    """
    basis = candidate.prepared
    pooled, agreement, where = Shared.of(basis, candidate.share, options.priors)
    common = shared_rule(agreement, pooled, np.zeros((1, options.priors.shape[1])))
    rules = LinearRules(candidate.factor * common.coef, candidate.factor * common.offset)
    centres = agreement.centre
    if where is not None:
        centres = np.concatenate([where.centres, centres])
    offset = rules.offset - np.einsum("lp,tp->tl", rules.coef[0], centres)
    return LinearRules(basis.root(candidate.share).turned_back(rules.coef), offset)
