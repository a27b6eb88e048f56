"""Moments of rows with holes are those of the values that are there, and holes do not tell more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import ClassMoments, MultiTaskSPCA, Statistics
from kinspan._rows.holes import filled_rows, with_alike_holes
from kinspan._rows.keys import PUBLIC, content_keys
from kinspan.exceptions import InexactRemovalWarning
from tests.worlds import random_world


def with_holes(seed: int, share: float = 0.3) -> tuple[Any, Any, Any]:
    X, y, task = random_world(seed)
    rng = np.random.default_rng(seed)
    X[rng.random(X.shape) < share] = np.nan
    return X, y, task


def same(first: ClassMoments, second: ClassMoments) -> None:
    for name in ("tasks", "classes"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    for name in ("counts", "means", "squares", "numbers"):
        np.testing.assert_allclose(
            getattr(first, name), getattr(second, name), rtol=1e-10, atol=1e-10
        )


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_moments_are_those_of_the_values_that_are_there(container: Any, offset: float) -> None:
    X, y, task = with_holes(1)
    X = X + offset
    found = ClassMoments.from_samples(container(X), y, task)
    for t, c in np.ndindex(found.counts.shape):
        rows = X[(task == found.tasks[t]) & (y == found.classes[c])]
        assert found.counts[t, c] == len(rows)
        np.testing.assert_array_equal(found.numbers[t, c], (~np.isnan(rows)).sum(axis=0))
        np.testing.assert_allclose(found.means[t, c], np.nanmean(rows, axis=0), rtol=1e-12)
        expected = np.nanvar(rows - offset, axis=0) * (~np.isnan(rows)).sum(axis=0)
        np.testing.assert_allclose(found.squares[t, c], expected, rtol=1e-7)


def test_weights_are_frequencies_of_the_values_too() -> None:
    X, y, task = with_holes(2)
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    repeated = (np.repeat(a, weights, axis=0) for a in (X, y, task))
    same(
        ClassMoments.from_samples(X, y, task, sample_weight=weights),
        ClassMoments.from_samples(*repeated),
    )


def test_batches_add_in_any_order_and_subtract_again() -> None:
    X, y, task = with_holes(3)
    whole = ClassMoments.from_samples(X, y, task)
    cut = np.array_split(np.random.default_rng(1).permutation(len(X)), 5)
    parts = [ClassMoments.from_samples(X[rows], y[rows], task[rows]) for rows in cut]
    same(sum(parts[1:], parts[0]), whole)
    same(sum(parts[:0:-1], parts[0]), whole)
    rest = np.concatenate(cut[1:])
    same(whole - parts[0], ClassMoments.from_samples(X[rest], y[rest], task[rest]))


def test_complete_rows_are_counted_among_others_and_grow_nothing_alone() -> None:
    X, y, task = random_world(4)
    complete = ClassMoments.from_samples(X, y, task)
    assert complete.observed is None
    holed = X.copy()
    holed[::3, 2] = np.nan
    both = complete + ClassMoments.from_samples(holed, y, task)
    twice = (np.concatenate(pair) for pair in ((X, holed), (y, y), (task, task)))
    same(both, ClassMoments.from_samples(*twice))
    assert (both - ClassMoments.from_samples(holed, y, task)).observed is None


def test_holes_fade_with_their_rows() -> None:
    X, y, task = with_holes(5)
    found = ClassMoments.from_samples(X, y, task)
    half = found.faded(np.full(found.counts.shape, 0.5))
    np.testing.assert_allclose(half.numbers, found.numbers / 2)
    np.testing.assert_allclose(half.effective().numbers, found.numbers)


def test_the_bits_of_a_hole_do_not_matter() -> None:
    rows = np.array([[1.0, np.nan], [2.0, 3.0]])
    other = rows.copy()
    other.view(np.uint64)[0, 1] = 0xFFF8000000000123  # another NaN
    for container in (np.asarray, sp.csr_array):
        keys = [
            content_keys(with_alike_holes(container(X)), np.arange(2), PUBLIC)
            for X in (rows, other)
        ]
        np.testing.assert_array_equal(keys[0], keys[1])
    first, second = (Statistics.from_samples(X, [0, 0]).sample for X in (rows, other))
    assert first is not None
    assert second is not None
    np.testing.assert_array_equal(first.keys, second.keys)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_filled_rows_differ_from_the_rows_only_in_their_holes(container: Any) -> None:
    X, _, task = with_holes(6)
    fills = np.random.default_rng(2).normal(size=(task.max() + 1, X.shape[1]))
    given = container(X)
    found = sp.coo_array(filled_rows(given, fills, task)).toarray()
    np.testing.assert_array_equal(found, np.where(np.isnan(X), fills[task], X))
    np.testing.assert_array_equal(sp.coo_array(given).toarray(), X)


def test_values_of_too_few_rows_do_not_leave_a_site() -> None:
    X, y, task = with_holes(7, share=0.8)
    found = Statistics.from_samples(X, y, task).without_small(5).moments
    assert found.observed is not None
    few = found.observed < 5
    assert few.any()
    assert not found.observed[few].any()
    assert not found.means[few].any()
    assert not found.squares[few].any()


def test_infinity_next_to_holes_is_refused_by_name() -> None:
    X, y, task = with_holes(8)
    X[3, 4] = np.inf
    with pytest.raises(ValueError, match="X contains infinity in column 4, in 1 of 300 rows"):
        ClassMoments.from_samples(X, y, task)
    X[3, 4] = 1e300
    with pytest.raises(ValueError, match=r"squares overflow, up to 1e\+300 in column 4"):
        ClassMoments.from_samples(X, y, task)
    with pytest.raises(ValueError, match="missing='keep'; use one of 'impute', 'refuse'"):
        ClassMoments.from_samples(X, y, task, missing="keep")


@pytest.mark.parametrize("extra", [0.0, np.nan])
def test_values_that_were_never_there_cannot_be_removed(extra: float) -> None:
    """Nor rows without values that all rows of their cell have."""
    X, y = np.arange(24.0).reshape(8, 3), np.tile([0, 1], 4)
    X[2:, 2] = np.nan if extra == 0.0 else 1.0
    X[:2, 2] = 1.0
    whole, removed = ClassMoments.from_samples(X, y), X[:4].copy()
    assert (whole - ClassMoments.from_samples(X[:2], y[:2])).counts.tolist() == [[3.0, 3.0]]
    removed[:, 2] = extra
    text = "they have more values" if extra == 0.0 else "more values of a feature than rows"
    with pytest.raises(ValueError, match=f"not among those that were learnt: .*{text}"):
        _ = whole - ClassMoments.from_samples(removed, y[:4])
    sums = [Statistics.from_samples(part, y[: len(part)]) for part in (X, removed)]
    with pytest.raises(ValueError, match=text):
        _ = sums[0] - sums[1]


def test_rows_with_holes_that_faded_can_be_removed() -> None:
    """With full weight, of which some has faded: never more values than rows are left."""
    X, y = np.arange(24.0).reshape(8, 3), np.tile([0, 1], 4)
    X[4:6, 2] = np.nan
    model = MultiTaskSPCA(forget=0.2).partial_fit(X, y)
    with pytest.warns(InexactRemovalWarning):
        model.remove(ClassMoments.from_samples(X[4:6], y[4:6]))
    left = model.moments_
    assert (left.numbers <= left.counts[..., None]).all()
    assert (left.numbers >= 0).all()
