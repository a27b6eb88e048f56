"""A fit on rows with holes is the fit on rows that somebody filled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import kinspan
from kinspan import MultiTaskSPCA, Statistics
from kinspan._saving import rules
from tests._rows.test_holes import with_holes
from tests.selection.naive_filling import NaiveFilling, naive_means
from tests.worlds import random_world

EXACT: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-9}


def with_means(X: Any, task: Any, by: Any = None, of: Any = None) -> Any:
    """The naive oracle without sampled rows: a hole takes the mean of its feature in its task."""
    means = naive_means(X if by is None else by, task if of is None else of)
    return np.where(np.isnan(X), np.array([means[t] for t in task.tolist()]), X)


def same_model(first: MultiTaskSPCA, second: MultiTaskSPCA) -> None:
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_", "relatedness_"):
        np.testing.assert_allclose(getattr(first, name), getattr(second, name), **EXACT)


def same_answers(model: MultiTaskSPCA, oracle: MultiTaskSPCA, holed: Any, X: Any, of: Any) -> None:
    for name in ("predict_proba", "decision_function", "transform"):
        np.testing.assert_allclose(
            getattr(model, name)(holed, task=of), getattr(oracle, name)(X, task=of), **EXACT
        )


@pytest.mark.parametrize(
    "parameters",
    [{}, {"labels": "single"}, {"scale": "task"}, {"multi_class": "one-vs-all"}],
)
@pytest.mark.parametrize("share", [0.1, 0.6])
def test_a_fit_is_that_of_filled_rows(parameters: dict[str, Any], share: float) -> None:
    X, y, task = with_holes(1, share)
    naive = NaiveFilling.of(X, task)
    model = MultiTaskSPCA(**parameters).fit(X, y, task=task)
    oracle = MultiTaskSPCA(**parameters).fit(naive.own_rows(X, task), y, task=task)
    same_model(model, oracle)
    new, _, of = with_holes(2, share)
    same_answers(model, oracle, new, naive.rows(new, of), of)


def test_without_sampled_rows_holes_take_the_means_of_tasks() -> None:
    X, y, task = with_holes(1)
    model = MultiTaskSPCA(row_sample=0).fit(X, y, task=task)
    oracle = MultiTaskSPCA(row_sample=0).fit(with_means(X, task), y, task=task)
    same_model(model, oracle)
    new, _, of = with_holes(2)
    same_answers(model, oracle, new, with_means(new, of, by=X, of=task), of)


def test_rows_to_predict_may_have_holes_where_others_had_none() -> None:
    X, y, task = random_world(2)
    model = MultiTaskSPCA().fit(X, y, task=task)
    new, _, of = with_holes(3)
    same_answers(model, model, new, NaiveFilling.of(X, task).rows(new, of), of)
    before = model.predict_proba(X, task=task)
    model.predict_proba(new, task=of)
    np.testing.assert_array_equal(model.predict_proba(X, task=task), before)


def test_complete_rows_are_answered_as_they_are() -> None:
    X, y, task = with_holes(4)
    model = MultiTaskSPCA().fit(X, y, task=task)
    new, _, of = random_world(5)
    coef, intercept = (a[of] for a in (model.coef_, model.intercept_))
    expected = np.einsum("np,nkp->nk", new, coef) + intercept
    np.testing.assert_allclose(model.decision_function(new, task=of), expected, **EXACT)
    some = np.vstack([new, with_holes(6)[0]])
    both = model.predict_proba(some, task=np.concatenate([of, of]))
    np.testing.assert_allclose(both[: len(new)], model.predict_proba(new, task=of), **EXACT)


def test_holes_of_rows_that_are_not_sampled_are_like_those_of_sampled_ones() -> None:
    """The moments of a cell are those of its values and of what its sampled holes took."""
    X, y, task = with_holes(3)
    model = MultiTaskSPCA(row_sample=5).fit(X, y, task=task)
    sample, whole = model.sample_, model._whole
    assert sample is not None
    assert whole.sample is not None
    means = naive_means(X, task)
    for cell in np.unique(sample.cells):
        t, c = divmod(int(cell), 3)
        rows, own = X[(task == t) & (y == c)], sample.cells == cell
        for p in range(X.shape[1]):
            lost = np.isnan(sample.rows[own, p])
            fills = whole.sample.rows[own, p][lost] if lost.any() else means[t][p : p + 1]
            n = np.isnan(rows[:, p]).sum()
            values = np.append(rows[~np.isnan(rows[:, p]), p], np.resize(fills, n * len(fills)))
            weights = np.append(np.ones(len(rows) - n), np.full(n * len(fills), 1 / len(fills)))
            mean = np.average(values, weights=weights)
            square = weights @ (values - mean) ** 2
            np.testing.assert_allclose(whole.moments.means[t, c, p], mean, **EXACT)
            np.testing.assert_allclose(whole.moments.squares[t, c, p], square, **EXACT)


@pytest.mark.parametrize(
    "container",
    [
        np.asarray,
        sp.csr_array,
        pd.DataFrame,
        lambda X: pd.DataFrame(X).convert_dtypes().astype("Float64"),
        lambda X: pl.DataFrame([pl.Series(str(j), X[:, j], nan_to_null=True) for j in range(7)]),
        lambda X: np.where(np.isnan(X), None, X.astype(object)),
    ],
    ids=["array", "sparse", "pandas", "nullable", "polars", "objects"],
)
def test_nulls_of_all_containers_are_holes(container: Any) -> None:
    X, y, task = with_holes(4)
    found = MultiTaskSPCA().fit(container(X), y, task=task)
    plain = MultiTaskSPCA().fit(X, y, task=task)
    np.testing.assert_allclose(found.coef_, plain.coef_, **EXACT)
    given, expected = (
        found.predict_proba(container(X), task=task),
        plain.predict_proba(X, task=task),
    )
    np.testing.assert_allclose(given, expected, **EXACT)


def test_batches_merging_and_removing_lead_to_the_same_model() -> None:
    X, y, task = with_holes(5)
    whole = MultiTaskSPCA().fit(X, y, task=task)
    cut = np.array_split(np.random.default_rng(0).permutation(len(X)), 4)
    stream, sites = MultiTaskSPCA(), []
    for rows in cut:
        stream.partial_fit(X[rows], y[rows], task=task[rows])
        sites.append(Statistics.from_samples(X[rows], y[rows], task[rows]))
    same_model(stream, whole)
    travelled = [Statistics.from_bytes(site.to_bytes()) for site in sites]
    merged = MultiTaskSPCA()
    for site in travelled[::-1]:
        merged.merge(site)
    same_model(merged, whole)
    rest = np.concatenate(cut[1:])
    expected = MultiTaskSPCA().fit(X[rest], y[rest], task=task[rest])
    same_model(stream.remove(travelled[0]), expected)


def test_the_order_of_rows_does_not_matter() -> None:
    X, y, task = with_holes(5)
    order = np.random.default_rng(1).permutation(len(X))
    model = MultiTaskSPCA().fit(X, y, task=task)
    again = MultiTaskSPCA().fit(X[order], y[order], task=task[order])
    same_model(again, model)
    same_answers(again, model, X, X, task)
    names = np.array(["d", "a", "c", "b"])
    renamed = MultiTaskSPCA().fit(X, y, task=names[task])
    for name in ("coef_", "forecast_error_"):
        found, expected = (
            getattr(renamed, name)[np.argsort(np.argsort(names))],
            getattr(model, name),
        )
        np.testing.assert_allclose(found, expected, **EXACT)


def test_a_model_with_holes_is_stored_with_them(tmp_path: Any) -> None:
    X, y, task = with_holes(6)
    model = MultiTaskSPCA().fit(X, y, task=task)
    kinspan.save(model, tmp_path / "model")
    again = kinspan.load(tmp_path / "model")
    np.testing.assert_array_equal(
        again.predict_proba(X, task=task), model.predict_proba(X, task=task)
    )
    more, more_y, more_task = with_holes(7)
    for one in (model, again):
        one.partial_fit(more, more_y, task=more_task)
    np.testing.assert_array_equal(model.coef_, again.coef_)


@pytest.mark.parametrize("version", [5, rules.VERSION])
def test_rules_of_holes_that_took_means_are_found_again(
    version: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, task = with_holes(6)
    model = MultiTaskSPCA().fit(X, y, task=task)
    with monkeypatch.context() as patch:
        patch.setattr(rules, "VERSION", version)
        kinspan.save(model, tmp_path / "before")
    before = kinspan.load(tmp_path / "before")
    assert (before._learnt.found is None) == (version < rules.VERSION)
    np.testing.assert_array_equal(before.coef_, model.coef_)


def test_refusing_is_stored_too(tmp_path: Any) -> None:
    X, y, task = random_world(6)
    kinspan.save(MultiTaskSPCA(missing="refuse").fit(X, y, task=task), tmp_path / "model")
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="X contains NaN in column 0, in 1 of 300 rows"):
        kinspan.load(tmp_path / "model").predict(X, task=task)


def test_a_task_that_joins_may_lack_values() -> None:
    X, y, task = with_holes(8)
    old = task < 3
    model = MultiTaskSPCA().fit(X[old], y[old], task=task[old])
    same_model(model.add_task(3, X[~old], y[~old]), MultiTaskSPCA().fit(X, y, task=task))
    free = MultiTaskSPCA().fit(X[old], y[old], task=task[old]).add_task("new", X[~old])
    means = naive_means(X, task, without_labels=(3,))
    means["new"] = means[3]
    naive = NaiveFilling.of(X[old], task[old], means=means)
    complete = naive.rows(X[~old], np.full(len(X[~old]), "new", dtype=object))
    fitted = MultiTaskSPCA().fit(naive.own_rows(X[old], task[old]), y[old], task=task[old])
    oracle = fitted.add_task("new", complete)
    np.testing.assert_allclose(
        free.predict_proba(X[~old], task="new"), oracle.predict_proba(complete, task="new"), **EXACT
    )


def test_holes_fade() -> None:
    X, y, task = with_holes(9)
    model = MultiTaskSPCA(forget=0.01).fit(X, y, task=task)
    stream = MultiTaskSPCA(forget=0.01)
    for rows in np.array_split(np.arange(len(X)), 3):
        stream.partial_fit(X[rows], y[rows], task=task[rows])
    same_model(stream, model)


def test_a_column_without_any_value_is_as_if_it_were_not_there() -> None:
    X, y, task = with_holes(10)
    wide = np.insert(X, 2, np.nan, axis=1)
    model, narrow = (MultiTaskSPCA().fit(rows, y, task=task) for rows in (wide, X))
    np.testing.assert_allclose(np.delete(model.coef_, 2, axis=2), narrow.coef_, **EXACT)
    np.testing.assert_allclose(model.forecast_error_, narrow.forecast_error_, **EXACT)
    assert not model.coef_[..., 2].any()
    wide[:, 2] = 7.0  # what was never seen says nothing
    np.testing.assert_allclose(
        model.predict_proba(wide, task=task), narrow.predict_proba(X, task=task), **EXACT
    )


def test_a_column_that_a_task_lacks_is_what_others_expect_of_its_rows() -> None:
    X, y, task = random_world(11)
    X[task == 1, 3] = np.nan
    model, naive = MultiTaskSPCA().fit(X, y, task=task), NaiveFilling.of(X, task)
    same_model(model, MultiTaskSPCA().fit(naive.own_rows(X, task), y, task=task))
    lacking = X[task == 1]
    complete = naive.rows(lacking, task[task == 1])
    np.testing.assert_allclose(
        model.predict_proba(complete, task=1), model.predict_proba(lacking, task=1), **EXACT
    )


def test_rows_of_new_tasks_start_from_the_mean_of_all() -> None:
    X, y, task = with_holes(12)
    model = MultiTaskSPCA(unseen="shared").fit(X, y, task=task)
    complete = NaiveFilling.of(X, task).rows(X, np.full(len(X), "elsewhere", dtype=object))
    np.testing.assert_allclose(
        model.predict_proba(X, task="elsewhere"), model.predict_proba(complete, task="elsewhere")
    )


@pytest.mark.parametrize("missing", [np.nan, np.inf])
def test_infinity_is_named_and_not_the_holes_next_to_it(missing: float) -> None:
    X, y, task = with_holes(13)
    model = MultiTaskSPCA().fit(X, y, task=task)
    new = random_world(14).X
    new[3, 1], new[3, 4] = missing, np.inf
    named = 1 if missing == np.inf else 4
    with pytest.raises(ValueError, match=f"infinity in column {named}, in 1 of 300 rows"):
        model.predict(new, task=task)


def test_forecasts_are_those_of_rows_with_holes() -> None:
    """Means of twelve forecasts are the error on new rows, within four standard errors."""
    rng, gaps = np.random.default_rng(13), []
    mix = rng.normal(size=(20, 20)) / 4.0 + np.eye(20)
    for share in (0.0, 0.3, 0.6):
        for _ in range(6):
            y, task = rng.integers(0, 2, 12 * 340), np.repeat(np.arange(12), 340)
            X = rng.normal(size=(len(y), 20)) @ mix + 0.5 * (2 * y[:, None] - 1)
            X[rng.random(X.shape) < share] = np.nan
            train = np.tile(np.arange(340) < 40, 12)
            model = MultiTaskSPCA().fit(X[train], y[train], task=task[train])
            error = 1.0 - model.score(X[~train], y[~train], task=task[~train])
            gaps.append(float(model.forecast_error_.mean()) - error)
        here = np.array(gaps[-6:])
        assert abs(here.mean()) < 4.0 * here.std(ddof=1) / np.sqrt(6) + 0.01, share
