"""The command line in this process, with output that is not a terminal."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.csv  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

from kinspan import __main__
from tests.engines.stored_worlds import StoredWorld, stored_world

WORLD = stored_world(0, n=500)
ROLES = ("--task", "clinic", "--label", "ill", "--exclude", "note")


class Ran(NamedTuple):
    """The output and the exit code of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out.count("\n") == 1
        assert self.err == ""
        return json.loads(self.out)


class Stream(io.TextIOWrapper):
    """Where a command prints, which may pretend to be a terminal."""

    def __init__(self, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def kinspan(*arguments: object, stdin: bytes = b"", terminal: bool = False) -> Ran:
    """Run a command."""
    streams = [Stream(terminal) for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = 0
        try:
            __main__.main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        for stream in streams:
            stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return Ran(code, out, err)


def succeed(*arguments: object, stdin: bytes = b"") -> Ran:
    """Run a command that should work."""
    ran = kinspan(*arguments, stdin=stdin)
    assert ran.code == 0, ran.err
    assert "error" not in ran.err
    return ran


def refusal(*arguments: object, stdin: bytes = b"") -> str:
    """The one line that a command says instead of working."""
    ran = kinspan(*arguments, stdin=stdin)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("kinspan: error: ")
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1, ran.err
    return ran.err.removeprefix("kinspan: error: ").rstrip("\n")


def written(table: Any, path: Path) -> Path:
    """A table in a file of the format that its name says."""
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=61)
    elif path.suffix == ".feather":
        pa.feather.write_feather(table, path)
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(delimiter=mark))
    return path


def fitted(folder: Path, world: StoredWorld = WORLD, *options: object) -> Path:
    """A model of a world that was fitted by the command line."""
    data = written(world.table(), folder / "rows.csv")
    succeed("fit", data, *ROLES, *options, "--out", folder / "model.kinspan")
    return folder / "model.kinspan"
