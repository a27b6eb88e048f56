"""Arrays of other libraries, and on devices that NumPy cannot see: the same numbers as NumPy's."""

from __future__ import annotations

from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, MultiTaskSPCA, RowSample, Statistics
from kinspan._rows import kept_rows
from kinspan.baselines import FeatureAugmentation, NaiveSPCA
from tests.array_libraries import Convert, home, placed, strict
from tests.worlds import World, random_world

METHODS = ("decision_function", "predict_proba", "predict_log_proba", "transform")


def assert_same_statistics(a: Statistics, b: Statistics, rtol: float = 1e-9) -> None:
    for name in ("tasks", "classes", "counts"):
        np.testing.assert_array_equal(getattr(a.moments, name), getattr(b.moments, name))
        assert getattr(a.moments, name).dtype == getattr(b.moments, name).dtype
    for name in ("means", "squares"):
        theirs = getattr(b.moments, name)
        np.testing.assert_allclose(getattr(a.moments, name), theirs, rtol=rtol, atol=rtol)
    assert a.sample is not None
    for name in ("size", "tasks", "classes", "cells", "keys", "weights", "rows"):
        np.testing.assert_array_equal(getattr(a.sample, name), getattr(b.sample, name))


@pytest.mark.parametrize("p", [7, 40])  # few columns have another hash than many
@pytest.mark.parametrize("weighted", [False, True])
def test_statistics_and_sampled_rows_are_the_same(convert: Convert, p: int, weighted: bool) -> None:
    world = random_world(0, n=900, p=p)
    weights = np.random.default_rng(1).integers(0, 3, 900).astype(float) if weighted else None
    here = Statistics.from_samples(*world, sample_weight=weights, row_sample=20)
    given = None if weights is None else convert(weights)
    found = Statistics.from_samples(*placed(world, convert), sample_weight=given, row_sample=20)
    assert_same_statistics(found, here)
    moments = ClassMoments.from_samples(*placed(world, convert), sample_weight=weights)
    np.testing.assert_allclose(moments.means, here.moments.means, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_fit_and_forecasts_are_the_same(convert: Convert, n_classes: int, dtype: str) -> None:
    world = random_world(1, n=500, p=12, n_classes=n_classes)
    world = world._replace(X=world.X.astype(dtype))
    X, y, task = placed(world, convert)
    here = MultiTaskSPCA().fit(world.X, world.y, task=world.task)
    found = MultiTaskSPCA().fit(X, y, task=task)
    rtol = 1e-9 if dtype == "float64" else 1e-5  # sums of a block are in single precision
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_"):
        theirs = getattr(here, name)
        np.testing.assert_allclose(getattr(found, name), theirs, rtol=rtol, atol=rtol)
    for name in METHODS:
        answer, theirs = (
            getattr(here, name)(X, task=task),
            getattr(here, name)(world.X, task=world.task),
        )
        assert type(answer) is type(X)
        assert answer.dtype == convert(theirs).dtype
        assert answer.device == X.device
        np.testing.assert_allclose(home(answer), theirs, rtol=1e-9, atol=1e-9)
    labels = found.predict(X, task=task)
    assert type(labels) is type(X)
    assert labels.dtype == y.dtype
    np.testing.assert_array_equal(home(labels), here.predict(world.X, task=world.task))
    assert found.score(X, y, task=task) == here.score(*world[:2], task=world.task)


def test_batches_on_a_device_equal_the_whole(there: Convert) -> None:
    world = random_world(2, n=600)
    whole = MultiTaskSPCA().fit(*world[:2], task=world.task)
    stream = MultiTaskSPCA()
    for rows in np.array_split(np.random.default_rng(0).permutation(600), 5):
        X, y, task = (there(part[rows]) for part in world)
        stream.partial_fit(X, y, task=task, classes=[0, 1, 2])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="which classes did not announce"):
        stream.partial_fit(X, y + 7, task=task)


