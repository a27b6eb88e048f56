"""Results do not change unless they are meant to: fits of many kinds beside stored values."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinspan
from kinspan._saving.model_file import to_bytes
from tests.selection.stored_worlds import MODEL, STORED, WORLDS, values_of


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    with np.load(STORED) as file:
        return dict(file)


@pytest.mark.parametrize("world", WORLDS)
def test_results_are_those_that_were_stored(world: str, stored: dict[str, np.ndarray]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = values_of(WORLDS[world]())
    names = {key.split("/")[1] for key in stored if key.split("/")[0] == world}
    assert names
    for name in names:
        expected = stored[f"{world}/{name}"]
        # Labels are stored in single precision; other linear algebra libraries round differently.
        tolerance = 1e-5 if expected.dtype == np.float32 else 1e-6
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
        np.testing.assert_allclose(
            found[name], expected, rtol=tolerance, atol=tolerance * scale, err_msg=name
        )


def test_a_stored_model_answers_as_it_did(stored: dict[str, np.ndarray]) -> None:
    model = kinspan.load(MODEL)
    assert model._learnt.found is not None  # the stored rules are read, not found again
    found = values_of(model)
    for name in ("coef_", "intercept_", "forecast_error_", "learning_curve"):
        np.testing.assert_allclose(found[name], stored[f"new tasks/{name}"], rtol=1e-6)
    assert to_bytes(model) == MODEL.read_bytes()


def test_rules_of_an_earlier_version_are_found_again() -> None:
    model = kinspan.load(STORED.with_name("second-version.model"))
    assert model._learnt.found is None
    assert np.isfinite(model.coef_).all()
    assert model._learnt.found is not None
