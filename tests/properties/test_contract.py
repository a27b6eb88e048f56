"""Every public call returns finite numbers, or refuses its arguments by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.properties.calls import Call, not_finite
from tests.properties.calls_of_dask import dask_calls
from tests.properties.calls_of_files import file_calls
from tests.properties.calls_of_models import model_calls
from tests.properties.calls_of_tables import table_calls
from tests.properties.calls_of_theory import theory_calls
from tests.properties.hostile_values import hostile
from tests.properties.not_called import NOT_CALLED
from tests.properties.public_surface import public_names

CALLS: dict[str, Call] = {
    **model_calls(),
    **theory_calls(),
    **file_calls(),
    **dask_calls(),
    **table_calls(),
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hostile paths are relative ones."""
    monkeypatch.chdir(tmp_path)


def test_everything_public_is_called_or_has_a_reason_not_to_be() -> None:
    names = public_names()
    assert sorted(names - CALLS.keys() - NOT_CALLED) == []
    assert sorted(NOT_CALLED - names) == []
    assert NOT_CALLED.isdisjoint(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_good_arguments_are_taken(name: str) -> None:
    call = CALLS[name]
    if not name.startswith("load_"):  # whose data is not there
        result = call.of(**call.good)
        assert call.may_be_infinite or not_finite(result) is None


@pytest.mark.parametrize("name", sorted(CALLS))
@settings(suppress_health_check=list(HealthCheck))  # the folder above may serve all examples
@given(data=st.data())
def test_hostile_arguments_are_refused_by_name(name: str, data: st.DataObject) -> None:
    call = CALLS[name]
    places = [argument for argument in call.good if argument not in call.as_given]
    chosen = data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=2, unique=True))
    arguments: dict[str, Any] = dict(call.good)
    for place in chosen:
        values = hostile(call.good[place])
        arguments[place] = _made(values[data.draw(st.sampled_from(sorted(values)))])
    assert call.outcome(arguments) == "", name


def _made(value: Any) -> Any:
    """The value, if this good value can be changed so."""
    try:
        return value()
    except (ValueError, TypeError, OverflowError, RuntimeWarning):
        assume(False)
