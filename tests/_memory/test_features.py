"""Sites with other features meet by name: what a site does not have is missing in its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kinspan import MultiTaskSPCA, Statistics
from tests.worlds import random_world

EXACT: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-9}
X, Y, TASK = random_world(1)
NAMES = list("abcdefg")
FRAME = pd.DataFrame(X, columns=NAMES)
COLUMNS = {0: list("abcde"), 1: list("abcdefg"), 2: list("gcd"), 3: list("abcdefg")}


def holed() -> pd.DataFrame:
    """All rows in one frame, with NaN where a site does not have a column."""
    frame = FRAME.copy()
    for site, columns in COLUMNS.items():
        frame.loc[site == TASK, [n for n in NAMES if n not in columns]] = np.nan
    return frame


def site(number: int, **options: Any) -> Statistics:
    rows = number == TASK
    return Statistics.from_samples(FRAME.loc[rows, COLUMNS[number]], Y[rows], number, **options)


def by_name(model: MultiTaskSPCA) -> Any:
    return model.coef_[..., np.argsort(model.feature_names_in_)]


WHOLE = MultiTaskSPCA().fit(holed(), Y, task=TASK)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 3, 1, 0), (3, 0, 2, 1)])
def test_sites_add_by_name_in_any_order(order: tuple[int, ...]) -> None:
    parts = [site(number) for number in order]
    model = MultiTaskSPCA().merge(sum(parts[1:], parts[0]))
    one_by_one = MultiTaskSPCA()
    for part in parts:
        one_by_one.merge(Statistics.from_bytes(part.to_bytes()))
    for found in (model, one_by_one):
        assert sorted(found.feature_names_in_) == NAMES
        assert found.n_features_in_ == 7
        np.testing.assert_allclose(by_name(found), by_name(WHOLE), **EXACT)
        np.testing.assert_allclose(found.forecast_error_, WHOLE.forecast_error_, **EXACT)


def test_models_of_other_features_merge_by_name() -> None:
    models = [
        MultiTaskSPCA().partial_fit(FRAME.loc[t == TASK, COLUMNS[t]], Y[t == TASK], task=t)
        for t in range(4)
    ]
    merged = models[0] + models[1] + models[2] + models[3]
    np.testing.assert_allclose(by_name(merged), by_name(WHOLE), **EXACT)
    assert models[0].feature_names_in_.tolist() == COLUMNS[0]


def test_a_site_can_be_removed_again() -> None:
    model = MultiTaskSPCA().merge(site(1) + site(2) + site(0) + site(3)).remove(site(2))
    others = TASK != 2
    expected = MultiTaskSPCA().fit(holed()[others], Y[others], task=TASK[others])
    np.testing.assert_allclose(by_name(model), by_name(expected), **EXACT)
    rest = (site(1) + site(2)) - site(2)
    np.testing.assert_allclose(rest.moments.means, site(1).moments.means, **EXACT)


def test_rows_that_came_with_other_columns_are_not_removed_by_half() -> None:
    model = MultiTaskSPCA().fit(holed(), Y, task=TASK)
    with pytest.raises(ValueError, match="with other columns or in another order of these"):
        model.remove(site(2))
    with pytest.raises(ValueError, match="'z' was not learnt; the features are 'a', 'b'"):
        model.remove(Statistics.from_samples(FRAME.rename(columns={"a": "z"}), Y, TASK))
    np.testing.assert_array_equal(model.coef_, WHOLE.coef_)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames_may_lack_columns_that_some_task_lacks(library: Any) -> None:
    for t, columns in COLUMNS.items():
        rows = t == TASK
        frame = library(FRAME.loc[rows, columns].to_dict("list"))
        expected = WHOLE.predict_proba(holed()[rows], task=t)
        np.testing.assert_array_equal(WHOLE.predict_proba(frame, task=t), expected)


def test_other_columns_cannot_be_lacking() -> None:
    with pytest.raises(ValueError, match=r"feature names should match"):
        WHOLE.predict(FRAME[list("abdefg")], task=1)  # everybody has c
    with pytest.raises(ValueError, match=r"feature names should match"):
        WHOLE.predict(FRAME.rename(columns={"a": "A"}), task=1)
    whole = MultiTaskSPCA().fit(FRAME, Y, task=TASK)
    with pytest.raises(ValueError, match=r"feature names should match"):
        whole.predict(FRAME[NAMES[:-1]], task=1)


def test_a_task_column_is_no_feature() -> None:
    frame = holed().assign(site=TASK)
    model = MultiTaskSPCA(task_column="site").fit(frame, Y)
    rows = frame[TASK == 0].drop(columns=["f", "g"])
    np.testing.assert_array_equal(model.predict(rows), WHOLE.predict(holed()[TASK == 0], task=0))


def test_a_task_column_by_position_is_no_feature_either() -> None:
    frame = holed()
    frame.insert(2, "site", TASK)
    model = MultiTaskSPCA(task_column=2).fit(frame, Y)
    np.testing.assert_array_equal(model.predict(frame), WHOLE.predict(holed(), task=TASK))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.drop(columns="g"))  # positions count columns that are there
    assert len(model.add_task("new", frame[TASK == 0].assign(site="new")).tasks_) == 5
    assert model._statistics.feature_names == tuple(NAMES)


def test_features_without_a_common_name_do_not_meet() -> None:
    other = Statistics.from_samples(pd.DataFrame(X[:, :2], columns=["y", "z"]), Y, TASK)
    with pytest.raises(ValueError, match=r"the first has 'g', 'c', 'd', the second 'y', 'z'"):
        site(2) + other


def test_a_new_task_without_labels_brings_its_columns() -> None:
    first = MultiTaskSPCA().merge(site(1) + site(3))
    placed = MultiTaskSPCA().merge(site(1) + site(3)).add_task("new", FRAME[TASK == 2])
    wide = Statistics.from_samples(FRAME[TASK == 0].assign(more=1.0), Y[TASK == 0], 0)
    both = placed.merge(wide)
    assert both.unlabelled_ is not None
    assert both.unlabelled_.n_features == 8
    assert len(first.merge(wide).tasks_) == 3
    assert both.predict(FRAME[TASK == 2], task="new").shape == ((TASK == 2).sum(),)


def test_sites_without_a_common_feature_meet_through_those_before_them() -> None:
    names = ["ab", "ab", "a", "b"]
    model, holes = MultiTaskSPCA(), FRAME[["a", "b"]].copy()
    for t, columns in enumerate(names):
        rows = t == TASK
        model.merge(Statistics.from_samples(FRAME.loc[rows, list(columns)], Y[rows], t))
        holes.loc[rows, [n for n in "ab" if n not in columns]] = np.nan
    expected = MultiTaskSPCA().fit(holes, Y, task=TASK)
    np.testing.assert_allclose(model.coef_, expected.coef_, **EXACT)


def test_batches_with_other_columns_are_refused_with_the_way_out() -> None:
    model, said = MultiTaskSPCA().fit(FRAME, Y, task=TASK), r"now missing:\n- c\n(.*\n)*.*in merge"
    with pytest.raises(ValueError, match=said):
        model.partial_fit(FRAME[["a", "b"]], Y, task=TASK)
    with pytest.raises(ValueError, match=said):
        model.add_task("new", FRAME[["a", "b"]], Y)


def test_columns_of_sites_are_found_in_any_order() -> None:
    model = MultiTaskSPCA().merge(site(0) + site(1) + site(2) + site(3))
    expected = WHOLE.predict_proba(FRAME, task=TASK)
    for order in (NAMES[::-1], list("gcdabfe")):
        found = model.predict_proba(FRAME[order], task=TASK)
        np.testing.assert_allclose(found, expected, rtol=1e-8)
        np.testing.assert_array_equal(WHOLE.predict_proba(FRAME[order], task=TASK), expected)
    with pytest.raises(ValueError, match="in the same order as they were in fit"):
        MultiTaskSPCA().fit(FRAME, Y, task=TASK).predict(FRAME[NAMES[::-1]], task=TASK)


def test_next_to_a_named_task_columns_are_found_by_name() -> None:
    frame = FRAME.assign(site=TASK)
    model = MultiTaskSPCA(task_column="site").fit(frame, Y)
    expected = model.predict_proba(frame)
    np.testing.assert_array_equal(model.predict_proba(frame[frame.columns[::-1]]), expected)
    again = MultiTaskSPCA(task_column="site").merge(model._statistics)
    assert again.feature_names_in_.tolist() == ["site", *NAMES]
    np.testing.assert_array_equal(again.predict_proba(frame), expected)


def test_a_fit_of_statistics_knows_their_names() -> None:
    """Moments alone have none: columns would be found by position."""
    both, frame = site(2) + site(1) + site(0), FRAME[TASK != 3]
    model = MultiTaskSPCA().fit(X, Y, task=TASK).fit_moments(both)
    expected = MultiTaskSPCA().merge(both)
    assert model.feature_names_in_.tolist() == list(both.feature_names or ())
    for more in (site(1), site(3)):
        found = model.predict_proba(frame, task=TASK[TASK != 3])
        known = expected.predict_proba(frame, task=TASK[TASK != 3])
        np.testing.assert_array_equal(found, known)
        model.merge(more)
        expected.merge(more)
    assert not hasattr(model.fit_moments(both.moments, both.sample), "feature_names_in_")
    with pytest.raises(ValueError, match="Statistics contain their sample"):
        model.fit_moments(both, both.sample)
