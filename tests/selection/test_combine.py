"""Weights of every task: its own rows against what all tasks say, and no row judges itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from kinspan.selection.evidence import Evidence, evidence_of
from kinspan.selection.weights_of_all import PooledRule, pooled_weights
from kinspan.selection.weights_of_tasks import Combined, combine
from tests.selection.test_evidence import evidence_for, scores_of

EQUAL = np.full(2, 0.5)


def rules_of(scores: Any) -> list[PooledRule]:
    """Rules that have seen no row."""
    return [PooledRule(np.ones(1), of_rule) for of_rule in scores]


class Fleet(NamedTuple):
    """Left-out scores of two rules: the first is good for most tasks, the second for the last."""

    scores: Any
    tasks: Any
    classes: Any

    @property
    def evidence(self) -> Evidence:
        n = len(self.tasks)
        present = np.ones((int(self.tasks.max()) + 1, 2), bool)
        return evidence_of(self.tasks, self.classes, np.ones(n), np.ones(n, bool), present)

    def combined(self, prior: Any = EQUAL) -> Combined:
        n_tasks = int(self.tasks.max()) + 1
        return combine(rules_of(self.scores), self.evidence, prior, n_tasks)


def fleet(seed: int, sizes: Any, strangers: Any) -> Fleet:
    """Margins of 1.5 ± √3, which are log odds, of the rule that suits a task, and of 0 ± 1."""
    rng = np.random.default_rng(seed)
    tasks = np.repeat(np.arange(len(sizes)), sizes)
    classes = np.arange(len(tasks)) % 2
    is_stranger = np.isin(tasks, strangers)
    good = 1.5 + np.sqrt(3.0) * rng.normal(size=len(tasks))
    margins = np.stack([good, rng.normal(size=len(tasks))])
    margins = np.where(is_stranger, margins[::-1], margins)
    return Fleet(scores_of(margins, classes), tasks, classes)


def share_of_second(weights: Any) -> Any:
    return weights[..., 1] / weights.sum(axis=-1)


def test_a_task_of_many_rows_follows_them_and_one_of_few_follows_the_fleet() -> None:
    sizes = [40] * 20 + [4, 2000]
    found = [fleet(seed, sizes, [20, 21]).combined().weights for seed in range(5)]
    of_few, of_many, of_fleet = np.mean(
        [[share_of_second(w[20]), share_of_second(w[21]), share_of_second(w[:20]).mean()]
         for w in found], axis=0)  # fmt: skip
    assert of_fleet < 0.3
    assert of_few < 0.5
    assert of_many > 0.9


def test_tasks_that_are_the_same_have_nearly_the_same_weights() -> None:
    """Their own optima differ by chance."""
    found = fleet(0, [60] * 12, []).combined()
    assert share_of_second(found.weights).mean() < 0.1
    spread, size = np.std(found.weights, axis=0).sum(), found.weights.sum(axis=1).mean()
    assert spread < 0.2 * size
    np.testing.assert_allclose(found.weights.mean(axis=0), found.of_all, rtol=0.1, atol=0.1)


def test_copies_of_one_task_have_the_weights_of_all() -> None:
    one = fleet(0, [60], [])
    copies = Fleet(
        np.tile(one.scores, (1, 8, 1)), np.repeat(np.arange(8), 60), np.tile(one.classes, 8)
    ).combined()
    np.testing.assert_allclose(copies.weights, np.tile(copies.weights[:1], (8, 1)), atol=1e-9)


class Made(NamedTuple):
    """Two rules that are made of rows: of those of the task, and of those of all tasks."""

    products: Any  # (rows, rows): how much two rows speak for the same class, times their signs
    tasks: Any
    classes: Any

    @classmethod
    def of(cls, seed: int, n_tasks: int, n: int, signal: float) -> Made:
        rng = np.random.default_rng(seed)
        tasks, classes = np.repeat(np.arange(n_tasks), n), np.tile([0, 1], n_tasks * n // 2)
        rows = rng.normal(size=(len(tasks), 10)) + signal
        return cls(rows @ rows.T, tasks, classes)

    def without(self, i: int) -> Made:
        kept = np.arange(len(self.tasks)) != i
        return Made(self.products[kept][:, kept], self.tasks[kept], self.classes[kept])

    def scores(self, i: int | None = None) -> Any:
        """(rules, rows, classes): of every row, by all the others; or of one row."""
        here = self.tasks[:, None] == self.tasks
        margins = np.array([self._margins(here), self._margins(np.ones_like(here))])
        return scores_of(margins, self.classes) if i is None else margins[:, i]

    def _margins(self, used: Any) -> Any:
        used = used & ~np.eye(len(used), dtype=bool)
        return 0.3 * (self.products * used).sum(axis=1) / used.sum(axis=1)

    def combined(self) -> Combined:
        return Fleet(self.scores(), self.tasks, self.classes).combined()


@pytest.mark.parametrize(
    ("n_tasks", "signal", "draws", "every"), [(40, 0.0, 4, 6), (40, 0.3, 4, 6), (3, 0.2, 60, 3)]
)
def test_a_row_leaves_with_what_it_said_of_other_rows(
    n_tasks: int, signal: float, draws: int, every: int
) -> None:
    """Against everything again without the row; with its own loss gone alone, losses are .02 off.

    Scores are products of two rows: those of other rows know the row, as it knows them. With three
    tasks, the weights of all tasks follow each of their rows too.
    """
    margins = []
    for seed in range(draws):
        world = Made.of(seed, n_tasks, 6, signal)
        found, signs = world.combined(), np.where(world.classes == 1, 1.0, -1.0)
        for i in range(0, len(world.tasks), every):
            of_rules, weights = world.scores(i), world.without(i).combined().weights
            closed = signs[i] * (found.scores[i, 1] - found.scores[i, 0])
            margins.append((closed, weights[world.tasks[i]] @ of_rules))
    closed_form, again = np.array(margins).T
    losses = np.log1p(np.exp(-closed_form)).mean(), np.log1p(np.exp(-again)).mean()
    assert abs(losses[0] - losses[1]) < 0.01
    assert np.corrcoef(closed_form, again)[0, 1] > 0.95


def test_pooled_weights_of_noise_are_no_better_than_a_guess() -> None:
    """Three rules of the rows of one task; with the loss of a row gone alone they seem better."""
    errors = []
    for seed in range(300):
        rows, classes = np.random.default_rng(seed).normal(size=(32, 12)), np.tile([0, 1], 16)
        parts = [2.0 * part for part in np.split(rows, 3, axis=1)]
        margins = [(p @ p.T - np.diag((p**2).sum(axis=1))).sum(axis=1) / 31.0 for p in parts]
        world = Fleet(scores_of(np.array(margins), classes), np.zeros(32, dtype=int), classes)
        found = pooled_weights(world.scores, world.evidence, np.full(3, 1 / 3))
        errors.append([(s.argmax(axis=1) != classes).mean() for s in (found.scores, found.unseen)])
    once, unseen = np.array(errors).T
    assert unseen.mean() > 0.5 - 4 * unseen.std(ddof=1) / np.sqrt(len(unseen))
    assert once.mean() < 0.5 - 4 * once.std(ddof=1) / np.sqrt(len(once))


def test_noise_is_not_weighed_by_what_it_says_of_itself() -> None:
    """No task can learn anything: the left-out loss is that of a guess, or worse."""
    losses = []
    for seed in range(5):
        found = Made.of(seed, 100, 6, 0.0)
        evidence = Fleet(found.scores(), found.tasks, found.classes).evidence
        losses.append(evidence.losses(found.combined().scores).mean())
    error = np.std(losses, ddof=1) / np.sqrt(len(losses))
    assert np.mean(losses) > np.log(2.0) - 4 * error


def test_left_out_losses_are_not_those_of_weights_that_have_seen_the_row() -> None:
    """Two rules of noise: what is fitted to rows is better on them than on others."""
    gained = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        classes, tasks = np.tile([0, 1], 60), np.repeat(np.arange(6), 20)
        world = Fleet(scores_of(0.5 + 2.0 * rng.normal(size=(3, 120)), classes), tasks, classes)
        found, evidence = world.combined(np.full(3, 1 / 3)), world.evidence
        seen = np.einsum("nj,jnm->nm", found.weights[tasks], world.scores)
        gained.append(evidence.losses(found.scores).mean() - evidence.losses(seen).mean())
    assert min(gained) > 0.0


def permuted(world: Fleet, rows: Any, rules: Any, tasks: Any) -> Fleet:
    """Rows and rules in another order, and tasks under other numbers; rows stay sorted by task."""
    return Fleet(world.scores[rules][:, rows], tasks[world.tasks][rows], world.classes[rows])


def test_order_of_rows_rules_and_tasks_permutes_the_answer() -> None:
    rng = np.random.default_rng(0)
    world = fleet(0, [10, 20, 30, 40, 50], [3])
    rules, tasks = np.array([1, 0]), rng.permutation(5)
    rows = rng.permutation(len(world.tasks))
    rows = rows[np.argsort(tasks[world.tasks][rows], kind="stable")]
    prior = np.array([0.3, 0.7])
    plain, other = world.combined(prior), permuted(world, rows, rules, tasks).combined(prior[rules])
    np.testing.assert_allclose(other.of_all, plain.of_all[rules], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(other.weights[tasks], plain.weights[:, rules], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(other.scores, plain.scores[rows], rtol=1e-6, atol=1e-8)


def test_one_rule_for_all_tasks_has_the_weights_of_all() -> None:
    world = fleet(0, [20, 20], [])
    found = combine(rules_of(world.scores[:1]), world.evidence, np.ones(1), 2)
    of_all = pooled_weights(world.scores[:1], world.evidence, np.ones(1)).weights
    np.testing.assert_allclose(found.weights, np.tile(of_all, (2, 1)))
    np.testing.assert_allclose(found.scores, of_all[0] * world.scores[0])


def test_a_task_without_evidence_has_the_weights_of_all() -> None:
    """Its rows are scored by weights that have not seen them anyway."""
    world = fleet(0, [40] * 6 + [3], [])
    usable = world.tasks < 6
    evidence = evidence_of(
        world.tasks, world.classes, np.ones(len(usable)), usable, np.ones((7, 2), bool)
    )
    found = combine(rules_of(world.scores), evidence, EQUAL, 7)
    np.testing.assert_allclose(found.weights[6], found.of_all, rtol=1e-4)
    expected = np.tensordot(found.weights[6], world.scores[:, ~usable], axes=1)
    np.testing.assert_allclose(found.scores[~usable], expected)


def test_nobody_has_a_say_and_the_prior_decides() -> None:
    world = fleet(0, [6, 6], [])
    nobody = evidence_of(world.tasks, world.classes, np.ones(12), np.zeros(12, bool),
                         np.ones((2, 2), bool))  # fmt: skip
    prior = np.array([0.3, 0.7])
    found = combine(rules_of(world.scores), nobody, prior, 2)
    np.testing.assert_allclose(found.weights, [prior, prior])


def test_rules_that_all_speak_against_the_rows_still_have_a_direction() -> None:
    """The rule of a task may be of no use; it is never nothing, or all answers would be one."""
    rng = np.random.default_rng(0)
    classes = np.tile([0, 1], 60)
    world = Fleet(
        scores_of(-2.0 + 0.1 * rng.normal(size=(2, 120)), classes),
        np.repeat(np.arange(6), 20),
        classes,
    )
    found = world.combined()
    assert (found.weights >= 0).all()
    assert (found.weights.sum(axis=1) > 0).all()
    assert found.weights.sum(axis=1).max() < 0.1
    assert pooled_weights(world.scores, world.evidence, EQUAL).weights.sum() > 0


def test_of_two_classes_the_difference_of_scores_is_enough() -> None:
    """The second minus the first gives the same weights, and left-out scores, as both."""
    rng = np.random.default_rng(0)
    tasks, classes = np.repeat(np.arange(6), 20), np.tile([0, 1], 60)
    both = rng.normal(size=(3, 120, 2)) + scores_of(rng.normal(size=(3, 120)) + 1.0, classes)
    evidence, prior = evidence_for(tasks, classes), np.array([0.5, 0.5, 0.0])
    expected = combine(rules_of(both), evidence, prior, 6)
    difference = both[..., 1:] - both[..., :1]
    found = combine(rules_of(difference), evidence, prior, 6)
    np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-6, atol=1e-9)
    difference = expected.scores[:, 1:] - expected.scores[:, :1]
    np.testing.assert_allclose(found.scores, difference, rtol=1e-6, atol=1e-9)
    for scores in (both, both[..., 1:] - both[..., :1]):
        pooled = pooled_weights(scores, evidence, prior).weights
        expected_weights = pooled_weights(both, evidence, prior).weights
        np.testing.assert_allclose(pooled, expected_weights, rtol=1e-6)
