"""Statistics of rows without labels: they add, are removed and travel like those of the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kinspan
from kinspan import MultiTaskSPCA, Statistics
from kinspan._memory.piles import added_up
from kinspan._memory.statistics import UNLABELLED_ROWS
from tests.worlds import random_world


def with_gaps(seed: int, marker: Any = np.nan) -> tuple[Any, Any, Any]:
    """Rows of which two in three have no label; all classes keep some."""
    X, y, task = random_world(seed)
    rng = np.random.default_rng(seed)
    X, y, task = (np.concatenate([part] * 3) for part in (X, y, task))
    X = X + 0.1 * rng.standard_normal(X.shape)
    y = np.where(np.arange(len(y)) < len(y) // 3, y.astype(float), marker)
    order = rng.permutation(len(y))
    return X[order], y[order], task[order]


def same(first: Statistics | None, second: Statistics | None) -> None:
    assert first is not None
    assert second is not None
    assert first.moments.tasks.tolist() == second.moments.tasks.tolist()
    np.testing.assert_allclose(first.moments.counts, second.moments.counts)
    np.testing.assert_allclose(first.moments.means, second.moments.means, atol=1e-9)
    assert first.sample is not None
    assert second.sample is not None
    np.testing.assert_array_equal(first.sample.keys, second.sample.keys)


def test_the_sum_of_batches_is_the_statistics_of_all_rows() -> None:
    X, y, task = with_gaps(0)
    whole, parts = Statistics.from_samples(X, y, task), np.array_split(np.arange(len(y)), 4)
    both = added_up(Statistics.from_samples(X[i], y[i], task[i]) for i in parts)
    assert both is not None
    same(both, whole)
    same(both.unlabelled, whole.unlabelled)
    same(Statistics.from_bytes(whole.to_bytes()).unlabelled, whole.unlabelled)


def test_labelled_rows_count_as_if_there_were_no_others() -> None:
    X, y, task = with_gaps(1)
    there = ~np.isnan(y)
    with_others, alone = (
        Statistics.from_samples(*rows) for rows in ((X, y, task), (X[there], y[there], task[there]))
    )
    same(with_others, alone)
    assert with_others.unlabelled is not None
    free = Statistics.from_samples(X[~there], np.zeros((~there).sum()), task[~there])
    np.testing.assert_allclose(with_others.unlabelled.moments.means, free.moments.means)
    assert alone.unlabelled is None
    assert "unlabelled" not in alone.record().meta


def test_more_rows_without_labels_are_kept_but_not_all() -> None:
    X = np.random.default_rng(0).standard_normal((300, 3))
    y = np.full(300, np.nan)
    y[:20] = np.arange(20) % 2
    found = Statistics.from_samples(X, y, row_sample=5)
    assert found.unlabelled is not None
    assert found.unlabelled.sample is not None
    assert len(found.unlabelled.sample.rows) == 5 * UNLABELLED_ROWS
    assert found.unlabelled.moments.counts.tolist() == [[280.0]]


def test_rows_that_are_removed_were_never_there() -> None:
    X, y, task = with_gaps(2)
    out = np.arange(len(y)) % 7 == 0
    model = MultiTaskSPCA().fit(X, y, task=task)
    model.remove(Statistics.from_samples(X[out], y[out], task[out]))
    rest = MultiTaskSPCA().fit(X[~out], y[~out], task=task[~out])
    same(model._learnt.statistics.unlabelled, rest._learnt.statistics.unlabelled)
    np.testing.assert_allclose(model.coef_, rest.coef_, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match="removed has rows without labels"):
        MultiTaskSPCA().fit(*random_world(2)[:2]).remove(Statistics.from_samples(X, y * np.nan))


def test_batches_files_and_merged_models_give_the_rules_of_all_rows(tmp_path: Any) -> None:
    X, y, task = with_gaps(3, marker=-9.0)
    whole = MultiTaskSPCA(unlabelled=-9).fit(X, y, task=task)
    batches, parts = MultiTaskSPCA(unlabelled=-9), np.array_split(np.argsort(y, kind="stable"), 3)
    for part in parts:  # the first has no label at all
        batches.partial_fit(X[part], y[part], task=task[part])
    kinspan.save(whole, tmp_path / "model")
    loaded = kinspan.load(tmp_path / "model")
    merged = MultiTaskSPCA().fit(X[y >= 0], y[y >= 0], task=task[y >= 0])
    free = Statistics.from_samples(X[y < 0], y[y < 0], task[y < 0], unlabelled=-9)
    for model in (batches, loaded, merged.merge(free)):
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-7, atol=1e-10)
        np.testing.assert_allclose(model.unlabelled_weight_, whole.unlabelled_weight_, rtol=1e-7)
    assert loaded.unlabelled == -9
    assert loaded.unlabelled_.counts.sum() == (y < 0).sum()


def test_sparse_rows_frames_and_ready_statistics_give_the_same_rules() -> None:
    X, y, task = with_gaps(7)
    plain, found = MultiTaskSPCA().fit(X, y, task=task), Statistics.from_samples(X, y, task)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    named = pd.Series(y).map({0.0: "a", 1.0: "b", 2.0: "c"})
    for model in (
        MultiTaskSPCA().fit(sp.csr_array(X), y, task=task),
        MultiTaskSPCA().fit(frame, named, task=task),
        MultiTaskSPCA().fit_moments(found.moments, found.sample, found.unlabelled),
    ):
        np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-6, atol=1e-9)
    with pytest.raises(TypeError, match="unlabelled is of type ClassMoments"):
        MultiTaskSPCA().fit_moments(found.moments, found.sample, found.moments)  # type: ignore[arg-type]


def test_rows_of_no_weight_are_not_there() -> None:
    X, y, task = with_gaps(8)
    weights = np.where(np.isnan(y), 0.0, 1.0)
    assert MultiTaskSPCA().fit(X, y, task=task, sample_weight=weights).unlabelled_ is None


def test_rows_without_labels_fade_with_later_ones() -> None:
    X, y, task = with_gaps(4)
    model = MultiTaskSPCA(forget=0.1).fit(X, y, task=task)
    free = model.unlabelled_
    assert free is not None
    assert (free.counts < 1 / 0.1 + 1e-9).all()
    np.testing.assert_array_equal(
        model.moments_.counts,
        MultiTaskSPCA(forget=0.1)
        .fit(X[~np.isnan(y)], y[~np.isnan(y)], task=task[~np.isnan(y)])
        .moments_.counts,
    )


def test_labelled_rows_keep_their_places_among_all() -> None:
    X, y, task = with_gaps(6)
    sample = Statistics.from_samples(X, y, task).sample
    assert sample is not None
    assert sample.positions is not None
    np.testing.assert_array_equal(X[sample.positions], sample.rows)


def test_small_numbers_of_rows_without_labels_do_not_leave_a_site() -> None:
    X = np.random.default_rng(0).standard_normal((30, 3))
    y = np.where(np.arange(30) < 28, np.arange(30) % 2, np.nan)
    found = Statistics.from_samples(X, y, "site")
    assert found.unlabelled is not None
    assert found.without_small(5).unlabelled is None


def test_a_task_without_any_label_is_a_new_task() -> None:
    X, y, task = random_world(5)
    free = X[task == task[0]] + 1.0
    fitted = MultiTaskSPCA().fit(X, y, task=task).add_task("new", free)
    labels = np.concatenate([y.astype(object), np.full(len(free), None)])
    ids = np.concatenate([task.astype(object), np.full(len(free), "new")])
    at_once = MultiTaskSPCA().fit(np.concatenate([X, free]), labels, task=ids)
    new = at_once.tasks_.tolist().index("new")
    assert at_once.unlabelled_weight_[new] == 0
    np.testing.assert_allclose(
        at_once.decision_function(free, task="new"), fitted.decision_function(free, task="new")
    )
