"""A row of a rare class leaves: its class still counts as much as the other one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from kinspan.selection.evidence import evidence_of
from kinspan.selection.resized import resized
from kinspan.selection.weights_of_tasks import Combined, combine
from tests.selection.test_combine import rules_of

N_TASKS, COUNTS = 6, (40, 4)


class Rare(NamedTuple):
    """Two rules: differences between class means of the task, and between those of all tasks."""

    rows: Any
    tasks: Any
    classes: Any

    @classmethod
    def of(cls, seed: int, signal: float) -> Rare:
        rng = np.random.default_rng(seed)
        tasks = np.repeat(np.arange(N_TASKS), sum(COUNTS))
        classes = np.tile(np.repeat([0, 1], COUNTS), N_TASKS)
        rows = rng.normal(size=(len(tasks), 10)) + signal * classes[:, None]
        return cls(rows, tasks, classes)

    def without(self, i: int) -> Rare:
        kept = np.arange(len(self.tasks)) != i
        return Rare(*(part[kept] for part in self))

    def scores(self, row: Any = None, task: int | None = None) -> Any:
        """(rules, rows, 1) left-out scores, or (rules,) those of a new row of a task."""
        here = np.ones_like(self.tasks, bool) if task is None else self.tasks == task
        if row is not None:
            return np.array([self._rule(here, row), self._rule(np.ones_like(here), row)])
        found = np.zeros((2, len(self.tasks), 1))
        for i, t in enumerate(self.tasks):
            found[:, i, 0] = self.without(i).scores(self.rows[i], int(t))
        return found

    def _rule(self, used: Any, row: Any) -> float:
        means = [self.rows[used & (self.classes == c)].mean(axis=0) for c in (0, 1)]
        return float(0.3 * (means[1] - means[0]) @ (row - 0.5 * (means[0] + means[1])))

    def combined(self) -> Combined:
        n = len(self.tasks)
        present = np.ones((N_TASKS, 2), dtype=bool)
        rows = self.tasks, self.classes, np.ones(n), np.ones(n, dtype=bool), present
        scores = self.scores()
        return combine(rules_of(scores), evidence_of(*rows), np.full(2, 0.5), N_TASKS)


@pytest.mark.parametrize("signal", [0.0, 0.4])
def test_a_rare_row_leaves_nearly_as_if_everything_were_done_again(signal: float) -> None:
    """One of four; with its own loss gone alone, losses are .07 and .09 off instead of .03."""
    closed, again = [], []
    for seed in range(4):
        world = Rare.of(seed, signal)
        found = world.combined()
        for i in np.flatnonzero(world.classes == 1).tolist():
            t = int(world.tasks[i])
            weights = world.without(i).combined().weights[t]
            again.append(weights @ world.without(i).scores(world.rows[i], t))
            closed.append(found.scores[i, 0])
    losses = [np.log1p(np.exp(-np.array(margins))).mean() for margins in (closed, again)]
    assert abs(losses[0] - losses[1]) < 0.05
    assert np.corrcoef(closed, again)[0, 1] > 0.8


def test_rules_of_any_size_have_the_size_of_that_of_the_task() -> None:
    world = Rare.of(0, 0.4)
    n, present = len(world.tasks), np.ones((N_TASKS, 2), dtype=bool)
    evidence = evidence_of(world.tasks, world.classes, np.ones(n), np.ones(n, bool), present)
    rng, scores = np.random.default_rng(1), world.scores()
    of_task = rng.uniform(size=(N_TASKS, 2))[world.tasks]
    expected = np.einsum("nj,jnm->nm", of_task, scores)
    for larger in (1.0, rng.uniform(0.001, 50.0, size=(n, 1))):
        found = resized(scores, larger * of_task, of_task, evidence)
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    nothing = resized(scores, np.zeros((n, 2)), of_task, evidence)
    means = [expected[world.tasks == t].mean() for t in range(N_TASKS)]
    np.testing.assert_allclose(nothing[:, 0], np.array(means)[world.tasks])
    # Two rules that agree on average and in spread agree on the size of every row.
    flipped = resized(scores[::-1], of_task[:, ::-1], of_task[:, ::-1], evidence)
    np.testing.assert_allclose(flipped, expected)
