"""Rows that fade: weights, effective numbers of rows, and tasks that drift."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, MultiTaskSPCA, RowSample, Statistics
from kinspan._saving import model_file
from kinspan._validation.labelled_rows import CheckedRows
from tests._memory.test_streaming import assert_same, fitted, rows, streamed


def weights_of(task: Any, forget: float, frequency: Any = None) -> Any:
    """(1 − forget) to the number of later rows of the same task, one row after the other."""
    later: dict[Any, float] = {}
    weights = np.empty(len(task))
    frequency = np.ones(len(task)) if frequency is None else frequency
    for i in range(len(task))[::-1]:
        weights[i] = (1 - forget) ** later.get(task[i], 0.0)
        later[task[i]] = later.get(task[i], 0.0) + frequency[i]
    return weights


@pytest.mark.parametrize("with_frequencies", [False, True])
def test_moments_are_those_of_weighted_rows(with_frequencies: bool) -> None:
    X, y, task = rows(m=3)
    f = np.random.default_rng(5).integers(1, 4, len(X)) if with_frequencies else np.ones(len(X))
    w = weights_of(task, 0.05, f)
    clf = MultiTaskSPCA(forget=0.05).fit(X, y, task=task, sample_weight=f)
    moments = clf.moments_
    assert moments.squared_weights is not None
    for t, name in enumerate(clf.tasks_):
        for j, label in enumerate(clf.classes_):
            cell = (task == name) & (y == label)
            g = w[cell] * f[cell]
            mean = np.average(X[cell], weights=g, axis=0)
            assert moments.counts[t, j] == pytest.approx(g.sum(), rel=1e-12)
            assert moments.squared_weights[t, j] == pytest.approx((g * w[cell]).sum(), rel=1e-12)
            np.testing.assert_allclose(moments.means[t, j], mean, rtol=1e-12)
            squares = g @ (X[cell] - mean) ** 2
            np.testing.assert_allclose(moments.squares[t, j], squares, rtol=1e-10)


@pytest.mark.parametrize(("row_sample", "n_batches"), [(0, 9), (8, 2), (8, 400), (100, 9)])
def test_batches_do_not_matter_but_their_order_does(row_sample: int, n_batches: int) -> None:
    X, y, task = rows()
    settings = {"forget": 0.02, "row_sample": row_sample}
    whole = fitted(X, y, task, **settings)
    batches = np.array_split(np.arange(400), n_batches)
    assert_same(streamed(batches, X, y, task, **settings), whole, rtol=1e-8)
    backwards = fitted(X[::-1], y[::-1], task[::-1], **settings)
    assert np.abs(backwards.coef_ - whole.coef_).max() > 1e-3


def test_other_tasks_do_not_make_a_task_fade() -> None:
    X, y, task = rows()
    together = MultiTaskSPCA(forget=0.02, row_sample=0).fit(X, y, task=task).moments_
    one = task == "shop 3"
    alone = MultiTaskSPCA(forget=0.02, row_sample=0).fit(X[one], y[one], task=task[one]).moments_
    np.testing.assert_allclose(together.counts[3], alone.counts[0], rtol=1e-12)
    np.testing.assert_allclose(together.means[3], alone.means[0], rtol=1e-12)


def test_hardly_forgetting_is_not_forgetting() -> None:
    X, y, task = rows()
    assert_same(fitted(X, y, task, forget=1e-13), fitted(X, y, task), rtol=1e-8)


def test_effective_moments_have_the_variance_of_a_mean_and_of_rows() -> None:
    """Over many streams of noise: Var(mean) = σ²/n and E squares = σ² (n − 1), n effective."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((60, 4000)) * 3.0  # 4 000 streams of 60 rows
    clf = MultiTaskSPCA(forget=0.1, row_sample=0)
    clf.partial_fit(X, np.zeros(60, dtype=int)).partial_fit(X[:1], [1])
    n = clf.moments_.effective()
    w = 0.9 ** np.arange(1, 61)
    assert n.counts[0, 0] == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-10)
    mean, square = n.means[0, 0], n.squares[0, 0]
    for found, expected in ((mean**2, 9.0 / n.counts[0, 0]), (square, 9.0 * (n.counts[0, 0] - 1))):
        assert abs(found.mean() - expected) < 4 * found.std() / np.sqrt(4000)


def test_a_class_that_is_not_seen_again_is_kept() -> None:
    rng = np.random.default_rng(7)
    clf = MultiTaskSPCA(forget=0.2)
    X = rng.standard_normal((40, 5))
    clf.partial_fit(X + 2, np.ones(40, dtype=int)).partial_fit(X, np.zeros(40, dtype=int))
    before = clf.moments_.effective().counts[0, 1]
    for _ in range(100):
        clf.partial_fit(rng.standard_normal((40, 5)), np.zeros(40, dtype=int))
    assert clf.moments_.effective().counts[0, 1] == pytest.approx(before, rel=1e-6)
    assert clf.classes_.tolist() == [0, 1]
    assert (clf.predict(X + 2) == 1).mean() > 0.9
    assert np.isfinite(clf.forecast_error_).all()


