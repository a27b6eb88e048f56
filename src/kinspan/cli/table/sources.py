"""Which tables are meant: paths, patterns, folders, and `-` for what comes in."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kinspan.cli.table.writing import check_other
from kinspan.engines.files import FileError
from kinspan.engines.files._paths import find, format_of
from kinspan.engines.files._request import check_request

_TABLES = {"csv", "parquet", "arrow"}
_ENDINGS = ".csv, .tsv, .csv.gz, .parquet, .feather or .arrow"
_NO_REQUEST = check_request(None, None, None, None, (), None, None)


@contextmanager
def sources(paths: Sequence[str], *written: str | None) -> Iterator[list[Path]]:
    """The files that are meant; what comes in on `-` lies in a temporary one meanwhile.

    Files that will be written must not be among them.
    """
    if not paths:
        raise ValueError("no file is named; name some, or - for standard input")
    if "-" not in paths:
        files = _found(paths)
        for out in written:
            if out is not None:
                check_other(out, *files)
        yield files
        return
    if list(paths) != ["-"]:
        raise ValueError("- is standard input, and cannot be read together with files")
    with tempfile.TemporaryDirectory(prefix="kinspan-") as folder:
        spooled = _spooled(Path(folder))
        try:
            yield [spooled]
        except FileError as error:
            named = Path("standard input") if error.path == spooled else error.path
            raise FileError(named, error.reason) from error


def _found(paths: Sequence[str]) -> list[Path]:
    files = find(list(paths), _NO_REQUEST)
    for path in files:
        if not path.exists():
            raise FileNotFoundError(f"{path}: there is no such file")
        if format_of(path) not in _TABLES:
            raise ValueError(f"{path}: a table has a name that ends in {_ENDINGS}")
        if path.stat().st_size == 0:
            raise ValueError(f"{path}: the file is empty")
    return files


def _spooled(folder: Path) -> Path:
    """Standard input in a file, because rows may be read more than once."""
    if sys.stdin is None or sys.stdin.isatty():
        raise ValueError("- is standard input, but nothing is piped into it")
    waiting = folder / "input"
    with waiting.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with waiting.open("rb") as file:
        head = file.readline(1 << 16)
    if not head:
        raise ValueError("standard input is empty")
    path = folder / f"input{_ending(head)}"
    os.replace(waiting, path)
    return path


def _ending(head: bytes) -> str:
    """What the first bytes say that a file is."""
    if head.startswith(b"PAR1"):
        return ".parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return ".arrow"
    return ".tsv" if b"\t" in head and b"," not in head else ".csv"
