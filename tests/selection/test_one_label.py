"""Rows without labels where no label can be left out."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.selection.outcome import UnlabelledUse
from kinspan.selection.unlabelled import _after_names, _with_changes
from tests.selection.unlabelled_worlds import (
    fitted,
    gaussian,
    labelled,
    one_label,
    true_error,
)


def test_only_answers_that_change_change_a_forecast() -> None:
    rng = np.random.default_rng(4)
    tasks, likely = np.sort(rng.integers(0, 3, 40)), rng.dirichlet(np.ones(3), 40)
    before, after = rng.integers(0, 3, (2, 40))
    after[tasks == 1] = before[tasks == 1]
    error = np.array([0.9, 0.2, 0.01, 0.3])  # of the last there are no rows
    expected = error.copy()
    for t in range(3):
        gone = added = 0.0
        for i in np.flatnonzero((tasks == t) & (before != after)):
            gone += 1.0 - likely[i, before[i]]
            added += 1.0 - likely[i, after[i]]
        n = (tasks == t).sum()
        expected[t] = max(error[t] - gone / n, 0.0) + added / n
    np.testing.assert_allclose(_with_changes(error, tasks, likely, before, after), expected)
    assert expected[1] == error[1]


def use(weight: list[float], left_out: list[float]) -> UnlabelledUse:
    """Of tasks with rows without labels."""
    w, n, nothing = np.array(weight), np.array(left_out), np.zeros(len(weight))
    return UnlabelledUse(w, nothing + 50.0, nothing, n, nothing, nothing)


def test_names_count_where_no_label_could_be_left_out() -> None:
    found = _after_names(use([0.6, 0.6, 0.6], [0, 0, 6]), np.array([0.0, -60.0, -60.0])).weight
    assert found[0] == pytest.approx(0.3)  # as likely right as not, and labels say nothing
    assert found[1] < 0.06  # labels are in the groups of other classes
    assert found[2] == pytest.approx(0.6)  # left-out labels have spoken
    found = _after_names(use([0.6, 0.001], [0, 0]), np.array([60.0, 60.0])).weight
    np.testing.assert_allclose(found, [0.6, 0.0])  # names are no evidence of groups


def test_one_label_per_class_and_many_rows_are_nearly_as_good_as_many_labels() -> None:
    errors = []
    for seed in range(6):
        world = one_label(seed)
        models = fitted(world), fitted(labelled(world))
        errors.append([true_error(model, world.means).mean() for model in models])
    found, alone = np.mean(errors, axis=0)
    assert found < 0.3 * alone


def test_forecasts_of_one_label_per_class_know_what_the_others_have_taught() -> None:
    before, after = [], []
    for seed in range(10):
        world = one_label(seed)
        with_all, alone = fitted(world), fitted(labelled(world))
        error = true_error(with_all, world.means)
        assert (with_all.forecast_interval_[:, 0] <= with_all.forecast_error_).all()
        assert (with_all.forecast_error_ <= with_all.forecast_interval_[:, 1]).all()
        after.append(abs(with_all.forecast_error_ - error).mean())
        before.append(abs(alone.forecast_error_ - error).mean())
    assert np.mean(after) < 0.75 * np.mean(before)


def test_with_one_label_rows_of_other_tasks_are_strangers() -> None:
    for seed in range(6):
        world = one_label(seed)
        free, away = np.isnan(world.y), np.random.default_rng(seed).standard_normal((4, 30))
        X = world.X + 2.5 * free[:, None] * away[world.task.astype(int)]
        model = fitted(world._replace(X=X))
        assert model.explain_unlabelled().alike.max() < 0.01
        assert not model.unlabelled_weight_.any()
        assert fitted(world).explain_unlabelled().alike.mean() > 0.5


def test_with_one_label_neither_order_nor_copies_matter() -> None:
    world = one_label(1)
    order = np.random.default_rng(0).permutation(len(world.y))
    first = fitted(world)
    assert first.unlabelled_weight_.any()
    for rows in (order, np.concatenate([order, np.flatnonzero(np.isnan(world.y))[:30]])):
        other = MultiTaskSPCA().fit(world.X[rows], world.y[rows], task=world.task[rows])
        np.testing.assert_allclose(other.coef_, first.coef_, rtol=1e-7, atol=1e-10)


def test_rows_do_not_vouch_for_groups_that_they_have_taught() -> None:
    """With many features, rules can split the rows that they learn from, and only these."""
    found = []
    for seed in range(5):
        world = gaussian(seed, n=1, free=20, p=300)
        noise = np.random.default_rng(seed + 2).standard_normal(world.X.shape)
        free = np.isnan(world.y)
        model = fitted(world._replace(X=np.where(free[:, None], noise, world.X)))
        found.append(model.explain_unlabelled().support.mean())
    assert np.mean(found) < 0.01  # those that have taught have .09


@pytest.mark.parametrize("n_rows", [1, 2, 4])
def test_a_few_rows_without_labels_are_no_error(n_rows: int) -> None:
    world = gaussian(0, n=1)
    kept = ~np.isnan(world.y) | (np.cumsum(np.isnan(world.y)) <= n_rows)
    model = MultiTaskSPCA().fit(world.X[kept], world.y[kept], task=world.task[kept])
    assert np.isfinite(model.coef_).all()
    assert model.explain_unlabelled().rows.tolist() == [n_rows]
