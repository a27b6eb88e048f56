"""Other units and minorities: the worlds are what their kinds say, and so are their limits."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.bars import BARS, figures, standings
from benchmarks.worlds.hostile import KINDS, hostile_world
from benchmarks.worlds.judged import Outcome
from benchmarks.worlds.minority import related_to_majority

SEEDS = range(100, 112)


def test_new_kinds_come_last() -> None:
    old = ["label noise", "heavy tails", "covariate shift", "permuted labels", "copies"]
    assert list(KINDS) == [*old, "giant noise", "other units", "minority"]


def test_some_tasks_have_some_columns_in_other_units() -> None:
    variants = set()
    for seed in SEEDS:
        world = hostile_world("other units", seed)
        roots, p = world.population.roots, world.settings["p"]
        size = np.linalg.norm(roots, axis=1)  # (tasks, features)
        factors = size / size[~world.attacked][0]
        assert not world.attacked.all()
        np.testing.assert_allclose(factors[~world.attacked], 1)
        changed = ~np.isclose(factors[world.attacked], 1)
        assert (changed.sum(axis=1) == changed[0].sum()).all()
        assert 1 <= changed[0].sum() <= max(1, round(p / 2))
        assert (factors[world.attacked][changed] >= 2).all()
        assert (factors[world.attacked][changed] <= 100 + 1e-9).all()
        variants.add(world.settings["variant"])
    assert variants == {"one unit", "many units"}


def test_rows_are_in_the_units_of_the_population() -> None:
    for seed in SEEDS:
        world = hostile_world("other units", seed)
        means, roots = world.population.means, world.population.roots
        spread = np.sqrt((roots**2).sum(axis=1))[world.task]
        deviation = (world.X - means[world.task, world.y]) / spread
        assert np.abs(deviation).max() < 7
        np.testing.assert_allclose((deviation**2).mean(), 1, atol=0.5)


def test_a_minority_has_few_labels_beside_a_majority() -> None:
    for seed in SEEDS:
        world = hostile_world("minority", seed)
        cells = np.zeros(world.population.means.shape[:2], int)
        np.add.at(cells, (world.task, world.y), 1)
        assert world.honest.all()
        assert 15 <= (~world.attacked).sum() <= 25
        assert 2 <= world.attacked.sum() <= 6
        assert 3 <= cells[world.attacked].min() <= cells[world.attacked].max() <= 20
        assert 20 <= cells[~world.attacked].min() <= cells[~world.attacked].max() <= 60


@pytest.mark.parametrize("variant", ["apart", "together"])
def test_cosines_to_the_majority(variant: str) -> None:
    attacked = np.arange(24) >= 20
    for seed in range(5):
        rng = np.random.default_rng(seed)
        flat = related_to_majority(rng, attacked, (3, 200), variant).reshape(24, -1)
        flat /= np.linalg.norm(flat, axis=1, keepdims=True)
        cosines = flat @ flat.T
        agreed = flat[:20].mean(axis=0) / np.linalg.norm(flat[:20].mean(axis=0))
        majority = cosines[:20, :20][np.triu_indices(20, 1)]
        assert 0.8 < majority.min() < majority.max() < 1
        assert (np.abs(flat[20:] @ agreed - 0.25) < 0.3).all()
        minority = cosines[20:, 20:][np.triu_indices(4, 1)]
        assert (minority > 0.7).all() if variant == "together" else (minority < 0.5).all()


def test_limits_are_means_over_worlds_of_the_tasks_they_are_about() -> None:
    ours, alone, by_itself = np.array([[0.3, 0.2, 0.4], [0.2, 0.2, 0.4], [0.3, 0.1, 0.3]])
    outcome = Outcome(ours, alone, by_itself, ours, np.array([True, False, False]))
    found = figures(outcome)
    assert found["attacked"] == pytest.approx(0.1)
    assert found["attacked_itself"] == pytest.approx(0.0)
    assert found["others_itself"] == pytest.approx(0.1)
    assert found["others_itself_worst"] == pytest.approx(0.1)
    everywhere = figures(outcome._replace(attacked=np.ones(3, bool)))
    assert np.isnan(everywhere["others_itself"])
    worlds = [{"kind": kind, **found} for kind in ("other units", "minority", "minority")]
    for bar, standing in zip(BARS, standings(worlds), strict=True):
        assert (standing.kind, standing.bar) == (bar.kind, bar.most)
        assert standing.worlds == (2 if bar.kind == "minority" else 1)
        assert standing.kept == (bar.column == "attacked_itself")
    (only,) = standings(worlds[1:])
    assert (only.mean, only.maximum, only.worst_task) == (0.1, 0.1, 0.1)
