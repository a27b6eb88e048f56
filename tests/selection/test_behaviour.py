"""What the combination of rules does for its users: simulations through the public estimator."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from tests.worlds import random_world


class World(NamedTuple):
    """Two classes at ∓ the mean of their task."""

    means: Any  # (tasks, features)
    n: int  # rows of every class

    def draw(self, rng: Any, n: int | None = None) -> tuple[Any, Any, Any]:
        """Rows, classes and tasks."""
        n, (k, p) = n or self.n, self.means.shape
        y, task = np.tile(np.repeat([0, 1], n), k), np.repeat(np.arange(k), 2 * n)
        X = rng.normal(size=(len(y), p)) + np.where(y == 1, 1.0, -1.0)[:, None] * self.means[task]
        return X, y, task


def errors(world: World, seed: int, *labels: str) -> Any:
    """(choices of labels,): mean errors of all tasks on new rows."""
    rng = np.random.default_rng(seed)
    X, y, task = world.draw(rng)
    new, new_y, new_task = world.draw(rng, 500)
    models = [MultiTaskSPCA(labels=name).fit(X, y, task=task) for name in labels]
    return np.array([1 - model.score(new, new_y, task=new_task) for model in models])


def one_direction(seed: int, k: int, p: int) -> Any:
    mean = np.random.default_rng(seed).normal(size=p)
    return np.tile(mean / np.linalg.norm(mean), (k, 1))


@pytest.mark.long
@pytest.mark.parametrize("n", [4, 15])
def test_tasks_that_are_the_same_are_nearly_pooled(n: int) -> None:
    found = np.array(
        [errors(World(one_direction(s, 8, 20), n), s, "auto", "naive", "single") for s in range(10)]
    )
    ours, pooled, alone = found.mean(axis=0)
    assert ours < pooled + 0.015
    assert ours < alone - 0.03


@pytest.mark.long
@pytest.mark.parametrize(("n", "margin"), [(4, 0.03), (15, 0.01)])
def test_unrelated_tasks_lose_little_to_each_other(n: int, margin: float) -> None:
    """64 rows in all cannot say much against the prior, that rules are shared: measured, .019."""
    found = []
    for seed in range(10):
        means = np.random.default_rng(seed).normal(size=(8, 20)) / np.sqrt(20)
        found.append(errors(World(1.3 * means, n), seed, "auto", "single"))
    ours, alone = np.mean(found, axis=0)
    assert ours < alone + margin


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::kinspan.UnitsWarning")
def test_a_neighbour_in_other_units_does_not_harm() -> None:
    """One column of one of five tasks is fifty times as large; the target has 20 labels per class.

    Compared with a fit to the rows of the target and nothing else.
    """
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        world = World(one_direction(seed, 5, 20), 20)
        (X, y, task), (new, new_y, new_task) = world.draw(rng), world.draw(rng, 1000)
        X[:, 0] *= np.where(task == 4, 50.0, 1.0)
        both = MultiTaskSPCA().fit(X, y, task=task)
        own = MultiTaskSPCA().fit(X[task == 0], y[task == 0])
        target = new_task == 0
        ours = 1 - both.score(new[target], new_y[target], task=0)
        found.append([ours, 1 - own.score(new[target], new_y[target])])
    ours_mean, alone_mean = np.mean(found, axis=0)
    assert ours_mean < alone_mean + 0.03


def test_random_labels_break_nothing() -> None:
    rng = np.random.default_rng(0)
    for n, k, p, n_classes in ((3, 4, 12, 2), (10, 6, 5, 2), (4, 3, 30, 3), (10, 1, 8, 2)):
        y = rng.integers(0, n_classes, 2 * n * k)
        y[: n_classes * k] = np.tile(np.arange(n_classes), k)
        task = np.arange(len(y)) % k
        clf = MultiTaskSPCA().fit(rng.normal(size=(len(y), p)), y, task=task)
        assert np.isfinite(clf.coef_).all()
        assert (np.abs(clf.coef_).sum(axis=(1, 2)) > 0).all()  # every task has some direction
        forecast = clf.forecast_error_[np.isfinite(clf.forecast_error_)]
        assert ((forecast >= 0) & (forecast <= 1)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_order_of_rows_and_names_of_tasks_do_not_matter(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    y, task = rng.integers(0, n_classes, 150), rng.integers(0, 4, 150)
    X = rng.normal(size=(150, 6)) + rng.normal(size=(n_classes, 6))[y]
    clf = MultiTaskSPCA().fit(X, y, task=task)
    order, names = rng.permutation(150), np.array(["d", "b", "a", "c"])
    other = MultiTaskSPCA().fit(X[order], y[order], task=names[task][order])
    places = [other.tasks_.tolist().index(name) for name in names]
    np.testing.assert_allclose(other.coef_[places], clf.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(other.forecast_error_[places], clf.forecast_error_, rtol=1e-6)


def test_a_rotation_of_classes_rotates_the_answers() -> None:
    rng = np.random.default_rng(1)
    y, task = rng.integers(0, 3, 150), rng.integers(0, 4, 150)
    X = rng.normal(size=(150, 6)) + rng.normal(size=(3, 6))[y]
    clf, other = (MultiTaskSPCA().fit(X, labels, task=task) for labels in (y, (y + 1) % 3))
    np.testing.assert_allclose(
        other.predict_proba(X, task=task)[:, [1, 2, 0]],
        clf.predict_proba(X, task=task),
        rtol=1e-5,
        atol=1e-7,
    )


def test_forecasts_of_many_tasks_use_every_row_that_is_kept() -> None:
    """Eighty cells: four times the rows make intervals a quarter narrower or more.

    Not half as wide: with few rows the posterior of a task leans on the other tasks.
    """
    X, y, task = World(one_direction(0, 40, 4), 120).draw(np.random.default_rng(0))
    few, many = (
        np.diff(MultiTaskSPCA(row_sample=size).fit(X, y, task=task).forecast_interval_).mean()
        for size in (25, 100)
    )
    assert 0.45 < many / few < 0.75


def test_no_forecast_of_one_label_per_class_is_worse_than_a_guess() -> None:
    """An estimate of the signal without bias may be negative, and the formula then above a half."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        task = np.repeat(np.arange(3), 2)
        X, y = rng.standard_normal((6, 40)), np.tile([0, 1], 3)
        model = MultiTaskSPCA().fit(X, y, task=task)
        assert (model.forecast_error_ <= 0.5).all()
        assert (model.forecast_interval_[:, 1] <= 0.5).all()
        assert (model.single_task_error_ <= 0.5).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_blocks_of_tasks_change_nothing(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where one rule is that of all tasks as one, or of a task with one class only."""
    X, y, task = random_world(0, n=240, n_tasks=80, n_classes=n_classes)
    kept = (y == 0) | (task > 2)
    X, y, task = X[kept], y[kept], task[kept]
    for row_sample in (100, 0):
        whole = MultiTaskSPCA(row_sample=row_sample).fit(X, y, task=task)
        with monkeypatch.context() as patched:
            patched.setattr("kinspan._rows.blocks._NUMBERS", 50)
            patched.setattr("kinspan.selection.input_units._LEAST_TASKS", 3)
            parts = MultiTaskSPCA(row_sample=row_sample).fit(X, y, task=task)
        np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(parts.forecast_error_, whole.forecast_error_, rtol=1e-9)
