"""What is no file is written to, and nothing takes its place."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import kinspan
from kinspan._storage.atomic_files import check_place, write_atomically

WRITE = (  # without the rest of kinspan, which takes a second to import
    "import sys, types; sys.modules['kinspan'] = p = types.ModuleType('kinspan'); "
    f"p.__path__ = {list(kinspan.__path__)!r}; "
    "from kinspan._storage.atomic_files import write_atomically; "
    "write_atomically(sys.argv[1], b'new')"
)
pytestmark = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")


def shell(command: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "PYTHON": sys.executable, "WRITE": WRITE}
    return subprocess.run(
        ["bash", "-c", command], env=given, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("place", ["/dev/stdout", "/dev/fd/1", "/dev/stderr", ">(cat)"])
def test_pipes(place: str) -> None:
    ran = shell(f'"$PYTHON" -c "$WRITE" {place} | cat; wait')
    assert (ran.stdout + ran.stderr) == "new"


@pytest.mark.parametrize(("how", "left"), [(">>", "oldnew"), (">", "new")])
def test_output_that_is_a_file(how: str, left: str, tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.write_text("old")
    place.chmod(0o640)
    number = place.stat().st_ino
    ran = shell(f'"$PYTHON" -c "$WRITE" /dev/stdout {how} {place}')
    assert ran.stderr == ""
    assert place.read_text() == left
    assert place.stat().st_ino == number


def test_a_link_to_an_open_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    assert shell(f'"$PYTHON" -c "$WRITE" {tmp_path}/link | cat').stdout == "new"
    assert (tmp_path / "link").is_symlink()


def test_an_open_file_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match="no such file is open"):
        write_atomically("/dev/fd/987", b"new")


def test_a_pipe_with_a_name(tmp_path: Path) -> None:
    place = tmp_path / "pipe"
    os.mkfifo(place)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(place.read_bytes()))
    reader.start()
    write_atomically(place, b"new")
    reader.join(10)
    assert found == [b"new"]
    assert stat.S_ISFIFO(place.stat().st_mode)


def test_devices_need_no_folder_that_may_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: str(path) != "/dev" and allowed(path, mode)
    )
    write_atomically("/dev/null", b"new")
    check_place(Path("/dev/stdout"))


def test_links_that_lead_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match=r"links lead in a circle: '.*/a'"):
        write_atomically(tmp_path / "a", b"new")
    assert (tmp_path / "a").is_symlink()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_new_files_have_the_usual_mode_and_old_ones_keep_theirs(
    mask: int, mode: int, tmp_path: Path
) -> None:
    before = os.umask(mask)
    try:
        for _ in range(2):
            write_atomically(tmp_path / "new", b"new")
            assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode
        (tmp_path / "new").chmod(0o604)
        write_atomically(tmp_path / "new", b"newer")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o604
