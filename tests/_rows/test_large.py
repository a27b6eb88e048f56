"""Large matrices of a fit where its rows came from: the same numbers as on the CPU."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, Statistics
from kinspan._arrays.elsewhere import on_host
from kinspan._rows import large
from kinspan._rows.large import HERE, Place
from kinspan.selection import decisions, scales
from tests.array_libraries import Convert, strict, torch_cpu
from tests.worlds import World, random_world

FITTED = ("coef_", "intercept_", "forecast_error_", "forecast_interval_")


@pytest.fixture(params=["strict", "torch"])
def place(request: pytest.FixtureRequest) -> Place:
    convert: Convert = strict("device1") if request.param == "strict" else torch_cpu()
    return Place(convert(np.zeros(1)))


@pytest.fixture
def all_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scales, "MANY_NUMBERS", 0)
    nothing = decisions.LARGE_FREEDOM._replace(constant=0.0)
    monkeypatch.setattr(scales, "LARGE_FREEDOM", nothing)


def fitted_at(place: Place, world: World, **parameters: Any) -> Any:
    """A fit whose sampled rows are at a place."""
    found = Statistics.from_samples(*world, row_sample=parameters.pop("row_sample", 100))
    assert found.sample is not None
    object.__setattr__(found.sample, "place", place)
    return MultiTaskSPCA(**parameters).fit_moments(found)


@pytest.mark.parametrize(
    ("n_classes", "p", "parameters"),
    [
        (2, 12, {}),
        (3, 12, {}),
        (2, 40, {"row_sample": 8}),  # fewer rows of a task than features
        (3, 12, {"scale": "task"}),
        (2, 12, {"scale": None, "metric": 0.3}),
        (3, 12, {"multi_class": "one-vs-all"}),
        (2, 12, {"labels": "single"}),
        (2, 12, {"label_noise": "auto"}),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.usefixtures("all_is_large")
def test_fits_are_the_same(
    place: Place, n_classes: int, p: int, parameters: dict[str, Any], dtype: str
) -> None:
    world = random_world(3, n=900, p=p, n_classes=n_classes)
    world = world._replace(X=(world.X * np.geomspace(1, 9, p)).astype(dtype))
    doubles = world._replace(X=world.X.astype(float))
    here, there, exact = (
        fitted_at(at, of, **parameters)
        for at, of in ((HERE, world), (place, world), (HERE, doubles))
    )
    tolerance = 1e-9 if dtype == "float64" else 1e-6
    for name in FITTED:
        theirs = getattr(here, name)
        # Products in single precision are those of the CPU: there they are as of doubles.
        rounding = np.abs(theirs - getattr(exact, name)).max()
        bound = tolerance * np.abs(theirs).max() + rounding
        np.testing.assert_array_less(np.abs(getattr(there, name) - theirs), bound)


@pytest.mark.usefixtures("all_is_large")
def test_few_features_of_unlike_cells_are_as_one_there_too(place: Place) -> None:
    """Two tasks in the units of the input: rows around other means stay in the basis."""
    rng = np.random.default_rng(8)
    task, y = rng.integers(0, 2, (2, 800))
    X = rng.standard_normal((800, 40)) + y[:, None] * np.linspace(0, 1, 40) + 0.3 * task[:, None]
    here, there = (fitted_at(at, World(X, y, task)) for at in (HERE, place))
    for name in FITTED:
        np.testing.assert_allclose(getattr(there, name), getattr(here, name), rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("all_is_large")
def test_products_are_where_the_rows_came_from(place: Place) -> None:
    moved: list[Any] = []

    class Counting(Place):
        def put(self, rows: Any) -> Any:
            moved.append(super().put(rows))
            return moved[-1]

    counting = Counting()
    vars(counting).update(vars(place))
    fitted_at(counting, random_world(4, n=900, p=12))
    assert moved
    assert not any(isinstance(rows, np.ndarray) for rows in moved)


def test_arrays_that_cannot_be_written_to_are_computed_with_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = SimpleNamespace(float64=float, ones=lambda *_, **__: (1.0,))
    monkeypatch.setattr(large, "namespace", lambda of: library)
    monkeypatch.setattr(large, "widest_float", lambda of: float)
    monkeypatch.setattr(large, "device", lambda of: None)
    assert Place((1.0,)).is_here


def test_a_place_is_forgotten_by_copies_and_kept_by_sums(place: Place) -> None:
    world = random_world(5, n=300)
    halves = [Statistics.from_samples(*(part[i::2] for part in world)).sample for i in (0, 1)]
    assert all(half is not None for half in halves)
    assert all(half.place.is_here for half in halves if half is not None)
    assert not place.is_here
    for half in halves:
        object.__setattr__(half, "place", place)
    both = halves[0] + halves[1]  # type: ignore[operator]
    assert both.place is place
    assert pickle.loads(pickle.dumps(both)).place.is_here
    assert copy.deepcopy(both).place.is_here
    assert type(both).from_record(both.record()).place.is_here


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_inverse_roots_are_those_of_the_matrices_with_ridges(place: Place, dtype: str) -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3, 7, 5)).astype(dtype)
    matrices, ridges = rows.transpose(0, 2, 1) @ rows, np.array([0.1, 1.0, 9.0])
    ridged = matrices + ridges[:, None, None] * np.eye(5)
    for given in (matrices, place.put(matrices)):
        found = np.asarray(on_host(large.inverse_roots(given, ridges)))
        inverse = found.transpose(0, 2, 1) @ found
        tolerance = 1e-12 if dtype == "float64" else 1e-4
        np.testing.assert_allclose(inverse @ ridged, [np.eye(5)] * 3, atol=tolerance)
