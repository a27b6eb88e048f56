"""Forecasts wait until they are read, and are then as if they had been computed at once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.selection.expected import Expected, Told


def fitted(**parameters: Any) -> MultiTaskSPCA:
    rng = np.random.default_rng(0)
    y, task = np.arange(120) % 2, np.repeat(np.arange(4), 30)
    return MultiTaskSPCA(**parameters).fit(rng.normal(size=(120, 8)) + y[:, None], y, task=task)


def test_rules_need_no_forecast() -> None:
    model = fitted()
    assert isinstance(model._rules.forecasts, Told)
    model.predict(np.zeros((4, 8)), task=np.arange(4))
    assert isinstance(model._rules.forecasts, Told)
    assert model.forecast_error_.shape == (4,)
    assert isinstance(model._rules.forecasts, Expected)


@pytest.mark.parametrize("name", ["forecast_error_", "forecast_interval_", "single_task_error_"])
def test_it_does_not_matter_when_forecasts_are_computed(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    later = fitted()
    monkeypatch.setattr("kinspan.selection.expected._KEPT_NUMBERS", 0)
    now = fitted()
    assert isinstance(now._rules.forecasts, Expected)
    np.testing.assert_array_equal(getattr(later, name), getattr(now, name))


def test_thresholds_do_not_wait() -> None:
    model = fitted(threshold="f1")
    assert isinstance(model._rules.forecasts, Expected)
    assert (model.threshold_ != 0).any()


def test_a_pickle_has_forecasts_and_not_what_they_follow_from() -> None:
    model = fitted()
    again = pickle.loads(pickle.dumps(model))  # our own bytes
    assert isinstance(again._rules.forecasts, Expected)
    np.testing.assert_array_equal(again.forecast_error_, model.forecast_error_)
