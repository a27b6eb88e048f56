"""A disk that is full: the file that does not fit is named, and the old one stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.engines import files
from kinspan.report import write_report
from tests.cli.running import ROLES, WORLD, refusal, written
from tests.worlds import random_world

resource = pytest.importorskip("resource", reason="limits of files are those of Unix")


@contextmanager
def disk_of(n_bytes: int) -> Iterator[None]:
    """No file may become longer: writing more is an OSError, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(scope="module")
def clf() -> MultiTaskSPCA:
    X, y, task = random_world(0)
    return MultiTaskSPCA().fit(X, y, task=task)


def save(clf: MultiTaskSPCA, path: Path) -> None:
    kinspan.save(clf, path)


def report(clf: MultiTaskSPCA, path: Path) -> None:
    pytest.importorskip("plotly", reason="needs kinspan[report]")
    write_report(clf, path, leave_out=False)


@pytest.mark.parametrize("write", [save, report])
def test_the_old_file_stays_and_nothing_else(
    clf: MultiTaskSPCA, write: Callable[[MultiTaskSPCA, Path], None], tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("old")
    with pytest.raises(OSError, match=r"File too large: '.*/out'"), disk_of(2000):
        write(clf, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["scored.csv", "scored.csv.gz", "scored.parquet", "scored.arrow"])
def test_the_command_line_names_the_file(model: Path, name: str, tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / "rows.csv")
    for old in (None, "old"):
        if old is not None:
            (tmp_path / name).write_text(old)
        before = sorted(tmp_path.iterdir())
        with disk_of(2000):
            message = refusal("predict", model, data, "--out", tmp_path / name)
        assert message == f"{tmp_path / name}: file too large"
        assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / name).read_text() == "old"
    with disk_of(2000):
        message = refusal("fit", data, *ROLES, "--out", tmp_path / "m.kinspan")
    assert message == f"{tmp_path / 'm.kinspan'}: file too large"
    assert not (tmp_path / "m.kinspan").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_without_room(clf: MultiTaskSPCA) -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        kinspan.save(clf, "/dev/full")


def test_a_checkpoint_that_does_not_fit_is_named(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    rows.mkdir()
    for name in ("a", "b"):
        written(WORLD.table(), rows / f"{name}.csv")
    (rows / "c.csv").write_text("nothing\n1\n")  # whereupon what was read is to be kept
    options: dict[str, Any] = {"label": "ill", "task": "clinic", "checkpoint": tmp_path / "begun"}
    with pytest.raises(OSError, match=r"File too large: '.*/begun'"), disk_of(2000):
        files.statistics(rows, **options)
    assert os.listdir(tmp_path) == ["rows"]