def test_rows_that_fade(there: Convert) -> None:
    world = random_world(3, n=300)
    weights = np.random.default_rng(0).integers(0, 3, 300).astype(float)
    models = [
        MultiTaskSPCA(forget=0.01).fit(X, y, task=task, sample_weight=w)
        for (X, y, task), w in ((world, weights), (placed(world, there), there(weights)))
    ]
    np.testing.assert_allclose(models[1].coef_, models[0].coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "kind", ["text", "neighbours", "far apart", "uint64", "bool", "float", "half tasks"]
)
def test_ids_of_any_kind(there: Convert, kind: str) -> None:
    X, y, task = random_world(4, n=400, n_classes=2)
    given: tuple[Any, Any]
    if kind == "text":
        y, task = np.array(["no", "yes"])[y], np.array([*"abcd"])[task]
        given = y, task
    else:
        task = task * 10**9 - 5 if kind == "far apart" else task
        task = task / 2 if kind == "half tasks" else task.astype("u8" if kind == "uint64" else "i8")
        y = y.astype({"bool": bool, "float": np.float32}.get(kind, np.int64))
        given = there(y), there(task)
    found = Statistics.from_samples(there(X), *given, row_sample=20)
    assert_same_statistics(found, Statistics.from_samples(X, y, task, row_sample=20))
    models = MultiTaskSPCA().fit_moments(found.moments, found.sample)
    labels = models.predict(there(X), task=given[1])
    np.testing.assert_array_equal(home(labels), models.predict(X, task=task))
    assert isinstance(labels, np.ndarray) == (kind == "text")


@pytest.mark.parametrize("task", [None, "north", 3])
def test_one_task_for_all_rows_needs_no_memory(there: Convert, task: Any) -> None:
    X, y, _ = random_world(5, n=300, n_classes=2)
    here = MultiTaskSPCA().fit(X, y, task=task)
    found = MultiTaskSPCA().fit(there(X), there(y), task=task)
    assert found.tasks_.tolist() == here.tasks_.tolist()
    np.testing.assert_allclose(found.coef_, here.coef_, rtol=1e-9)
    answers = found.decision_function(there(X), task=task)
    np.testing.assert_allclose(home(answers), here.decision_function(X, task=task), rtol=1e-9)


def test_gaps_between_ids_are_no_cells_and_rows_without_weight_are_not_looked_at(
    there: Convert,
) -> None:
    """An empty cell must not take a row of weight zero, which may be NaN, for its reference."""
    X, y, task = random_world(6, n=300)
    weights = np.random.default_rng(0).integers(0, 2, 300).astype(float)
    X[weights == 0] = np.nan
    world = World(X, 3 * y, task * 2)
    here = Statistics.from_samples(*world, sample_weight=weights)
    found = Statistics.from_samples(*placed(world, there), sample_weight=there(weights))
    assert_same_statistics(found, here)


def test_an_outlier_as_the_reference_of_a_cell(there: Convert) -> None:
    X, y, task = random_world(7, n=300)
    X[[0, -1]] = 1e9
    here = ClassMoments.from_samples(X, y, task)
    found = ClassMoments.from_samples(there(X), there(y), there(task))
    np.testing.assert_allclose(found.means, here.means, rtol=1e-12)
    np.testing.assert_allclose(found.squares, here.squares, rtol=1e-9)


def test_unseen_tasks_get_what_the_others_agree_on(there: Convert) -> None:
    world = random_world(11)
    model = MultiTaskSPCA(unseen="shared").fit(world.X, world.y, task=world.task)
    some = np.where(world.task > 1, 9, 0)
    for here, given in ((9, 9), (some, there(some))):
        found = model.predict_proba(there(world.X), task=given)
        np.testing.assert_allclose(home(found), model.predict_proba(world.X, task=here), rtol=1e-9)


def test_labels_on_a_device_beside_rows_of_numpy(there: Convert) -> None:
    world = random_world(12)
    weights = np.arange(300.0) % 3
    here = Statistics.from_samples(*world, sample_weight=weights)
    mixed = Statistics.from_samples(
        world.X, *placed(world, there)[1:], sample_weight=there(weights)
    )
    assert_same_statistics(mixed, here)


