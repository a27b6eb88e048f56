"""Reading that goes on where it was interrupted, from a checkpoint of the same call only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, StoredDataError
from kinspan.engines import files
from kinspan.engines.files import _checkpoint, _sums
from tests.engines.stored_worlds import NAMED, in_memory, stored_world, write_csv, write_split

WORLD = stored_world(0)
FEATURES = WORLD.names
NAMED_ALL: dict[str, Any] = {**NAMED, "features": FEATURES, "batch_rows": 37}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_checkpoint, "_SECONDS", 0.0)
    monkeypatch.setattr(_checkpoint, "_SHARE", 0.0)
    rows = tmp_path / "rows"
    rows.mkdir()
    write_split(WORLD, write_csv, rows, n_files=5)
    return rows


class Interruption(BaseException):
    """Nothing that anyone expects."""


def interrupt(folder: Path, after: int, **options: Any) -> Path:
    """Stop like a power failure after some files: nothing is written on the way out."""
    with pytest.MonkeyPatch.context() as patch:
        read, n_read, write = _sums.of_part, [0], _checkpoint.Checkpoint.write

        def of_part(*arguments: Any) -> Any:
            n_read[0] += 1
            if n_read[0] > after:
                patch.setattr(_checkpoint.Checkpoint, "write", lambda *_: None)
                raise Interruption
            return read(*arguments)

        patch.setattr(_checkpoint.Checkpoint, "write", write)
        patch.setattr(_sums, "of_part", of_part)
        with pytest.raises(Interruption):
            files.statistics(folder, checkpoint=folder.parent / "begun", **options)
    return folder.parent / "begun"


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read from now on."""
    seen, read = list[str](), _sums.of_part

    def of_part(path: Path, *arguments: Any) -> Any:
        seen.append(path.stem)
        return read(path, *arguments)

    monkeypatch.setattr(_sums, "of_part", of_part)
    return seen


@pytest.mark.parametrize("after", [0, 1, 3, 4])
def test_the_rest_is_read_and_nothing_twice(
    folder: Path, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = files.statistics(folder, **NAMED_ALL)
    begun = interrupt(folder, after, **NAMED_ALL)
    assert begun.exists() == (after > 0)
    seen = counted(monkeypatch)
    read = files.statistics(folder, checkpoint=begun, **NAMED_ALL)
    assert len(seen) == 5 - after
    assert read.statistics.to_bytes() == calm.statistics.to_bytes()
    assert (read.n_rows, read.files, read.skipped) == (calm.n_rows, calm.files, calm.skipped)
    assert not begun.exists()


def test_a_model_and_other_processes_go_on_too(folder: Path) -> None:
    begun = interrupt(folder, 2, **NAMED_ALL)
    clf = files.fit(MultiTaskSPCA(), folder, checkpoint=begun, n_jobs=2, **NAMED_ALL)
    np.testing.assert_allclose(clf.coef_, in_memory(WORLD).coef_, rtol=1e-9, atol=1e-12)
    assert not begun.exists()


def test_an_error_keeps_what_was_read_before_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_checkpoint, "_SECONDS", 1e9)
    calm, begun = files.statistics(folder, **NAMED_ALL), folder.parent / "begun"
    last = max(folder.iterdir())
    good = last.read_bytes()
    last.write_bytes(good + b"torn")
    with pytest.raises(files.FileError, match="got 1"):
        files.statistics(folder, checkpoint=begun, **NAMED_ALL)
    last.write_bytes(good)
    seen = counted(monkeypatch)
    read = files.statistics(folder, checkpoint=begun, **NAMED_ALL)
    assert seen == [last.stem]
    assert read.statistics.to_bytes() == calm.statistics.to_bytes()


def test_skipped_files_are_remembered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "файл 0.csv").write_bytes(b"torn\n1\n")
    with pytest.warns(files.SkippedFilesWarning):
        calm = files.statistics(folder, on_error="skip", **NAMED_ALL)
    begun = interrupt(folder, 3, on_error="skip", **NAMED_ALL)
    with pytest.warns(files.SkippedFilesWarning, match="1 of 5 files skipped"):
        read = files.statistics(folder, on_error="skip", checkpoint=begun, **NAMED_ALL)
    assert read.statistics.to_bytes() == calm.statistics.to_bytes()
    assert read.skipped == calm.skipped


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"batch_rows": 38}, "a call with batch_rows=37, not 38"),
        ({"row_sample": 7}, "a call with row_sample=100, not 7"),
        (
            {"features": FEATURES[:2]},
            r"a call with features=\['größe', .*\], not \['größe', 'x1'\]",
        ),
        ({"as_text": "ill"}, r"a call with as_text=\[\], not \['ill'\]"),
        ({"task": None}, "a call with task='clinic', not None"),
        ({"task": lambda path: path.stem}, r"a call with task='clinic', not \[.*\]"),
    ],
)
def test_other_arguments_are_refused_by_name(
    folder: Path, changed: dict[str, Any], message: str
) -> None:
    begun = interrupt(folder, 2, **NAMED_ALL)
    before = begun.read_bytes()
    with pytest.raises(StoredDataError, match=rf"checkpoint='.*begun': it is of {message}; .*anew"):
        files.statistics(folder, checkpoint=begun, **{**NAMED_ALL, **changed})
    assert begun.read_bytes() == before


def test_other_files_are_refused_by_name(folder: Path) -> None:
    begun = interrupt(folder, 2, **NAMED_ALL)
    first, *_, last = sorted(folder.iterdir())
    last.rename(folder / "more.csv")
    with pytest.raises(StoredDataError, match=r"of other files, such as .*more\.csv; .*anew"):
        files.statistics(folder, checkpoint=begun, **NAMED_ALL)
    (folder / "more.csv").rename(last)
    os.utime(last)  # it was not read yet: it may change
    os.utime(first)
    with pytest.raises(StoredDataError, match=r"файл 0\.csv has changed since it was read; .*anew"):
        files.statistics(folder, checkpoint=begun, **NAMED_ALL)


def test_what_is_no_checkpoint_is_not_overwritten(folder: Path) -> None:
    begun = interrupt(folder, 2, **NAMED_ALL)
    for content in (begun.read_bytes()[:-1], b"mine", in_memory(WORLD)._statistics.to_bytes()):
        begun.write_bytes(content)
        with pytest.raises(StoredDataError, match=r"checkpoint='.*begun': "):
            files.statistics(folder, checkpoint=begun, **NAMED_ALL)
        assert begun.read_bytes() == content


def test_places_and_values_that_cannot_be_kept(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match="does not exist"):
        files.statistics(folder, checkpoint=folder / "none" / "begun", **NAMED_ALL)
    with pytest.raises(TypeError, match="checkpoint=3; use text"):
        files.statistics(folder, checkpoint=3, **NAMED_ALL)
    np.save(folder / "X.npy", WORLD.X)
    given = {"label": WORLD.y, "task": WORLD.task}
    with pytest.raises(ValueError, match=r"task is given as values, .*leave out checkpoint="):
        files.statistics(folder / "X.npy", checkpoint=folder.parent / "begun", **given)