@pytest.mark.parametrize("settings", [{}, {"row_sample": 0, "metric": 0}])
def test_forgetting_follows_a_task_that_drifts(settings: Any) -> None:
    rng = np.random.default_rng(8)

    def batch(turned: bool, n: int = 60) -> Any:
        X, y, task = rng.standard_normal((n, 20)), rng.integers(0, 2, n), rng.integers(0, 4, n)
        X[:, 0] += 2.0 * np.where((task == 0) & turned, 1 - y, y)
        return X, y, task

    still, moving = MultiTaskSPCA(**settings), MultiTaskSPCA(forget=0.03, **settings)
    for turned in [False] * 30 + [True] * 10:
        X, y, task = batch(turned)
        still.partial_fit(X, y, task=task)
        moving.partial_fit(X, y, task=task)
    X, y, task = batch(True, 4000)
    own = task == 0
    assert moving.score(X[own], y[own], task=0) > 0.75
    assert still.score(X[own], y[own], task=0) < 0.3
    assert moving.score(X[~own], y[~own], task=task[~own]) > 0.8


def test_forecasts_of_fading_rows_are_the_error_on_new_ones() -> None:
    rng = np.random.default_rng(9)
    gaps = []
    for _ in range(12):
        shift = rng.standard_normal(15) * 0.45

        def draw(n: int, shift: Any = shift) -> Any:
            X, y, task = rng.standard_normal((n, 15)), rng.integers(0, 2, n), rng.integers(0, 6, n)
            return X + np.outer(y, shift), y, task

        X, y, task = draw(900)
        clf = MultiTaskSPCA(forget=0.04).fit(X, y, task=task)
        X, y, task = draw(20_000)
        gaps.append(float(clf.forecast_error_.mean() - (1 - clf.score(X, y, task=task))))
    assert abs(np.mean(gaps)) < 4 * np.std(gaps, ddof=1) / np.sqrt(len(gaps)) + 0.01


def test_the_sample_prefers_new_rows_and_its_weights_make_up_for_it() -> None:
    """Weighted sums of rows by the sample are those of all rows with their weights."""
    rng = np.random.default_rng(10)
    age = np.arange(2000)[::-1].astype(float)
    totals = []
    for _ in range(60):
        X = np.column_stack([age, rng.standard_normal((2000, 16))])
        fading = 0.995**age
        zeros = np.zeros(2000, dtype=int)
        sample = RowSample.from_checked(CheckedRows(X, zeros, zeros), 100, fading).effective()
        assert len(sample.rows) == 100
        totals.append(float(sample.weights @ sample.rows[:, 0] / sample.weights.sum()))
    expected = float(np.average(age, weights=0.995**age))
    # Ratio of sums: a bias of about one hundredth is left beside the noise.
    assert abs(np.mean(totals) - expected) < 4 * np.std(totals) / np.sqrt(60) + 0.01 * expected


def test_few_rows_are_all_kept_with_their_weights() -> None:
    X, y, task = rows(n=60)
    found = Statistics.from_checked(CheckedRows(X, y, task), 100, weights_of(task, 0.1))
    assert found.sample is not None
    assert len(found.sample.rows) == 60
    moments, sample = found.moments.effective(), found.sample.effective()
    shape = moments.counts.shape
    total = np.bincount(sample.cells, sample.weights, minlength=moments.counts.size)
    np.testing.assert_allclose(total.reshape(shape), moments.counts, rtol=1e-10)


def test_faded_moments_travel_add_and_subtract() -> None:
    X, y, task = rows()
    first = MultiTaskSPCA(forget=0.02, row_sample=0).fit(X[:200], y[:200], task=task[:200]).moments_
    again = ClassMoments.from_bytes(first.to_bytes())
    assert first.squared_weights is not None
    assert again.squared_weights is not None
    np.testing.assert_array_equal(again.squared_weights, first.squared_weights)
    plain = ClassMoments.from_samples(X[200:], y[200:], task[200:])
    rest = (first + plain) - plain
    assert rest.squared_weights is not None
    np.testing.assert_allclose(rest.squared_weights, first.squared_weights, rtol=1e-9)
    np.testing.assert_allclose(rest.effective().counts, first.effective().counts, rtol=1e-9)
    np.testing.assert_allclose(rest.means, first.means, rtol=1e-9)


@pytest.mark.parametrize("forget", [-0.1, 1.0, "slowly", None])
def test_a_rate_of_forgetting_is_a_rate(forget: Any) -> None:
    X, y, task = rows()
    with pytest.raises(ValueError, match="forget="):
        MultiTaskSPCA(forget=forget).fit(X, y, task=task)


@pytest.mark.parametrize(("forget", "every"), [(0.05, 200), (0.2, 50)])
def test_a_rare_class_does_not_fade_to_nothing(forget: float, every: int) -> None:
    n = 20_000
    rng = np.random.default_rng(11)
    y = (np.arange(n) % every == 0).astype(int)
    X = rng.normal(size=(n, 3)) + 2.0 * y[:, None]
    whole, stream = MultiTaskSPCA(forget=forget).fit(X, y), MultiTaskSPCA(forget=forget)
    for b in np.array_split(np.arange(n), 40):
        stream.partial_fit(X[b], y[b])
    assert stream.sample_ is not None
    assert stream.sample_.recency is not None
    assert stream.sample_.recency.min() > 0
    assert_same(stream, whole, rtol=1e-8)
    again = model_file.from_bytes(model_file.to_bytes(stream))
    np.testing.assert_array_equal(again.forecast_error_, stream.forecast_error_)
