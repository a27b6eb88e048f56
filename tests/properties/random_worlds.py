"""Random worlds: tasks, classes, cells that are missing or have one row, any container and ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kinspan import MultiTaskSPCA
from tests.worlds import World

PRECISIONS = ("float64", "float32", "int64", "int16", "uint8", "bool")


@st.composite
def worlds(
    draw: st.DrawFn, most_tasks: int = 4, most_classes: int = 3, least_rows: int = 1
) -> World:
    """A few rows of every cell that is there; each task has two classes or more."""
    n_tasks, n_classes = draw(st.integers(1, most_tasks)), draw(st.integers(2, most_classes))
    p, seed = draw(st.integers(1, 6)), draw(st.integers(0, 2**32 - 1))
    counts = draw(
        st.lists(
            st.lists(
                st.sampled_from([0, 1, 2, 5, 9]), min_size=n_classes, max_size=n_classes
            ).filter(lambda row: np.count_nonzero(row) > 1),
            min_size=n_tasks,
            max_size=n_tasks,
        )
    )
    cells = np.repeat(np.arange(n_tasks * n_classes), np.maximum(np.ravel(counts), 0))
    task, y = np.divmod(cells, n_classes)
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=(n_classes, p)), rng.normal(size=(n_tasks, n_classes, p))
    means = 2 * shared + draw(st.sampled_from([0.0, 0.5, 2.0])) * own
    X = means[task, y] + rng.normal(size=(len(y), p))
    order = rng.permutation(np.repeat(np.arange(len(y)), least_rows))
    return World(X[order], y[order], task[order])


def rounded(world: World) -> World:
    """The same with small whole numbers, which every container and precision holds."""
    return world._replace(X=np.clip(np.round(3 * world.X), -50, 50))


def settings_of_models() -> st.SearchStrategy[dict[str, Any]]:
    """Parameters of MultiTaskSPCA that change the mathematics."""
    return st.fixed_dictionaries(
        {},
        optional={
            "labels": st.sampled_from(["auto", "spectral", "plugin", "naive", "single"]),
            "scale": st.sampled_from(["auto", "pooled", "task", None]),
            "metric": st.sampled_from(["auto", 0.0, 0.5]),
            "multi_class": st.sampled_from(["shared", "one-vs-all"]),
            "priors": st.sampled_from([None, "empirical"]),
            "class_weight": st.sampled_from([None, "balanced"]),
            "unseen_classes": st.sampled_from(["never", "share"]),
        },
    )


def fit(world: World, weights: Any = None, **parameters: Any) -> MultiTaskSPCA:
    """A model of all rows."""
    model = MultiTaskSPCA(**parameters)
    return model.fit(world.X, world.y, task=world.task, sample_weight=weights)


def part(world: World, rows: Any) -> World:
    """Some rows."""
    return World(*(np.asarray(values)[rows] for values in world))


def assert_same_rules(first: MultiTaskSPCA, second: MultiTaskSPCA, rtol: float = 1e-9) -> None:
    """Rules, forecasts and intervals of two models of the same tasks and classes."""
    assert first.tasks_.tolist() == second.tasks_.tolist()
    assert first.classes_.tolist() == second.classes_.tolist()
    np.testing.assert_allclose(first.metric_, second.metric_, rtol=rtol)
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_"):
        of_first, of_second = getattr(first, name), getattr(second, name)
        size = np.nanmax(np.abs(of_second), initial=1e-12)  # NaN: nothing can be foretold
        np.testing.assert_allclose(of_first, of_second, rtol=rtol, atol=rtol * size, err_msg=name)
