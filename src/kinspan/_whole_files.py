"""Files that are written whole or not at all, whatever happens meanwhile.

A new file is written beside the old one under a name that begins with `.kinspan-`, and takes its
place in one step. A process that is killed leaves such a file behind; the next one that writes to
the same place finds that nobody holds its lock, and removes it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file whole or not at all."""
    with replacing(Path(path)) as place, place.open("wb") as file:
        file.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file beside a path, which takes its place in one step; an error leaves nothing.

    What a link leads to is replaced, and what is no file (a pipe, a device) is written to.
    """
    path = Path(os.path.realpath(path))
    check_place(path)
    if path.exists() and not path.is_file():
        with _naming(path, str(path)):
            yield path
        return
    start = f".kinspan-{hashlib.sha256(path.name.encode(errors='replace')).hexdigest()[:12]}-"
    _remove_abandoned(path.parent, start)
    handle, name = _locked(path.parent, start)
    try:
        with _naming(path, name):
            yield Path(name)
            with Path(name).open("rb+") as file:
                os.fsync(file.fileno())
        _set_usual_mode(name, path)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        if handle is not None:
            os.close(handle)


def check_place(path: Path) -> None:
    """A file can be written there: better said before the work than after it."""
    if path.is_dir():
        raise IsADirectoryError(f"{path}: this is a folder; name a file to write")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"{path}: nothing may be written to the folder {path.parent}")


@contextmanager
def _naming(path: Path, name: str) -> Iterator[None]:
    """A full disk is named by the file that was to be written, not by nothing or a strange name."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL or error.filename not in (None, name):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _locked(folder: Path, start: str) -> tuple[int | None, str]:
    """A new file that is locked as long as its writer lives; without locks, one that is closed."""
    fcntl = _locks()
    while True:
        handle, name = tempfile.mkstemp(prefix=start, dir=folder)
        if fcntl is None:
            os.close(handle)
            return None, name
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(name):  # nobody took it for abandoned before it was locked
            return handle, name
        os.close(handle)


def _remove_abandoned(folder: Path, start: str) -> None:
    """Remove what killed writers to the same place have left."""
    fcntl = _locks()
    if fcntl is None:
        return
    for left in folder.glob(f"{start}*"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()
            finally:
                os.close(handle)


def _locks() -> Any:
    """The module of file locks, where the system has it."""
    try:
        return import_module("fcntl")
    except ImportError:
        return None


def _set_usual_mode(name: str, path: Path) -> None:
    """The mode of the file that is replaced, or of any new file: temporary ones are private."""
    if path.exists():
        os.chmod(name, path.stat().st_mode & 0o777)
        return
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(name, 0o666 & ~mask)
