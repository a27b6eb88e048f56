"""A process that is killed leaves the old file or the new one, and its work goes on."""

from __future__ import annotations

import os

import pytest

from tests.faults.killing import Killed, killed_works

pytest.importorskip("pyarrow", reason="needs kinspan[files]")
pytest.importorskip("plotly", reason="needs kinspan[report]")
pytest.importorskip("typer", reason="needs kinspan[cli]")
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.long,
]


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Killed]:
    return killed_works(tmp_path_factory.mktemp("killed"))


@pytest.mark.parametrize("name", ["save", "replace", "report", "fit", "predict"])
def test_a_kill_leaves_the_old_file_or_the_new_one(works: dict[str, Killed], name: str) -> None:
    found = works[name]
    assert all(after["killed"] for after in found.after)
    assert {after["found"] for after in found.after} <= set(found.whole)
    assert None not in found.whole
    assert len(set(found.whole)) == (1 if name == "replace" else 2)


@pytest.mark.parametrize("name", ["save", "replace", "report", "fit", "predict"])
def test_what_a_kill_leaves_beside_it_goes_with_the_next_write(
    works: dict[str, Killed], name: str
) -> None:
    """However often writers are killed, there is one file of theirs at most."""
    found = works[name]
    assert max(after["left"] for after in found.after) <= 1
    assert found.finished["left"] == 0
    if name in {"save", "replace"}:  # kills did hit the moment between
        assert any(after["left"] for after in found.after)


@pytest.mark.parametrize("name", ["experiment", "folder"])
def test_work_goes_on_where_it_was_killed(works: dict[str, Killed], name: str) -> None:
    """In the end every bit is as if nothing had happened."""
    found = works[name]
    assert found.finished["found"] == found.whole[-1]
    assert any(after["killed"] for after in found.after)


def test_no_row_of_an_experiment_is_lost(works: dict[str, Killed]) -> None:
    lines = [after["lines"] for after in works["experiment"].after]
    assert lines == sorted(lines)
    assert len(set(lines)) > 2


def test_a_folder_goes_on_from_the_files_that_were_read(works: dict[str, Killed]) -> None:
    read = [after["read"] or 0 for after in works["folder"].after if after["found"] is None]
    assert read == sorted(read)
    assert max(read) > 0
    assert works["folder"].finished["read"] is None  # nothing is left to go on with
