"""Candidates and their weights in every task → the combined rules, and who lends to whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Floats
from kinspan.labels import TaskWeights, task_weights
from kinspan.risk import Forecast, Ways
from kinspan.scores import LinearRules
from kinspan.selection.candidates import Candidate, Family
from kinspan.selection.evidence import Evidence
from kinspan.selection.prepared import Prepared
from kinspan.selection.weights_of_all import PooledRule
from kinspan.selection.weights_of_tasks import Combined

_POOLED, _ALONE = ("naive",), ("single", "own")  # labels of candidates


class LeftOutScores(NamedTuple):
    """What scores of left-out rows follow from, by weights that have not seen them."""

    together: Combined
    alone: PooledRule | None  # None where all go alone

    @property
    def size(self) -> int:
        """Numbers in the scores by single candidates."""
        rules = [*self.together.rules, *([] if self.alone is None else [self.alone])]
        return sum((rule.seen or rule).scores.size for rule in rules)

    def found(self) -> OfRules:
        """Scores of all rows."""
        scores, sized = self.together.scores, self.together.sized
        if self.alone is None:
            return OfRules(scores, sized, scores, sized)
        return OfRules(scores, sized, self.alone.unseen, self.alone.unseen)


class OfRules(NamedTuple):
    """(rows, 1 or classes): scores of left-out rows; sized, as if by the rule of the task."""

    scores: Floats
    sized: Floats
    alone: Floats  # for every task alone
    alone_sized: Floats


class Combination(NamedTuple):
    """What every task's rule is made of, and what left-out rows say of it."""

    candidates: list[Candidate]
    weights: Floats  # (tasks, candidates)
    of_strangers: Floats  # (candidates,): for tasks that are not fitted
    reference: Candidate  # in whose metric energies and formulas are computed
    evidence: Evidence | None  # None without rows
    alone: Candidate | Forecast  # every task alone, or what the formula says of it
    left_out: LeftOutScores | None  # None without rows

    @classmethod
    def of(
        cls, families: Sequence[Family], both: Combined, alone: Family, evidence: Evidence
    ) -> Combination:
        """Families weighed by tasks, each of candidates weighed by all tasks."""
        goes_alone = len(both.weights) == 1 or [f.name for f in families] == ["single"]
        candidates = [c for family in families for c in family.candidates]
        of_families = np.zeros((len(families), len(candidates)))
        start = 0
        for i, family in enumerate(families):
            of_families[i, start : start + len(family.candidates)] = family.rule.weights
            start += len(family.candidates)
        weights = both.weights @ of_families
        named = [f.name for f in families]
        stranger = of_families[named.index("naive") if "naive" in named else 0]
        stranger = _around_places(stranger, candidates, len(weights))
        return cls(
            candidates,
            weights,
            stranger,
            _reference(candidates, weights),
            evidence,
            alone.candidates[int(alone.rule.weights.argmax())],
            LeftOutScores(both, None if goes_alone else alone.rule),
        )

    @classmethod
    def without_rows(cls, chosen: Candidate, alone: Forecast, n_tasks: int) -> Combination:
        """One candidate for all."""
        return cls([chosen], np.ones((n_tasks, 1)), np.ones(1), chosen, None, alone, None)

    def by_basis(self) -> Iterator[tuple[Prepared, list[int]]]:
        """Every basis, and the candidates in it that have weight in some rule."""
        groups: dict[int, list[int]] = {}
        for j in np.flatnonzero(self.weights.any(axis=0) | (self.of_strangers != 0)).tolist():
            groups.setdefault(id(self.candidates[j].prepared), []).append(j)
        for group in groups.values():
            yield self.candidates[group[0]].prepared, group

    def shares(self) -> Floats:
        """(tasks,): the mean share of the covariance in the metrics of a rule."""
        common = np.array([c.labels != "own" for c in self.candidates])
        share = np.array([c.share if c.labels != "own" else 0.0 for c in self.candidates])
        total = self.weights @ common
        return np.asarray(self.weights @ (share * common) / np.where(total > 0, total, 1.0))

    def ways(self) -> Ways:
        """How every rule is learnt: from all tasks alike, from related ones, or alone."""
        parts = [
            self.weights[:, [c.labels in names for c in self.candidates]].sum(axis=1)
            for names in (_POOLED, _ALONE)
        ]
        return Ways.of(parts[0], self.weights.sum(axis=1) - parts[0] - parts[1], parts[1])

    def task_weights(self) -> list[TaskWeights]:
        """For every set of contrasts: what every task counts in the rule of every target."""
        problem, solution = self.reference.solution()
        if problem.multi_class == "one-vs-all":
            return solution.weights
        n_sets = len(problem.spectra)
        parts: list[list[tuple[Floats, TaskWeights]]] = [[] for _ in range(n_sets)]
        for j, candidate in enumerate(self.candidates):
            amount = self.weights[:, j] * candidate.factor
            if not amount.any():
                continue
            of_sets = self._weights_of(candidate)
            for i in range(n_sets):
                parts[i].append((amount, of_sets[min(i, len(of_sets) - 1)]))
        return [_sum_of_weights(of_set) for of_set in parts]

    def _weights_of(self, candidate: Candidate) -> list[TaskWeights]:
        """In every set of contrasts; a rule of one relatedness per class counts with their mean."""
        problem = self.reference.solution()[0]
        counts = problem.scaled.counts
        if candidate.labels == "own":
            return [task_weights("single", spectrum, counts) for spectrum in problem.spectra]
        if len(candidate.prepared.scaled.counts) < len(self.weights):
            return [task_weights("naive", spectrum, counts) for spectrum in problem.spectra]
        found = candidate.weights or candidate.solution()[1].weights
        if candidate.multi_class == "each":
            equal = np.full(len(counts), 1.0 / len(found))
            return [_sum_of_weights([(equal, weights) for weights in found])]
        return found


