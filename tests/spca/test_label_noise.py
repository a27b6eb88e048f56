"""`label_noise`: rows count as much as their labels are likely to be right, where that is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.datasets import load_digit_pairs
from tests.worlds import random_world

DIGITS = load_digit_pairs(n_per_class=10, random_state=1001)
TEST: dict[str, Any] = {"X": DIGITS.X_test, "y": DIGITS.y_test, "task": DIGITS.task_test}


def noisy(rate: float, seed: int = 0) -> np.ndarray:
    wrong = np.random.default_rng(seed).random(len(DIGITS.y)) < rate
    return np.where(wrong, 1 - DIGITS.y, DIGITS.y)


def fitted(y: np.ndarray, label_noise: Any) -> MultiTaskSPCA:
    return MultiTaskSPCA(label_noise=label_noise).fit(DIGITS.X, y, task=DIGITS.task)


def assert_same(first: MultiTaskSPCA, second: MultiTaskSPCA) -> None:
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("label_noise", ["auto", 0, [0.0, 0.0]])
def test_without_wrong_labels_nothing_changes(label_noise: Any) -> None:
    assert_same(fitted(DIGITS.y, None), fitted(DIGITS.y, label_noise))


@pytest.mark.parametrize("seed", range(3))
def test_without_evidence_nothing_changes(seed: int) -> None:
    X, _, task = random_world(seed, n=90, p=6, n_tasks=3, n_classes=2)
    y = np.random.default_rng([seed, 5]).integers(0, 2, 90)  # of which nobody can know
    plain, auto = (MultiTaskSPCA(label_noise=how).fit(X, y, task=task) for how in (None, "auto"))
    assert_same(plain, auto)


def test_rows_without_labels_are_used_where_nothing_is_wrong_and_keep_their_places() -> None:
    X = np.vstack([DIGITS.X_test[:200], DIGITS.X])
    task = np.concatenate([DIGITS.task_test[:200], DIGITS.task])
    for labels in (DIGITS.y, noisy(0.2)):
        y = np.concatenate([np.full(200, np.nan), labels])
        plain, auto = (
            MultiTaskSPCA(label_noise=how).fit(X, y, task=task) for how in (None, "auto")
        )
        issues = auto.label_issues()
        np.testing.assert_array_equal(issues.given_label, y[issues.index])
        np.testing.assert_array_equal(issues.task, task[issues.index])
        if not issues.has_evidence:
            assert_same(plain, auto)
    assert issues.has_evidence


def test_wrong_labels_harm_less() -> None:
    errors = np.zeros(3)
    for seed in range(3):
        y = noisy(0.25, seed)
        models = [fitted(y, how) for how in (None, "auto", 0.25)]
        errors += [1 - model.score(**TEST) for model in models]
        # The forecast is about right labels; that of the plain fit counts wrong ones as errors.
        plain, *others = (model.forecast_error_.mean() for model in models)
        assert max(others) < 0.12
        assert plain > 0.2
    # A fifth to a quarter of the errors; single draws of the labels differ by as much as .05.
    assert (errors[1:] < 0.85 * errors[0]).all()


def test_rates_of_classes_are_in_their_order() -> None:
    wrong = (np.random.default_rng(1).random(len(DIGITS.y)) < 0.3) & (DIGITS.y == 0)
    y = np.where(wrong, 1, DIGITS.y)  # of labels 1, 23 % are wrong
    right, reverse = (fitted(y, rates).score(**TEST) for rates in ([0, 0.23], [0.23, 0]))
    assert right > reverse
    assert right >= fitted(y, None).score(**TEST)


def test_batches_and_questions() -> None:
    y = noisy(0.2)
    whole = fitted(y, "auto")
    stream = MultiTaskSPCA(label_noise="auto")
    for part in (slice(None, 300), slice(300, None)):
        stream.partial_fit(DIGITS.X[part], y[part], task=DIGITS.task[part], classes=[0, 1])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
    stream.set_params(label_noise=None)  # waits for more rows, as all parameters do
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
    assert whole.label_issues().has_evidence
    assert len(whole.leave_out("3 vs 8").tasks) == 44


@pytest.mark.parametrize(
    ("label_noise", "message"),
    [
        ("automatic", "use None, 'auto'"),
        (0.5, "below 0.5"),
        (-0.1, "at least 0"),
        (np.nan, "at least 0"),
        ({0: 0.1}, "use None, 'auto'"),
        ([0.1, 0.1, 0.1], r"label_noise has shape \(3,\); 2 classes need \(2,\)"),
    ],
)
def test_what_is_no_rate_is_refused(label_noise: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted(DIGITS.y, label_noise)


def test_rows_are_needed() -> None:
    with pytest.raises(ValueError, match="label_noise='auto' needs sampled rows"):
        MultiTaskSPCA(row_sample=0, label_noise="auto").fit(DIGITS.X, DIGITS.y, task=DIGITS.task)
