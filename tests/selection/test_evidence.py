"""Every decision flips where its constant says, and its evidence equals a naive computation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kinspan.selection import decisions
from kinspan.selection.evidence import (
    best_scale,
    better_as_one,
    each_class_is_better,
    least_loss,
    metrics_of_tasks,
    optimism,
    prefer_alone,
    wrong_class_probability,
)

JUST = 1e-6


def with_statistic(t: float, n: int, spread: float = 0.01) -> Any:
    """(n,) values whose mean is t standard errors."""
    values = np.random.default_rng(n).normal(size=n)
    values = (values - values.mean()) / values.std(ddof=1)
    return spread * (values + t / np.sqrt(n))


def rows_of(tasks: Any, classes: Any = None) -> Any:
    tasks = np.asarray(tasks)
    classes = np.zeros_like(tasks) if classes is None else np.asarray(classes)
    return SimpleNamespace(tasks=tasks, classes=classes, weights=np.ones(len(tasks)))


def losing(losses: Any) -> Any:
    return SimpleNamespace(losses=np.asarray(losses))


def goes_alone(differences: Any, tasks: Any, n_tasks: int, present: Any = None) -> Any:
    """Tasks that go alone where rules together lose that much more than alone."""
    together, alone = losing(1.0 + differences), losing(np.ones(len(differences)))
    present = np.ones((n_tasks, 2), bool) if present is None else present
    of_task = np.zeros(n_tasks, int)
    return prefer_alone([together], [alone], of_task, rows_of(tasks), present).tolist()


@pytest.mark.parametrize("n", [10, 40, 1000])
def test_tasks_stay_together_from_a_number_of_standard_errors_on(n: int) -> None:
    needed, tasks = 1.0 + decisions.TOGETHER.constant / n, np.zeros(n, int)
    assert goes_alone(with_statistic(-needed + JUST, n), tasks, 1) == [True]
    assert goes_alone(with_statistic(-needed - JUST, n), tasks, 1) == [False]


def test_rows_or_tasks_may_speak_for_staying_together() -> None:
    """A large task is better off together, three small ones are not: all rows decide."""
    tasks = np.repeat([0, 1, 2, 3], [900, 30, 30, 30])
    differences = np.concatenate([with_statistic(-6, 900, 0.3)] + [with_statistic(1, 30, 0.3)] * 3)
    assert not any(goes_alone(differences, tasks, 4))


def test_a_target_leaves_from_a_number_of_standard_errors_on() -> None:
    tasks, crowd = np.repeat([0, 1], [400, 50]), with_statistic(-30, 400)
    for t, leaves in ((decisions.LEAVES.constant - JUST, False), (2.0 + JUST, True)):
        differences = np.concatenate([crowd, with_statistic(t, 50)])
        assert goes_alone(differences, tasks, 2) == [False, leaves]


def test_nobody_is_asked_where_most_tasks_cannot_leave_a_row_out() -> None:
    tasks, against = np.zeros(50, int), with_statistic(9, 50)
    assert goes_alone(against, tasks, 2) == [True, True]
    assert goes_alone(against, tasks, 3) == [False] * 3
    one_class = np.array([[True, True], [True, False], [True, False]])  # these are not asked
    assert goes_alone(against, tasks, 3, one_class) == [True] * 3


def as_one(gains: Any, tasks: Any, n_tasks: int) -> Any:
    """Tasks that may take the rule of all, which gives that much less to wrong classes."""
    own = np.full(len(gains), 0.5)
    pooled, alone = ([losing(-np.log1p(-wrong))] for wrong in (own - gains, own))
    return better_as_one(pooled, alone, rows_of(tasks), (n_tasks, 2)).tolist()


@pytest.mark.parametrize("n", [60, 300, 3000])
def test_one_rule_for_all_needs_the_more_errors_the_fewer_rows(n: int) -> None:
    needed, tasks = decisions.AS_ONE.constant / n, np.zeros(n, int)
    assert as_one(with_statistic(needed + JUST, n), tasks, 1) == [True]
    assert as_one(with_statistic(needed - JUST, n), tasks, 1) == [False]


def test_no_task_takes_the_rule_of_all_against_its_own_rows() -> None:
    tasks = np.repeat([0, 1], [2000, 50])
    for t, takes in ((JUST, True), (-JUST, False)):
        gains = np.concatenate([with_statistic(20, 2000), with_statistic(t, 50)])
        assert as_one(gains, tasks, 2) == [True, takes]


def test_a_relatedness_for_each_class_needs_four_standard_errors() -> None:
    weights: Any = SimpleNamespace(weights=np.ones(200))
    for t, is_better in ((4.0 + JUST, True), (4.0 - JUST, False)):
        each, shared = losing(np.ones(200)), losing(1.0 + with_statistic(t, 200))
        assert each_class_is_better(each, shared, weights) is is_better


def test_the_wider_scale_needs_more_than_rounding() -> None:
    def judged(loss: float) -> Any:
        return SimpleNamespace(calibration=SimpleNamespace(loss=loss))

    assert best_scale([judged(0.5), judged(0.5)]) == 0
    assert best_scale([judged(0.5), judged(0.5 - 0.5e-9)]) == 0
    assert best_scale([judged(0.5), judged(0.5 - 2e-9)]) == 1
    assert best_scale([judged(0.5), judged(0.6)]) == 0


def naive_choice(losses: Any, tasks: Any, classes: Any, weights: Any, n_tasks: int) -> list[int]:
    """The same as `least_loss`, a task, a class and a candidate at a time."""
    chosen, cells = [], {(t, c) for t, c, w in zip(tasks, classes, weights, strict=True) if w > 0}

    def mean(candidate: int, cell: tuple[int, int]) -> float:
        of_cell = (tasks == cell[0]) & (classes == cell[1])
        return float(np.average(losses[candidate][of_cell], weights=weights[of_cell]))

    for t in range(n_tasks):
        own = [cell for cell in cells if cell[0] == t]
        totals = []
        for candidate in range(len(losses)):
            pooled = np.mean([mean(candidate, cell) for cell in cells])
            alone = np.mean([mean(candidate, cell) for cell in own]) if own else 0.0
            n = weights[tasks == t].sum()
            totals.append(n * alone + decisions.METRIC.constant * pooled)
        chosen.append(int(np.argmin(np.round(totals, 9))))
    return chosen


@pytest.mark.parametrize("seed", range(6))
def test_metrics_are_those_of_a_naive_computation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_tasks = 400, 5
    tasks = np.sort(rng.choice(n_tasks, n, p=[0.6, 0.2, 0.1, 0.08, 0.02]))
    classes = (rng.random(n) < 0.1).astype(int)  # classes of very different sizes count equally
    weights = rng.integers(0, 3, n).astype(float)
    losses = rng.random((4, n)) * (1.0 + 0.3 * rng.random((4, n_tasks)))[:, tasks]
    found = least_loss(losses, weights, tasks * 2 + classes, (n_tasks, 2))
    assert found.tolist() == naive_choice(losses, tasks, classes, weights, n_tasks)


def test_a_task_follows_the_others_until_its_own_rows_outweigh_a_hundred() -> None:
    """All others lose .1 more with the second metric, the task .1 less: 100 rows against n."""
    for n, own_choice in ((90, 0), (120, 1)):
        tasks = np.repeat(np.arange(21), [n] + [50] * 20)
        second = np.where(tasks == 0, 0.4, 0.6)
        losses = [losing(-np.log1p(-wrong)) for wrong in (np.full(len(tasks), 0.5), second)]
        rows = rows_of(tasks, np.arange(len(tasks)) % 2)
        found = metrics_of_tasks(losses, rows, (21, 2))
        pooled = 0.1 * (20 - 1) / 21 * decisions.METRIC.constant
        assert (n * 0.1 > pooled) == bool(own_choice)
        assert found.tolist() == [own_choice] + [0] * 20


def test_rounding_does_not_decide_between_metrics() -> None:
    losses = np.full((2, 40), 0.5)
    losses[1] -= 1e-14
    cells = np.arange(40) % 2
    assert least_loss(losses, np.ones(40), cells, (1, 2)).tolist() == [0]


def test_losses_become_probabilities_of_wrong_classes() -> None:
    right = np.array([0.9, 0.5, 0.1])
    found = wrong_class_probability([losing(-np.log(right))])
    np.testing.assert_allclose(found, [1.0 - right])


@pytest.mark.parametrize("seed", range(4))
def test_optimism_is_what_a_choice_by_the_other_half_costs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_tasks = 60, 3
    tasks, classes = np.sort(rng.integers(0, n_tasks, n)), rng.integers(0, 2, n)
    losses, keys = 3.0 * rng.random((8, n)), rng.integers(0, 2**63, n, dtype=np.uint64)
    wrong = (losses > np.log(2)).astype(float)
    sample: Any = SimpleNamespace(
        weights=np.ones(n),
        keys=keys,
        classes=np.arange(2),
        cells=tasks * 2 + classes,
        task_codes=tasks,
    )
    candidates: Any = [
        SimpleNamespace(losses=loss, wrong=w) for loss, w in zip(losses, wrong, strict=True)
    ]
    probability = 1.0 - np.exp(-losses)
    metrics = np.array(naive_choice(probability, tasks, classes, np.ones(n), n_tasks))
    counted = 0.0
    for half in (0, 1):
        choosing = keys % 2 == half  # whose rows count double: all were as many
        chosen = naive_choice(probability, tasks, classes, 2.0 * choosing, n_tasks)
        counted += sum(wrong[chosen[tasks[i]], i] for i in np.flatnonzero(~choosing))
    own = sum(wrong[metrics[tasks[i]], i] for i in range(n))
    assert optimism(candidates, metrics, sample) == pytest.approx(max(counted - own, 0.0) / n)
    assert optimism(candidates[:1], metrics, sample) == 0.0


def test_the_table_of_decisions_says_what_why_and_by_which_evidence() -> None:
    named = [value for value in vars(decisions).values() if isinstance(value, decisions.Decision)]
    assert list(decisions.DECISIONS) == named
    assert len({decision.what for decision in named}) == len(named)
    for decision in named:
        assert decision.constant > 0
        assert min(map(len, (decision.what, decision.evidence, decision.why))) > 20
