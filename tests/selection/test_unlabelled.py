"""Rows without labels: they help where they fall into classes, and are left alone elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

import kinspan.selection.support as of_groups
from kinspan import MultiTaskSPCA, Statistics
from kinspan.class_moments import ClassMoments
from kinspan.datasets import load_digit_pairs
from kinspan.selection.decisions import PRIOR_ROWS
from kinspan.selection.left_out_thirds import _parts, _without
from kinspan.selection.outcome import UnlabelledUse
from kinspan.selection.support import _Groups, _log_likelihood, support
from kinspan.selection.taught import Free, _soft
from kinspan.selection.unlabelled import _after_names, _expecting, _posterior, _with_changes


class World(NamedTuple):
    X: Any
    y: Any  # NaN for rows without labels
    task: Any
    means: Any  # (tasks, features): half of the difference between the classes


def gaussian(seed: int, n: int = 6, free: int = 60, gap: float = 1.6, p: int = 30) -> World:
    """Four related tasks, with some labels and many rows without."""
    rng = np.random.default_rng(seed)
    means = rng.standard_normal(p) + 0.4 * rng.standard_normal((4, p))
    means *= gap / np.linalg.norm(means, axis=1, keepdims=True)
    task = np.repeat(np.arange(4), 2 * (n + free))
    y = np.tile(np.arange(2 * (n + free)) % 2, 4).astype(float)
    X = rng.standard_normal((len(y), p)) + (2 * y - 1)[:, None] * means[task]
    y[np.tile(np.arange(2 * (n + free)) >= 2 * n, 4)] = np.nan
    return World(X, y, task, means)


def labelled(world: World) -> World:
    there = ~np.isnan(world.y)
    return world._replace(X=world.X[there], y=world.y[there], task=world.task[there])


def fitted(world: World) -> MultiTaskSPCA:
    return MultiTaskSPCA().fit(world.X, world.y, task=world.task)


def true_error(model: MultiTaskSPCA, means: Any) -> Any:
    w, b = model.coef_[:, 0], model.intercept_[:, 0]
    size, gap = np.linalg.norm(w, axis=1), (w * means).sum(axis=1)
    return 0.5 * (norm.sf((gap + b) / size) + norm.sf((gap - b) / size))


def test_groups_make_rules_better() -> None:
    gains = []
    for seed in range(6):
        world = gaussian(seed)
        with_all, alone = fitted(world), fitted(labelled(world))
        assert with_all.unlabelled_weight_.mean() > 0.5
        gains.append(true_error(alone, world.means) - true_error(with_all, world.means))
    assert np.mean(gains) > 4 * np.std(np.mean(gains, axis=1)) / np.sqrt(6)
    assert np.mean(gains) > 0.01


def test_forecasts_know_what_rows_without_labels_are_worth() -> None:
    bias, covered, lower = [], [], []
    for seed in range(12):
        world = gaussian(seed)
        with_all, alone = fitted(world), fitted(labelled(world))
        error, forecast = true_error(with_all, world.means), with_all.forecast_error_
        low, high = with_all.forecast_interval_.T
        lower.append(alone.forecast_error_.mean() - forecast.mean())
        bias.append(forecast.mean() - error.mean())
        covered.append((low <= error) & (error <= high))
    assert np.mean(lower) > 4 * np.std(lower) / np.sqrt(12)
    assert abs(np.mean(bias)) < 0.015 + 4 * np.std(bias) / np.sqrt(12)
    assert np.mean(covered) > 0.7


def with_and_without(seed: int, **parameters: Any) -> list[MultiTaskSPCA]:
    """Fits to all rows of a world, and to those with labels."""
    world = gaussian(seed)
    return [
        MultiTaskSPCA(**parameters).fit(some.X, some.y, task=some.task)
        for some in (world, labelled(world))
    ]


def test_a_threshold_keeps_the_forecast_that_it_was_set_by() -> None:
    models = with_and_without(1, threshold="f1")
    np.testing.assert_array_equal(models[0].forecast_error_, models[1].forecast_error_)


def test_one_group_is_left_alone_and_the_rules_are_exactly_those_of_the_labels() -> None:
    world = gaussian(0)
    free = np.isnan(world.y)
    noise = np.random.default_rng(1).standard_normal(world.X.shape)
    world = world._replace(X=np.where(free[:, None], noise, world.X))
    with_all, alone = fitted(world), fitted(labelled(world))
    assert not with_all.unlabelled_weight_.any()
    np.testing.assert_array_equal(with_all.coef_, alone.coef_)
    np.testing.assert_array_equal(with_all.intercept_, alone.intercept_)
    np.testing.assert_array_equal(with_all.forecast_error_, alone.forecast_error_)


def test_groups_that_are_not_the_classes_are_refused_by_left_out_labels() -> None:
    """The rows without labels are far apart, along a direction that says nothing of the classes."""
    errors = []
    for seed in range(16):  # the mean of four draws is .005 off by chance
        world = gaussian(seed, n=10)
        free, other = np.isnan(world.y), np.zeros(world.X.shape[1])
        other[:15], other[15:] = 1.0, -1.0
        other -= world.means[0] * (other @ world.means[0]) / (world.means[0] @ world.means[0])
        sides = np.random.default_rng(seed).choice([-1.0, 1.0], len(free))[:, None]
        world = world._replace(X=world.X + 0.7 * free[:, None] * sides * other)
        models = fitted(world), fitted(labelled(world))
        errors.append([true_error(model, world.means).mean() for model in models])
    harm = np.diff(np.array(errors)[:, ::-1], axis=1)
    assert harm.mean() < 0.003


def test_neither_order_nor_copies_of_rows_matter() -> None:
    world = gaussian(2)
    order = np.random.default_rng(0).permutation(len(world.y))
    free = np.flatnonzero(np.isnan(world.y))[:40]
    twice = np.concatenate([order, free])
    first = fitted(world)
    for rows in (order, twice):
        other = MultiTaskSPCA().fit(world.X[rows], world.y[rows], task=world.task[rows])
        np.testing.assert_allclose(other.coef_, first.coef_, rtol=1e-7, atol=1e-10)


def test_many_classes_with_absent_ones() -> None:
    digits = load_digit_pairs(n_per_class=3)
    first, second = (np.char.partition(digits.task, " vs ")[:, i].astype(int) for i in (0, 2))
    label = np.where(digits.y == 0, first, second)
    group = np.array([f"group {d // 5}" for d in label])
    label = np.where(label == 9, 0, label)
    X, y = digits.X, label.astype(float)
    X, y, group = (np.concatenate([part, part]) for part in (X + 0.0, y, group))
    X[len(label) :] += np.random.default_rng(0).standard_normal((len(label), 64))
    y[len(label) :] = np.nan
    model = MultiTaskSPCA().fit(X, y, task=group)
    assert model.unlabelled_weight_.min() > 0
    answered = model.predict(X[:200], task="group 0")
    assert set(answered) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_soft_moments_are_those_of_weighted_rows() -> None:
    rng = np.random.default_rng(0)
    X, tasks, shares = rng.standard_normal((20, 3)), np.arange(20) % 2, rng.random((20, 2))
    like = ClassMoments.from_samples(X, np.arange(20) // 10, tasks)
    found = _soft(like, Free(tasks, X), shares)
    for t in range(2):
        for j in range(2):
            w, rows = shares[tasks == t, j], X[tasks == t]
            mean = w @ rows / w.sum()
            assert found.counts[t, j] == pytest.approx(w.sum())
            np.testing.assert_allclose(found.means[t, j], mean)
            np.testing.assert_allclose(found.squares[t, j], w @ (rows - mean) ** 2)


@pytest.mark.parametrize("size", [4, 100])
def test_moments_without_a_fold_are_those_of_the_other_rows(size: int) -> None:
    rng = np.random.default_rng(1)
    X, y, task = rng.standard_normal((60, 3)), np.arange(60) % 2, np.arange(60) // 30
    whole = Statistics.from_samples(X, y, task, row_sample=size)
    assert whole.sample is not None
    sample = whole.sample
    for fold in range(3):
        out = _parts(sample) == fold
        gone = {row.tobytes() for row in sample.rows[out]}
        kept = np.array([row.tobytes() not in gone for row in X])
        if size == 4:  # sampled rows stand for others only in their weights
            sample = sample.effective()
        found = _without(whole.moments, sample, out)
        rest = ClassMoments.from_samples(X[kept], y[kept], task[kept])
        np.testing.assert_allclose(found.counts, rest.counts)
        np.testing.assert_allclose(found.means, rest.means, atol=1e-12)
        np.testing.assert_allclose(found.squares, rest.squares, atol=1e-9)


def test_every_cell_keeps_a_row_in_every_fold() -> None:
    X = np.random.default_rng(0).standard_normal((7, 2))
    sample = Statistics.from_samples(X, [0, 0, 1, 1, 1, 1, 2]).sample
    assert sample is not None
    folds = _parts(sample)
    assert (folds[sample.cells == 2] == -1).all()
    for fold in range(3):
        assert set(sample.cells[folds != fold]) == {0, 1, 2}


def test_support_sees_groups_and_only_groups() -> None:
    rng = np.random.default_rng(0)
    tasks, side = np.repeat(np.arange(3), 300), rng.choice([-1.0, 1.0], 900)
    centre = np.array([0.0, 2.0, 2.0])[tasks] * side
    centre = np.where(tasks == 2, np.where(rng.random(900) < 0.2, 2.0, -2.0), centre)
    score = centre + rng.standard_normal(900)
    scores, means = np.stack([-score, score], axis=1), np.array([[2.0, -2.0], [-2.0, 2.0]])
    found = support(scores, tasks, np.repeat(means[None], 3, axis=0), np.ones((3, 2), bool))
    gain = found.per_number(0.0)
    assert gain[0] < 0.01
    assert gain[1] > 0.1
    assert gain[2] > 0.1  # also where one class has four times as many rows


def naive_support(scores: Any, means: Any) -> float:
    """Of one task, straight from the equation; eigenvalues within groups are not floored."""
    z = (scores - scores.mean(axis=1, keepdims=True))[:, 1:]
    d = (means - means.mean(axis=1, keepdims=True))[:, 1:]
    z, d = z - z.mean(axis=0), d - d.mean(axis=0)
    units = np.linalg.inv(np.linalg.cholesky(z.T @ z / len(z))).T
    z, d, found = z @ units, d @ units, []
    for gamma in np.linspace(0.1, 1.5, 15):
        shares = np.full(len(d), 1 / len(d))
        for step in range(5):
            centres = gamma * (d - shares @ d)
            within = np.eye(z.shape[1]) - (shares * centres.T) @ centres
            if np.linalg.eigvalsh(within).min() < 0.02:
                break
            groups = zip(shares, centres, strict=True)
            density = np.stack([s * multivariate_normal(c, within).pdf(z) for s, c in groups], 1)
            if step < 4:
                posterior = density / density.sum(axis=1, keepdims=True)
                shares = (posterior.sum(axis=0) + 10) / (len(z) + 10 * len(d))
            else:
                one = multivariate_normal(np.zeros(z.shape[1])).logpdf(z)
                found.append(np.log(density.sum(axis=1)).sum() - one.sum())
    return float(max(max(found) - 0.5, 0) / z.size)


@pytest.mark.parametrize("at_once", [1, 1 << 22])
def test_support_is_that_of_every_task_alone_among_its_classes(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks with equally many classes are computed together, whatever order rows come in.

    And so are several distances, or each by itself where rows are many.
    """
    monkeypatch.setattr(of_groups, "_AT_ONCE", at_once)
    rng = np.random.default_rng(3)
    present = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1], [1, 1, 1]], bool)
    tasks = rng.integers(0, 5, 600)
    label = np.array([rng.choice(np.flatnonzero(present[t])) for t in tasks])
    scores = 1.5 * np.eye(3)[label] + rng.standard_normal((600, 3)) @ rng.standard_normal((3, 3))
    scores, means = np.where(present[tasks], scores, 0.0), np.repeat(np.eye(3)[None], 5, axis=0)
    found = support(scores, tasks, means, present)
    for t, there in enumerate(present):
        mine = scores[tasks == t][:, there]
        alone = naive_support(mine, means[t][there][:, there])
        assert found.rows[t] == len(mine)
        assert found.per_number(0.0)[t] == pytest.approx(alone, rel=1e-6, abs=1e-9)


