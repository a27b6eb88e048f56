"""Bytes and a path → a file that is written whole or not at all.

A new file is written next to the old one under a name that begins with `.kinspan-`, and replaces it
in one step. A process that is killed leaves such a file behind; the next process that writes to the
same path sees that no process holds its lock, and removes it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
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
    """A new file next to a path, which replaces it in one step; an error leaves nothing behind.

    The target of a link is replaced. Pipes, devices and open files (/dev/stdout, /dev/fd/3) are
    written to, the latter at their current position.
    """
    check_place(path)
    number = _descriptor(path)
    if number is not None:
        with _copied_to(number, path) as waiting:
            yield waiting
    elif _is_stream(path):
        with _blaming(path, str(path)):
            yield path
    else:
        path = Path(os.path.realpath(path))
        check_place(path)
        with _replaced(path) as place:
            yield place


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    start = f".kinspan-{hashlib.sha256(path.name.encode(errors='replace')).hexdigest()[:12]}-"
    _remove_abandoned(path.parent, start)
    # Others may read a new file if the umask allows; an old one gets its own mode back below.
    handle, name = _locked(path.parent, start, 0o600 if path.exists() else 0o666)
    try:
        with _blaming(path, name):
            yield Path(name)
            with Path(name).open("rb+") as file:
                os.fsync(file.fileno())
        if path.exists():
            os.chmod(name, path.stat().st_mode & 0o777)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def _copied_to(number: int, path: Path) -> Iterator[Path]:
    """A temporary file whose bytes go to an open file, which opening by name would empty."""
    with tempfile.TemporaryDirectory(prefix="kinspan-") as folder:
        waiting = Path(folder) / "waiting"
        yield waiting
        with (
            waiting.open("rb") as whole,
            _blaming(path, str(path)),
            os.fdopen(os.dup(number), "wb") as stream,
        ):
            shutil.copyfileobj(whole, stream)


def check_place(path: Path) -> None:
    """Refuse a path that cannot be written to, before the work and not after it."""
    _refuse_circle(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path}: this is a folder; name a file to write")
    if _descriptor(path) is not None:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file is open")
        return
    if _is_stream(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(f"{path}: it is not writable")
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"{path}: the folder {path.parent} is not writable")


def _refuse_circle(path: Path) -> None:
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(error.errno, "links lead in a circle", str(path)) from None


def _is_stream(path: Path) -> bool:
    """A pipe or a device, which is not replaced."""
    return path.exists() and not path.is_file()


def _descriptor(path: Path) -> int | None:
    """The number of the open file that a path such as /dev/stdout or /dev/fd/3 names."""
    open_files = os.path.realpath("/dev/fd")
    for _ in range(40):  # as many links as systems follow
        folder = os.path.realpath(path.parent)
        if folder == open_files and path.name.isdigit():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = Path(folder) / path.readlink()
    return None


@contextmanager
def _blaming(path: Path, name: str) -> Iterator[None]:
    """Errors of a full disk name the file to be written, not a temporary one or none."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL or error.filename not in (None, name):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _locked(folder: Path, start: str, mode: int) -> tuple[int | None, str]:
    """A new file, locked as long as its writer lives; closed where there are no locks."""
    fcntl = _locks()
    while True:
        name = str(folder / f"{start}{secrets.token_hex(8)}")
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        if fcntl is None:
            os.close(handle)
            return None, name
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(name):  # no other process removed it before it was locked
            return handle, name
        os.close(handle)


def _remove_abandoned(folder: Path, start: str) -> None:
    """Remove files that killed writers to the same path have left."""
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
