"""Rows that come often count as often as they came, also in cells with more rows than are kept."""

from __future__ import annotations

import secrets
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, Statistics
from kinspan._rows.keys import PUBLIC, RowKey, content_keys
from kinspan._saving.model_file import from_bytes, to_bytes
from kinspan._validation.labelled_rows import CheckedRows
from kinspan.row_sample import RowSample

KINDS = ("one", "three", "all different", "few")


def rows_of(kind: str, seed: int, n: int = 900, p: int = 18) -> Any:
    """One cell: of `one`, 60 % of the rows are the same; `three` have 30, 15 and 5 %."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if kind == "few":
        return X[rng.integers(0, 20, n)]
    shares = {"one": [0.6], "three": [0.3, 0.15, 0.05], "all different": []}[kind]
    start, place = 0.0, rng.uniform(size=n)
    for i, share in enumerate(shares):
        X[(place >= start) & (place < start + share)] = i - 0.5
        start += share
    return X


def sample(X: Any, size: int = 160, **settings: Any) -> RowSample:
    zeros = np.zeros(len(X), dtype=int)
    found = Statistics.from_samples(X, zeros, zeros, row_sample=size, **settings).sample
    assert found is not None
    return found


def assert_same(a: RowSample, b: RowSample) -> None:
    """The same rows count the same; rows with less than 8/size of a cell may not."""
    a, b = a.effective(), b.effective()
    np.testing.assert_array_equal(a.keys, b.keys)
    np.testing.assert_array_equal(a.rows, b.rows)
    np.testing.assert_allclose(a.weights, b.weights, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["random", "sorted", "reversed"])
def test_order_and_partition_do_not_matter(kind: str, order: str) -> None:
    for seed in range(3):
        X = rows_of(kind, seed)
        whole, rng = sample(X), np.random.default_rng(seed)
        order_of = np.lexsort(X.T) if order != "random" else rng.permutation(len(X))
        order_of = order_of[::-1] if order == "reversed" else order_of
        assert_same(sample(X[order_of]), whole)
        for n_parts in (2, 9, 60):
            parts = [sample(X[i]) for i in np.array_split(order_of, n_parts)]
            assert_same(reduce(add, parts), whole)
            assert_same(reduce(lambda a, b: b + a, parts), whole)


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_at_a_time_is_the_same(kind: str) -> None:
    X = rows_of(kind, 5, n=400)
    assert_same(reduce(add, [sample(X[[i]]) for i in range(len(X))]), sample(X))


@pytest.mark.parametrize("first", [0, 3000])
def test_a_stream_finds_what_a_fit_finds(first: int) -> None:
    """Also where the row that repeats comes only after many others."""
    X = np.concatenate([rows_of("all different", 1, first), rows_of("one", 2, 3000)])
    y = np.arange(len(X)) % 2
    X[y == 1] += 0.25
    whole, stream = MultiTaskSPCA().fit(X, y), MultiTaskSPCA()
    for part in np.array_split(np.arange(len(X)), 300):
        stream.partial_fit(X[part], y[part])
    assert whole.sample_ is not None
    assert stream.sample_ is not None
    assert whole.sample_.is_frequent.sum() >= 1
    assert_same(stream.sample_, whole.sample_)
    np.testing.assert_allclose(stream.forecast_error_, whole.forecast_error_, rtol=1e-9)


@pytest.mark.parametrize(("kind", "values"), [("one", [-0.5]), ("three", [-0.5, 0.5, 1.5])])
def test_repeated_rows_have_their_share(kind: str, values: list[float]) -> None:
    """Not more and not less, whether their key is small or not: over 40 keys."""
    X = rows_of(kind, 7, n=4000)
    for key in range(40):
        found = sample(X, 100, random_state=key).effective()
        for value in values:
            share = found.weights[(found.rows == value).all(axis=1)].sum() / found.weights.sum()
            assert share == pytest.approx((value == X).all(axis=1).mean(), abs=0.005)


def test_means_of_samples_are_those_of_all_rows() -> None:
    """Over 300 keys, in four standard errors: many rows come a few times, one very often."""
    rng = np.random.default_rng(0)
    copies = np.append(rng.zipf(1.6, 800).clip(max=20), 1000)
    X = np.repeat(rng.normal(size=(801, 3)) + np.log(copies)[:, None], copies, axis=0)
    samples = [sample(X, 50, random_state=key).effective() for key in range(300)]
    means = np.array([np.average(s.rows, axis=0, weights=s.weights) for s in samples])
    error = means.std(axis=0) / np.sqrt(300)
    bias = np.abs(means.mean(axis=0) - X.mean(axis=0))
    assert (bias < 4 * error + 0.02).all()  # a ratio of sums has a bias of one over their number


def test_a_sample_is_worth_as_many_rows_as_are_independent() -> None:
    different = sample(rows_of("all different", 0, 4000), 100).effective()
    assert different.weights.sum() == pytest.approx(100)
    whole = sample(rows_of("few", 0, 4000), 100).effective()
    assert whole.weights.sum() == 4000
    often = sample(rows_of("one", 0, 4000), 100).effective()
    assert often.weights.sum() == pytest.approx(100 / 0.4, rel=0.1)


def test_removed_rows_no_longer_count() -> None:
    X = rows_of("one", 3, n=3000)
    often = (X == -0.5).all(axis=1)
    gone = np.flatnonzero(often)[:1500]
    rest = sample(X) - sample(X[gone])
    kept = np.setdiff1d(np.arange(3000), gone)
    assert_same(rest, sample(X[kept]))
    nothing = (sample(X) - sample(X[often])).effective()
    assert not (nothing.rows == -0.5).all(axis=1).any()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fill", [0.0, -1.0, 5.0])
def test_forecasts_with_many_equal_rows_are_right(n_classes: int, fill: float) -> None:
    """60 % of all rows are the same in all classes; before, the forecast was .1 to .3 off."""
    rng = np.random.default_rng(10)
    means = rng.normal(size=(n_classes, 20)) * 0.35

    def draw(n: int) -> tuple[Any, Any, Any]:
        y, task = rng.integers(0, n_classes, n), rng.integers(0, 3, n)
        X = rng.normal(size=(n, 20)) + means[y]
        X[rng.uniform(size=n) < 0.6] = fill
        return X, y, task

    X, y, task = draw(6000)
    model = MultiTaskSPCA().fit(X, y, task=task)
    new, new_y, new_task = draw(20_000)
    true = 1 - model.score(new, new_y, task=new_task)
    tolerance = 0.07 if n_classes == 2 else 0.03  # tails of two points are not Gaussian
    assert abs(model.forecast_error_.mean() - true) < tolerance


def crafted(n: int, p: int) -> Any:
    """Rows with the smallest public keys among many."""
    X = np.random.default_rng(9).normal(size=(40_000, p)) + 3.0
    return X[np.argsort(content_keys(X, np.arange(len(X)), PUBLIC))[:n]]


def test_crafted_rows_count_no_more_than_others_if_the_key_is_unknown() -> None:
    honest = rows_of("all different", 4, n=9_900)
    bad = crafted(100, 18)
    X = np.concatenate([honest, bad])

    def share(**settings: Any) -> float:
        found = sample(X, 100, **settings).effective()
        is_bad = (found.rows[:, None, 0] == bad[:, 0]).any(axis=1)
        return float(found.weights[is_bad].sum() / found.weights.sum())

    assert share() > 0.5  # whoever knows the key chooses the sample
    shares = [share(random_state=key) for key in range(1, 101)]
    assert abs(np.mean(shares) - 0.01) < 4 * np.sqrt(0.01 * 0.99 / 10_000)
    assert max(shares) < 0.08


def test_rows_of_binary_numbers_have_keys_that_nobody_can_tell() -> None:
    """Zeros and powers of two have few bits; multiplied, these must not stay few."""
    X = np.random.default_rng(0).integers(0, 2, (5000, 20)) * 2.0
    for key in (1, 2):
        short = content_keys(X, np.arange(5000), RowKey.of(key)) >> 32
        assert len(np.unique(short)) > 0.97 * len(np.unique(X, axis=0))


def test_other_keys_choose_other_rows_and_do_not_mix() -> None:
    X = rows_of("all different", 0)
    one, same, other = (sample(X, random_state=key) for key in (1, np.int64(1), 2))
    assert_same(one, same)
    assert not np.array_equal(one.rows, other.rows)
    for mixed in (RowSample.__add__, RowSample.__sub__):
        with pytest.raises(ValueError, match="different random_state"):
            mixed(one, other)
        with pytest.raises(ValueError, match="different random_state"):
            mixed(sample(X), one)


@pytest.mark.parametrize("random_state", [-1, 1.5, "secret", True, np.random.RandomState(0)])
def test_keys_are_whole_numbers(random_state: Any) -> None:
    X, y = np.eye(4), [0, 1, 0, 1]
    for learn in (
        lambda: MultiTaskSPCA(random_state=random_state).fit(X, y),
        lambda: Statistics.from_samples(X, y, random_state=random_state),
    ):
        with pytest.raises(ValueError, match="random_state, of type"):
            learn()


def test_files_do_not_hold_the_key_and_models_ask_for_it() -> None:
    key = secrets.randbits(128)
    X, y = rows_of("all different", 0), np.arange(900) % 2
    model = MultiTaskSPCA(random_state=key).fit(X, y)
    assert model.sample_ is not None
    for what in (model, model._learnt.statistics):
        data = to_bytes(what)
        assert str(key).encode() not in data
        assert str(key) not in repr(from_bytes(data))
    assert str(key) not in repr(model.sample_)
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="different random_state"):
        again.partial_fit(X[:5], y[:5])
    again.set_params(random_state=key).partial_fit(X[:5], y[:5])
    np.testing.assert_allclose(again.coef_, model.partial_fit(X[:5], y[:5]).coef_, rtol=1e-9)


def test_weights_are_copies() -> None:
    """Weights are numbers of copies, in strata as everywhere."""
    X = rows_of("one", 1)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    zeros = np.zeros(len(X))
    weighted = RowSample.from_checked(CheckedRows(X, zeros, zeros, weights), 160)
    assert_same(weighted, sample(np.repeat(X, weights.astype(int), axis=0)))
