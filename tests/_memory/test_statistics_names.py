"""Names of features outlive statistics without names: features meet by name in any order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd

from kinspan import MultiTaskSPCA, Statistics
from kinspan._memory.piles import added_up
from kinspan._saving.model_file import to_bytes
from tests.worlds import random_world


def named(names: str | None, task: str) -> Statistics:
    X = np.random.default_rng(0).normal(size=(20, 3))
    given = X if names is None else pd.DataFrame(X, columns=list(names))
    return Statistics.from_samples(given, np.tile([0, 1], 10), task, row_sample=0)


def test_a_sum_has_the_names_of_any_part() -> None:
    for parts in permutations([named("abc", "one"), named(None, "two"), named(None, "three")]):
        whole = added_up(parts)
        assert whole is not None
        assert whole.feature_names == sum(parts[1:], parts[0]).feature_names == ("a", "b", "c")


def test_features_in_another_order_meet_by_name() -> None:
    for parts in permutations([named("abc", "one"), named("bca", "two"), named("acb", "three")]):
        whole = sum(parts[1:], parts[0])
        for task, names in (("one", "abc"), ("two", "bca"), ("three", "acb")):
            t = whole.moments.tasks.tolist().index(task)
            found = dict(zip(whole.feature_names or (), whole.moments.means[t].T, strict=True))
            expected = dict(zip(names, named(names, task).moments.means[0].T, strict=True))
            for name in "abc":
                np.testing.assert_allclose(found[name], expected[name])


def test_weights_count_as_rows_when_small_cells_are_withheld() -> None:
    """It is said so: a row of weight 5 passes."""
    X = np.random.default_rng(0).normal(size=(7, 2))
    weights = [5.0, *[1.0] * 6]
    statistics = Statistics.from_samples(X, [1] + [0] * 6, sample_weight=weights, row_sample=0)
    assert statistics.without_small(5).moments.counts.tolist() == [[6.0, 5.0]]
    assert statistics.without_small(6).moments.counts.tolist() == [[6.0]]


def test_a_model_of_moments_alone_holds_no_row() -> None:
    X, y, task = random_world(0)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    bare = MultiTaskSPCA(row_sample=0).merge(Statistics(clf.moments_, None))
    assert bare.predict(X, task=task).shape == (len(X),)
    few = [row.tobytes() for row in np.asarray(X)]
    assert any(row in to_bytes(clf) for row in few)
    assert not any(row in to_bytes(bare) for row in few)