def test_one_group_is_the_mixture_whose_means_are_equal() -> None:
    z = np.random.default_rng(0).standard_normal((50, 2))
    groups = _Groups(z, np.zeros((2, 3, 2)), np.array([20, 30]), np.full(2, 2.0))
    np.testing.assert_allclose(_log_likelihood(groups, np.array([0.5, 1.0])), 0.0, atol=1e-9)


def test_the_weight_follows_support_and_evidence() -> None:
    def weights(prior: float, better: list[float], rows: list[float]) -> Any:
        n = np.array(rows)
        before = UnlabelledUse(np.full(len(n), prior), n, n, n, n, n)
        return _posterior(before, np.array(better), float(np.sum(better)))

    assert weights(0.5, [0.0, 0.0], [9, 9]) == pytest.approx([0.45, 0.45])
    assert (weights(0.5, [-20.0, 0.0], [9, 9]) == 0).all()  # all tasks together
    first, second, without = weights(0.5, [-6.0, 30.0, 0.0], [9, 9, 0])
    assert first < 0.1  # and then each for itself
    assert second > 0.99
    assert without == 0
    assert weights(1e-6, [9.0, 9.0], [9, 9]).min() > 0.99  # evidence can overcome no support


def test_the_more_rows_show_no_gain_the_less_was_it_likely() -> None:
    """A gain g per row is expected to be small, with the density N e^(−Ng)."""
    N = PRIOR_ROWS.constant
    for rows in (0.0, 4.0, 300.0):
        whole = quad(lambda g, n=rows: N * np.exp(-N * g - n * g), 0.0, np.inf)[0]
        assert _expecting(rows) == pytest.approx(whole)


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


def one_label(seed: int) -> World:
    """Four tasks with one label per class, whose classes are far apart."""
    return gaussian(seed, n=1, gap=2.5)


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


def test_one_against_all_does_without() -> None:
    models = with_and_without(3, multi_class="one-vs-all")
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)
    assert not models[0].unlabelled_weight_.any()