def combined_rules(
    combination: Combination, group: list[int], shape: tuple[int, ...]
) -> LinearRules:
    """Rules of all tasks in one basis, around their centres there."""
    coef, offset = np.zeros(shape), np.zeros(shape[:2])
    for j in group:
        amount = combination.weights[:, j]
        if not amount.any():
            continue
        rules = combination.candidates[j].rules()
        of_tasks = np.broadcast_to(rules.coef, shape)  # all tasks as one have one rule
        for tasks in blocks(len(coef), coef[:1].size):
            coef[tasks] += amount[tasks, None, None] * of_tasks[tasks]
        offset += amount[:, None] * rules.offset
    return LinearRules(coef, offset)


def _around_places(weights: Floats, candidates: Sequence[Candidate], n_tasks: int) -> Floats:
    """Weights of rules that a new task can move to where it lies: not of all tasks as one."""
    is_as_one = [len(c.prepared.scaled.counts) < n_tasks for c in candidates]
    moved = weights.copy()
    for j in np.flatnonzero(is_as_one & (weights != 0)).tolist():
        same = [
            i
            for i, c in enumerate(candidates)
            if c.labels == "naive" and c.share == candidates[j].share and not is_as_one[i]
        ]
        moved[min(same, key=lambda i: _unevenness(candidates[i].prepared))] += moved[j]
        moved[j] = 0.0
    return moved


def _unevenness(prepared: Prepared) -> float:
    """How far the units of features are from each other: all tasks as one have one unit."""
    return float(np.ptp(np.log(prepared.scaled.scale)))


def _reference(candidates: Sequence[Candidate], weights: Floats) -> Candidate:
    """Of the spectral candidates, or else of all, the one with most weight, and its rules."""
    spectral = [c.labels == "spectral" and c.multi_class != "each" for c in candidates]
    total = weights.sum(axis=0)
    best = int((np.where(spectral, total, -1.0) if any(spectral) else total).argmax())
    return candidates[best]._replace(solved=candidates[best].solution())


def _sum_of_weights(parts: Sequence[tuple[Floats, TaskWeights]]) -> TaskWeights:
    """Σ amount_t · weights, as factors."""
    amounts = sum(amount for amount, _ in parts)
    safe = np.where(amounts != 0, amounts, 1.0)
    return TaskWeights(
        np.concatenate([amount[:, None] * w.left for amount, w in parts], axis=1),
        np.concatenate([w.right for _, w in parts]),
        np.asarray(sum(amount * w.diagonal for amount, w in parts)),
        np.asarray(sum(amount * w.noise_share for amount, w in parts) / safe),
        np.asarray(sum(amount * w.signal for amount, w in parts) / safe),
    )
