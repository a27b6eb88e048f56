"""Writers to one place: they do not disturb each other, and one without locks writes too."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kinspan._storage import atomic_files
from kinspan._storage.atomic_files import replacing, write_atomically

CONTENTS = [bytes([i]) * 50_000 for i in range(4)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A place that nothing lies beside in the end."""
    yield tmp_path / "out"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_writers_at_once_leave_the_file_of_one(place: Path) -> None:
    def write(content: bytes) -> None:
        for _ in range(30):
            write_atomically(place, content)
            assert place.read_bytes() in CONTENTS

    with ThreadPoolExecutor(len(CONTENTS)) as pool:
        for future in [pool.submit(write, content) for content in CONTENTS]:
            future.result(60)


def test_what_is_being_written_is_not_taken_for_abandoned(place: Path) -> None:
    with replacing(place) as slow:
        slow.write_bytes(b"slow")
        write_atomically(place, b"quick")
        assert slow.exists()
        assert place.read_bytes() == b"quick"
    assert place.read_bytes() == b"slow"


def test_what_nobody_writes_any_more_is_removed(place: Path) -> None:
    with replacing(place) as slow:
        slow.write_bytes(b"old")
    slow.write_bytes(b"half")  # as one who was killed would have left it
    write_atomically(place, b"new")
    assert place.read_bytes() == b"new"


def test_what_lies_beside_for_other_reasons_stays(tmp_path: Path) -> None:
    mine = [tmp_path / ".kinspan-notes", tmp_path / ".kinspan", tmp_path / "out.tmp"]
    for path in mine:
        path.write_text("mine")
    write_atomically(tmp_path / "out", b"new")
    assert sorted(tmp_path.iterdir()) == sorted([*mine, tmp_path / "out"])


@pytest.mark.parametrize("locks", ["none", "refused"])
def test_systems_without_locks(locks: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        LOCK_EX = LOCK_NB = 0

        def flock(self, *_: Any) -> None:
            raise OSError(95, "Operation not supported")

    monkeypatch.setattr(atomic_files, "_locks", lambda: None if locks == "none" else Refusing())
    write_atomically(place, b"first")
    with replacing(place) as slow:
        slow.write_bytes(b"second")
        write_atomically(place, b"third")
    assert place.read_bytes() == b"second"