def test_baselines_take_rows_from_a_device(there: Convert) -> None:
    world = random_world(13)
    X, y, task = placed(world, there)
    for baseline in (FeatureAugmentation, NaiveSPCA):
        here = baseline().fit(world.X, world.y, task=world.task)
        found = baseline().fit(X, y, task=task)
        np.testing.assert_allclose(found.coef_, here.coef_, rtol=1e-9)
        assert found.score(X, y, task=task) == here.score(world.X, world.y, task=world.task)


def test_a_row_sample_alone_needs_no_moments_before_it(there: Convert) -> None:
    from kinspan._validation.labelled_rows import CheckedRows, check_labelled_rows  # noqa: PLC0415

    world = random_world(14)
    X, y, task = placed(world, there)
    found = RowSample.from_checked(check_labelled_rows(X, y, task, None), 15)
    here = RowSample.from_checked(CheckedRows(*world), 15)
    np.testing.assert_array_equal(found.keys, here.keys)
    np.testing.assert_array_equal(found.rows, here.rows)


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
def test_repeated_rows_and_few_kept_ones_are_sampled_as_on_the_cpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Short keys may leave no row at all, and the bound on all rows may bite."""
    convert = strict("device1")
    y = np.arange(600) % 2
    X = np.outer(y + 3.0, np.arange(1.0, 20.0))
    for factor in (1.0, 3.0, 7.0, 11.0, 13.0):
        ours = Statistics.from_samples(convert(factor * X), convert(y))
        assert ours.to_bytes() == Statistics.from_samples(factor * X, y).to_bytes()
    rows = np.random.default_rng(0).normal(size=(4000, 19))
    monkeypatch.setattr(kept_rows, "_NUMBERS", 2 * 19 * 10)
    many = np.arange(4000) % 2
    ours = Statistics.from_samples(convert(rows), convert(many))
    theirs = Statistics.from_samples(rows, many)
    assert ours.sample is not None
    assert theirs.sample is not None
    assert ours.sample.bound == 10
    np.testing.assert_array_equal(ours.sample.keys, theirs.sample.keys)


def test_ids_beyond_signed_integers_are_not_those_of_negative_ones() -> None:
    convert = strict("device1")
    rng = np.random.default_rng(0)
    X, y, task = rng.normal(size=(80, 3)), np.arange(80) % 2, np.arange(80) // 2 % 4 - 1
    clf = MultiTaskSPCA().fit(X, y, task=task)
    with pytest.raises(ValueError, match="18446744073709551615"):
        clf.predict(convert(X[:2]), task=convert(np.full(2, 2**64 - 1, dtype=np.uint64)))


class TestTorch:
    """What only tensors have."""

    @pytest.fixture
    def torch(self) -> Any:
        return pytest.importorskip("torch")

    def test_bfloat16(self, torch: Any) -> None:
        pytest.importorskip("array_api_compat")
        world = random_world(16, n_classes=2)
        X = torch.from_numpy(world.X).to(torch.bfloat16)
        model = MultiTaskSPCA().fit(X, torch.from_numpy(world.y), task=torch.from_numpy(world.task))
        exact = X.float().numpy()
        here = MultiTaskSPCA().fit(exact, world.y, task=world.task)
        np.testing.assert_allclose(model.coef_, here.coef_, rtol=1e-9)
        found: Any = model.predict(X, task=torch.from_numpy(world.task))
        np.testing.assert_array_equal(found.numpy(), here.predict(exact, task=world.task))

    def test_derivatives_are_left_alone(self, torch: Any) -> None:
        world = random_world(17)
        X = torch.from_numpy(world.X).requires_grad_()
        model = MultiTaskSPCA().fit(X, world.y, task=world.task)
        found: Any = model.predict_proba(X, task=world.task)
        assert not found.requires_grad


def test_kernels_are_for_cuda_alone() -> None:
    from kinspan._device.kernels import has_kernels  # noqa: PLC0415

    assert not has_kernels(SimpleNamespace(is_cuda=False))
    assert has_kernels(SimpleNamespace(is_cuda=True)) == (find_spec("triton") is not None)
