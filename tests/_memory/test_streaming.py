"""A stream of batches is one fit; models merge; rows are unlearnt."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from kinspan import MultiTaskSPCA, Statistics
from kinspan._memory.learnt import Learnt
from kinspan.selection.scales import MANY_NUMBERS

SETTINGS = [{"metric": 0, "row_sample": 0}, {}, {"labels": "single"}, {"row_sample": 7}]


def rows(seed: int = 0, n: int = 400, m: int = 2, k: int = 5, p: int = 12) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 3.0
    y, task = rng.integers(0, m, n), rng.integers(0, k, n)
    X[:, 0] += 1.5 * y
    X[:, 1] += 0.7 * y * (task - 2)
    return X, np.array(list("abcdefgh"))[y], np.array([f"shop {t}" for t in task])


def fitted(X: Any, y: Any, task: Any, **settings: Any) -> MultiTaskSPCA:
    return MultiTaskSPCA(**settings).fit(X, y, task=task)


def streamed(batches: Any, X: Any, y: Any, task: Any, **settings: Any) -> MultiTaskSPCA:
    clf = MultiTaskSPCA(**settings)
    for b in batches:
        clf.partial_fit(X[b], y[b], task=task[b])
    return clf


def assert_same(first: MultiTaskSPCA, second: MultiTaskSPCA, rtol: float = 1e-9) -> None:
    assert first.tasks_.tolist() == second.tasks_.tolist()
    assert first.classes_.tolist() == second.classes_.tolist()
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_", "metric_"):
        ours, theirs = getattr(first, name), getattr(second, name)
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol * np.abs(theirs).max())


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(("n_batches", "m"), [(1, 3), (17, 2), (400, 3)])
def test_any_batches_in_any_order_are_one_fit(settings: Any, m: int, n_batches: int) -> None:
    X, y, task = rows(m=m)
    order = np.random.default_rng(1).permutation(len(X))
    batches = np.array_split(order, n_batches)
    assert_same(streamed(batches, X, y, task, **settings), fitted(X, y, task, **settings))


def test_batches_of_one_task_at_a_time_bring_new_tasks_and_classes() -> None:
    X, y, task = rows(m=4)
    y[task == "shop 0"] = np.where(y[task == "shop 0"] == "d", "a", y[task == "shop 0"])
    batches = [np.flatnonzero(task == t) for t in np.unique(task)]
    clf = MultiTaskSPCA()
    seen = []
    for b in batches:
        clf.partial_fit(X[b], y[b], task=task[b])
        seen.append((len(clf.tasks_), len(clf.classes_), clf.coef_.shape))
    assert seen[0][:2] == (1, 3)
    assert seen[-1] == (5, 4, (5, 4, 12))
    assert_same(clf, fitted(X, y, task))


def test_a_stream_goes_on_after_fit_and_after_questions() -> None:
    X, y, task = rows()
    clf = fitted(X[:100], y[:100], task[:100])
    clf.partial_fit(X[100:200], y[100:200], task=task[100:200])
    assert clf.predict(X[:3], task=task[:3]).shape == (3,)
    clf.partial_fit(X[200:], y[200:], task=task[200:])
    assert_same(clf, fitted(X, y, task))


@pytest.mark.parametrize("container", ["csr", "frame", "float32", "weights"])
def test_other_containers_stream_as_they_fit(container: str) -> None:
    X, y, task = rows()
    options: dict[str, Any] = {}
    data: Any = {"csr": sp.csr_array(X), "float32": X.astype(np.float32)}.get(container, X)
    if container == "frame":
        data = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    w = np.random.default_rng(3).integers(0, 4, len(X)).astype(float)
    clf = MultiTaskSPCA()
    for b in (slice(0, 150), slice(150, 400)):
        part = data.iloc[b] if container == "frame" else data[b]
        options = {"sample_weight": w[b]} if container == "weights" else {}
        clf.partial_fit(part, y[b], task=task[b], **options)
    whole = {"sample_weight": w} if container == "weights" else {}
    expected = MultiTaskSPCA().fit(data, y, task=task, **whole)
    # Single precision within a block: its rows are others in a stream.
    assert_same(clf, expected, rtol=1e-5 if container == "float32" else 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_many_rows_in_single_precision_stream_as_they_fit(seed: int) -> None:
    """They stay in it, and agree to 1e-6; the same numbers in double precision agree as well."""
    X, y, task = rows(seed, n=6000, k=8, p=100)
    X = X.astype(np.float32)
    order = np.random.default_rng(1).permutation(len(X))
    expected = fitted(X, y, task)
    kept = expected.sample_
    assert kept is not None
    assert kept.rows.size > MANY_NUMBERS
    assert_same(streamed(np.array_split(order, 7), X, y, task), expected, rtol=1e-6)
    assert_same(fitted(X.astype(np.float64), y, task), expected, rtol=1e-5)


@pytest.mark.parametrize("p", [3, 20])  # long keys alone, and short ones before them
@pytest.mark.parametrize("seed", range(3))
def test_a_stream_keeps_the_rows_of_one_fit(p: int, seed: int) -> None:
    """Batches drop rows before they are sampled: not those that come often, nor any counts."""
    X, y, task = rows(seed, n=4000, k=2, p=p)
    often = np.random.default_rng(seed).uniform(size=len(X)) < 0.3
    X[often], y[often], task[often] = X[0], y[0], task[0]
    whole = fitted(X, y, task, row_sample=10).sample_
    found = streamed(np.array_split(np.arange(4000), 70), X, y, task, row_sample=10).sample_
    assert whole is not None
    assert found is not None
    for name in ("rows", "cells", "keys", "weights"):
        ours, theirs = (getattr(one, name)[~one.is_frequent] for one in (found, whole))
        np.testing.assert_array_equal(ours, theirs)
    assert (found.rows == X[0]).all(axis=1).any()
    np.testing.assert_array_equal(found.strata.codes, whole.strata.codes)
    np.testing.assert_array_equal(found.strata.weights, whole.strata.weights)


def test_rules_are_found_once_for_many_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, task = rows()
    calls = []
    original = Learnt._find_rules

    def counting(self: Learnt) -> Any:
        calls.append(1)
        return original(self)

    monkeypatch.setattr(Learnt, "_find_rules", counting)
    clf = streamed(np.array_split(np.arange(400), 40), X, y, task)
    assert not calls
    clf.predict(X, task=task), clf.forecast_error_, clf.coef_
    assert len(calls) == 1


def test_one_class_so_far_is_no_error_until_a_question() -> None:
    X, y, task = rows()
    first = y == "a"
    clf = MultiTaskSPCA().partial_fit(X[first], y[first], task=task[first])
    with pytest.raises(ValueError, match="one class, 'a'"):
        clf.predict(X, task=task)
    clf.partial_fit(X[~first], y[~first], task=task[~first])
    assert_same(clf, fitted(X, y, task))


def test_announced_classes_have_columns_before_rows() -> None:
    X, y, task = rows(m=3)
    few = y != "c"
    clf = MultiTaskSPCA()
    clf.partial_fit(X[few], y[few], task=task[few], classes=["a", "b", "c"])
    assert clf.classes_.tolist() == ["a", "b", "c"]
    probabilities = clf.predict_proba(X, task=task)
    assert probabilities.shape == (400, 3)
    assert (probabilities[:, 2] == 0).all()
    two = fitted(X[few], y[few], task[few])
    assert (clf.predict(X, task=task) == two.predict(X, task=task)).mean() > 0.97
    clf.partial_fit(X[~few], y[~few], task=task[~few])
    assert_same(clf, fitted(X, y, task))
    with pytest.raises(ValueError, match=r"'z'.*classes did not announce"):
        clf.partial_fit(X[:1], ["z"], task=task[:1])
    clf.partial_fit(X[:1], ["z"], task=task[:1], classes=["z"])
    assert clf.classes_.tolist() == ["a", "b", "c", "z"]


def test_other_features_are_refused_by_name_and_nothing_changes() -> None:
    X, y, task = rows()
    names = [f"x{i}" for i in range(12)]
    frame = pd.DataFrame(X, columns=names)
    clf = MultiTaskSPCA(missing="refuse").partial_fit(frame[:200], y[:200], task=task[:200])
    before = clf.coef_
    with pytest.raises(ValueError, match="age"):
        clf.partial_fit(frame.rename(columns={"x3": "age"}), y, task=task)
    with pytest.raises(ValueError, match="x11"):
        clf.partial_fit(frame[names[:-1]], y, task=task)
    X[7, 4] = np.nan
    with pytest.raises(ValueError, match="x4"):
        clf.partial_fit(pd.DataFrame(X, columns=names), y, task=task)
    np.testing.assert_array_equal(clf.coef_, before)
    assert clf.moments_.counts.sum() == 200


def test_a_stream_that_never_began_is_not_fitted() -> None:
    for name in ("coef_", "tasks_", "moments_", "forecast_error_"):
        assert not hasattr(MultiTaskSPCA(), name)
    with pytest.raises(NotFittedError):
        MultiTaskSPCA().predict(np.ones((1, 2)))
    with pytest.raises(NotFittedError):
        MultiTaskSPCA().merge(MultiTaskSPCA())
    with pytest.raises(NotFittedError):
        MultiTaskSPCA().remove(Statistics.from_samples(*rows()[:2]))


@pytest.mark.parametrize("settings", SETTINGS)
def test_merged_models_are_one_fit(settings: Any) -> None:
    X, y, task = rows()
    parts = [fitted(X[b], y[b], task[b], **settings) for b in np.array_split(np.arange(400), 3)]
    before = parts[0].coef_.copy()
    merged: Any = sum(parts[1:], parts[0])
    assert_same(merged, fitted(X, y, task, **settings))
    merged = sum(parts[:1])  # starts at 0
    assert_same(merged, parts[0])
    np.testing.assert_array_equal(parts[0].coef_, before)
    assert_same(parts[0].merge(parts[1]).merge(parts[2]), fitted(X, y, task, **settings))
    assert_same(MultiTaskSPCA(**settings).merge(parts[0]), parts[0])


def test_models_of_features_that_cannot_meet_do_not_merge() -> None:
    X, y, task = rows()
    names = [f"x{i}" for i in range(12)]
    first = fitted(pd.DataFrame(X, columns=names), y, task)
    second = fitted(pd.DataFrame(X, columns=[f"weight{i}" for i in range(12)]), y, task)
    with pytest.raises(ValueError, match=r"'weight0', .* and none are the same"):
        first.merge(second)
    with pytest.raises(ValueError, match="12 and of 5 features"):
        fitted(X, y, task) + fitted(X[:, :5], y, task)
    with pytest.raises(TypeError, match="other is of type dict"):
        first.merge({})
    assert first.moments_.counts.sum() == 400


def test_merging_keeps_tasks_without_labels() -> None:
    X, y, task = rows()
    first, second = fitted(X[:200], y[:200], task[:200]), fitted(X[200:], y[200:], task[200:])
    first.add_task("new", X[:20])
    second.add_task("new", X[20:40])
    both = fitted(X, y, task).add_task("new", X[:40])
    assert_same(first + second, both)


def test_streams_survive_pickling_and_copies_are_independent() -> None:
    X, y, task = rows()
    clf = MultiTaskSPCA().partial_fit(X[:200], y[:200], task=task[:200])
    again = pickle.loads(pickle.dumps(clf))
    again.partial_fit(X[200:], y[200:], task=task[200:])
    assert_same(again, fitted(X, y, task))
    assert clf.moments_.counts.sum() == 200


def test_a_pile_of_statistics_stays_small() -> None:
    X, y, task = rows()
    clf = streamed(np.array_split(np.arange(400), 100), X, y, task)
    assert len(clf._learnt.pile) <= 7 + 31  # 100 = 64 + 32 + 4, and batches that wait
    ones: NDArray[Any] = clf.moments_.counts
    assert ones.sum() == 400
    assert len(clf._learnt.pile) == 1


def test_weights_of_a_batch_may_be_small_where_those_of_all_rows_are_not() -> None:
    X, y, task = rows()
    w = np.full(400, 0.4)
    whole = MultiTaskSPCA().fit(X, y, task=task, sample_weight=w)
    stream = MultiTaskSPCA()
    for b in np.array_split(np.arange(400), 200):
        stream.partial_fit(X[b], y[b], task=task[b], sample_weight=w[b])
    assert_same(stream, whole)
    for size in (100, 0):
        tiny = MultiTaskSPCA(row_sample=size).partial_fit(X, y, task=task, sample_weight=w / 400)
        with pytest.raises(ValueError, match="weights are frequencies"):
            tiny.predict(X, task=task)


def test_numbers_of_other_libraries_are_labels() -> None:
    """As `[dataset[i][1] for i in rows]` gives them: arrays without dimensions."""
    X, y, task = rows()
    codes = np.unique(y, return_inverse=True)[1]
    clf = MultiTaskSPCA().fit(X, [np.array(code) for code in codes], task=task)
    assert clf.classes_.tolist() == [0, 1]
    assert_same(clf, MultiTaskSPCA().fit(X, codes, task=task))


def test_extended_precision_is_rounded() -> None:
    X, y, task = rows()
    assert_same(fitted(X.astype(np.longdouble), y, task), fitted(X, y, task))
