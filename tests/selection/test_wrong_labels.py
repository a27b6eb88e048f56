"""Rows that count as much as their labels are likely to be right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, MultiTaskSPCA, Statistics
from kinspan.datasets import load_digit_pairs
from kinspan.selection.decisions import RESOLVED, SURE
from kinspan.selection.fit import combination_of
from kinspan.selection.wrong_labels import Audit, audit, lightened
from tests.worlds import random_world


def audit_of(flips: int) -> tuple[MultiTaskSPCA, Audit]:
    digits = load_digit_pairs(n_per_class=10)
    y = digits.y.copy()
    if flips:
        y[::flips] = 1 - y[::flips]
    model = MultiTaskSPCA().fit(digits.X, y, task=digits.task)
    found = model._learnt.audit
    assert found is not None
    return model, found


def test_lighter_rows_have_the_moments_of_weighted_ones() -> None:
    X, y, task = random_world(3, n=60, p=4, n_tasks=2, n_classes=2)
    whole = Statistics.from_samples(X, y, task)
    assert whole.sample is not None
    rows = whole.sample.effective()
    probability = np.random.default_rng(0).uniform(0, 0.9, len(rows.cells))
    moments, lighter = lightened(whole.moments, rows, probability)
    weights = np.empty(len(X))
    assert rows.positions is not None
    weights[rows.positions] = 1 - probability
    expected = ClassMoments.from_samples(X, y, task, sample_weight=weights)
    np.testing.assert_allclose(moments.counts, expected.counts)
    np.testing.assert_allclose(moments.means, expected.means)
    np.testing.assert_allclose(moments.squares, expected.squares)
    np.testing.assert_allclose(lighter.weights, 1 - probability)


def test_rows_that_are_not_kept_follow_those_that_are() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(4000, 3)), np.repeat([0, 1], 2000)
    X[y == 1] += 2.0
    X[:400] += 2.0  # a fifth of the rows with label 0 is of class 1
    whole = Statistics.from_samples(X, y, row_sample=400)
    assert whole.sample is not None
    rows = whole.sample.effective()
    assert rows.positions is not None
    moments, _ = lightened(whole.moments, rows, (rows.positions < 400).astype(float))
    assert moments.counts[0, 0] == pytest.approx(1600, abs=4 * np.sqrt(400 * 0.16) * 5)
    assert np.abs(moments.means[0, 0]).max() < 4 * np.sqrt(1.7 / 400)
    assert np.abs(whole.moments.means[0, 0]).min() > 0.3
    same, _ = lightened(whole.moments, rows, np.zeros(len(rows.cells)))
    np.testing.assert_allclose(same.means, whole.moments.means)
    np.testing.assert_allclose(same.squares, whole.moments.squares)


def test_without_evidence_the_rules_are_those_of_the_fit() -> None:
    model, found = audit_of(0)
    assert not found.is_sure
    np.testing.assert_array_equal(found.rules.coef, model._rules.coef)
    np.testing.assert_array_equal(found.rules.intercept, model._rules.intercept)


def test_with_evidence_rows_are_judged_again_by_better_rules() -> None:
    digits = load_digit_pairs(n_per_class=10)
    model, found = audit_of(4)
    assert found.is_likely
    assert not np.array_equal(found.rules.coef, model._rules.coef)
    assert found.sample.positions is not None
    is_wrong = found.sample.positions % 4 == 0
    q = found.probability
    assert q[is_wrong].mean() > 0.8
    assert q[~is_wrong].mean() < 0.1
    assert found.wrong.rates.mean() == pytest.approx(0.25, abs=0.03)
    assert len(digits.y) == found.sample.weights.sum()


@pytest.mark.parametrize("by", [-1e-6, 1e-6])
def test_decisions_flip_at_their_constants(by: float) -> None:
    _, found = audit_of(12)
    sure = found.wrong._replace(evidence=SURE.constant + by)
    assert found._replace(wrong=sure).is_sure is (by > 0)
    likely = found.wrong._replace(evidence=0.5 + by)
    assert found._replace(wrong=likely).is_likely is (by > 0)
    resolved = found.wrong._replace(resolution=RESOLVED.constant + by)
    assert found._replace(wrong=resolved).is_clear is (by > 0)
    assert not found._replace(wrong=resolved._replace(evidence=0.8)).is_clear


def test_where_it_is_unclear_which_labels_are_wrong_forecasts_count_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain, clear = audit_of(4)
    assert clear.rules.forecast_error.mean() < plain.forecast_error_.mean() - 0.1
    monkeypatch.setattr(Audit, "is_clear", False)
    _, unclear = audit_of(4)
    np.testing.assert_array_equal(unclear.rules.coef, clear.rules.coef)
    np.testing.assert_array_equal(unclear.rules.forecast_error, plain.forecast_error_)
    np.testing.assert_array_equal(unclear.rules.forecast_interval, plain.forecast_interval_)
    np.testing.assert_array_equal(unclear.rules.single_task_error, plain.single_task_error_)


def test_no_row_means_no_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, task = random_world(3, n=60, p=4, n_tasks=2, n_classes=2)
    model = MultiTaskSPCA().fit(X, y, task=task)
    options = model._learnt._options()
    assert audit(model.moments_, None, options) is None
    fits = []

    def counted(*given: Any) -> Any:
        fits.append(given)
        return combination_of(*given)

    monkeypatch.setattr("kinspan.selection.wrong_labels.combination_of", counted)
    found = audit(model.moments_, model.sample_, options)
    assert found is not None
    assert len(fits) == 1 + found.is_likely
