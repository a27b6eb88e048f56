"""Names of files and `-` on the command line → tables to read, and a place to write to."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kinspan._storage import atomic_files
from kinspan.exceptions import FileError
from kinspan.tables.dialect import Dialect
from kinspan.tables.paths import TABLE_ENDINGS, find, format_of, is_table
from kinspan.tables.request import check_request
from kinspan.tables.writing import Writer, csv_writer, open_writer

_NO_REQUEST = check_request(None, None, None, None, (), Dialect(), None)


@contextmanager
def sources(paths: Sequence[str], *written: str | None) -> Iterator[list[Path]]:
    """The files to read; `-`, standard input, is copied to a temporary file.

    Files that will be written must not be among them.
    """
    if not paths:
        raise ValueError("no file is named; name some, or - for standard input")
    if "-" not in paths:
        files = _existing(paths)
        for out in written:
            if out is not None:
                check_other(out, *files)
        yield files
        return
    if list(paths) != ["-"]:
        raise ValueError("- is standard input, and cannot be read together with files")
    with tempfile.TemporaryDirectory(prefix="kinspan-") as folder:
        copied = _copied_input(Path(folder))
        try:
            yield [copied]
        except FileError as error:
            named = Path("standard input") if error.path == copied else error.path
            raise FileError(named, error.reason) from error


def _existing(paths: Sequence[str]) -> list[Path]:
    files = find(list(paths), _NO_REQUEST)
    for path in files:
        if not path.exists():
            raise FileNotFoundError(f"{path}: there is no such file")
        if not is_table(path):
            is_sheet = path.suffix.lower() in {".xls", ".xlsx", ".ods"}
            hint = "; save the spreadsheet as CSV" if is_sheet else ""
            raise ValueError(f"{path}: a table has a name that ends in {TABLE_ENDINGS}{hint}")
        if path.stat().st_size == 0:
            raise ValueError(f"{path}: the file is empty")
    return files


def _copied_input(folder: Path) -> Path:
    """Standard input in a file, because rows may be read more than once."""
    if sys.stdin is None or sys.stdin.isatty():
        raise ValueError("- is standard input, but nothing is piped into it")
    unnamed = folder / "input"
    with unnamed.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with unnamed.open("rb") as file:
        head = file.readline(1 << 16)
    if not head:
        raise ValueError("standard input is empty")
    path = folder / f"input{_ending(head)}"
    os.replace(unnamed, path)
    return path


def _ending(head: bytes) -> str:
    """The format of a file, by its first bytes."""
    if head.startswith(b"PAR1"):
        return ".parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return ".arrow"
    return ".tsv" if b"\t" in head and b"," not in head else ".csv"


def check_place(out: str, *read: str | Path | None) -> None:
    """A file can be written there, and replaces none of the files that are read."""
    if out == "-":
        raise ValueError("-: standard output takes text only; name a file to write")
    atomic_files.check_place(Path(out))
    check_other(out, *read)


def check_other(out: str, *read: str | Path | None) -> None:
    """The file to write is none of the files that are read."""
    for path in read:
        if path is not None and _is_same(Path(out), Path(path)):
            raise ValueError(f"{out} is among the files to read, and would be lost; name another")


def check_checkpoint(out: str, checkpoint: str | None, data: Sequence[str]) -> None:
    """A checkpoint is another file than the result, and the data can be read again."""
    if checkpoint is None:
        return
    if _is_same(Path(out), Path(checkpoint)):
        raise ValueError(f"--out and --checkpoint are both {out}; name two files")
    if "-" in data:
        raise ValueError("--checkpoint needs files: standard input cannot be read again")


def _is_same(first: Path, second: Path) -> bool:
    if os.path.realpath(first) == os.path.realpath(second):
        return True
    return first.is_file() and second.is_file() and first.samefile(second)


def check_format(out: str) -> None:
    """The name has the ending of a format that can be written."""
    if out != "-" and not is_table(Path(out)):
        raise ValueError(
            f"--out {out}: the name should end in {TABLE_ENDINGS}; - is standard output"
        )


def has_types(out: str) -> bool:
    """Whether the format that is written distinguishes numbers from text."""
    return out != "-" and format_of(Path(out)) != "csv"


@contextmanager
def rows_writer(out: str, dialect: Dialect) -> Iterator[Writer]:
    """A writer to a file, whole or not at all, or to standard output; text as a dialect says."""
    if out == "-":
        if getattr(sys.stdout, "name", None) == os.devnull:  # put there by the program
            raise ValueError("standard output is closed; name a file with --out")
        sys.stdout.flush()
        yield csv_writer(sys.stdout.buffer, dialect)
        sys.stdout.buffer.flush()
        return
    with atomic_files.replacing(Path(out)) as place:
        writer = open_writer(place, Path(out), dialect)
        try:
            yield writer
        finally:
            writer.close()
