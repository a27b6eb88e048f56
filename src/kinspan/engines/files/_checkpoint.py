"""Statistics of finished files ↔ one file, from which an interrupted call continues."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from reprlib import repr as short
from typing import Any, NamedTuple

from kinspan._memory.piles import Pile
from kinspan._memory.statistics import Statistics
from kinspan._storage import container
from kinspan._storage.atomic_files import check_place, write_atomically
from kinspan._storage.container import Contents, Record, together
from kinspan.engines.files._report import ReadFile, SkippedFile
from kinspan.exceptions import StoredDataError
from kinspan.tables.request import ROLES, Request, is_constant

KIND = "checkpoint"
_SECONDS = 10.0  # at least, between two writes
_SHARE = 20.0  # at least, in multiples of the time that the last write took


class Finished(NamedTuple):
    """The sum of the first files."""

    pile: Pile
    read: list[ReadFile]
    skipped: list[SkippedFile]
    notes: Any = None  # of the caller, in JSON types

    @property
    def n_files(self) -> int:
        """The number of these files."""
        return len(self.read) + len(self.skipped)


class Checkpoint:
    """The file that holds what is finished; without a path, nothing is written."""

    def __init__(self, path: Any, files: Sequence[Path], asked: dict[str, Any]) -> None:
        self._path = None if path is None else _checked(path)
        self._files = [Path(os.path.abspath(file)) for file in files]
        self._asked = json.loads(json.dumps(asked))
        self._last, self._took = time.monotonic(), 0.0

    def begun(self) -> Finished:
        """The result of an interrupted call, empty where there was none."""
        if self._path is None or not self._path.exists():
            return Finished((), [], [])
        try:
            _, record = container.unpack(self._path.read_bytes(), KIND)
            with container.reading(KIND):
                found = _of_record(record)
                self._check(record.meta, found.n_files)
        except StoredDataError as error:
            raise StoredDataError(f"checkpoint={str(self._path)!r}: {error}") from None
        return found

    def last(self, begun: Finished, steps: Generator[Finished, None, None]) -> Finished:
        """Go through steps, each with one more file, to the last one; an error loses none."""
        done = begun
        try:
            with closing(steps):
                for done in steps:
                    self._keep(done)
        except BaseException:
            self.write(done)
            raise
        return done

    def _keep(self, finished: Finished) -> None:
        """Write what is finished, if the last write is long enough ago."""
        begin = time.monotonic()
        if self._path is not None and begin - self._last >= max(_SECONDS, _SHARE * self._took):
            self.write(finished)
            self._last = time.monotonic()
            self._took = self._last - begin

    def write(self, finished: Finished) -> None:
        """Write what is finished, whole or not at all."""
        if self._path is not None and finished.n_files:
            stamps = [_stamp(path) for path in self._files[: finished.n_files]]
            about = {**self._asked, "files": [str(path) for path in self._files], "stamps": stamps}
            record = together(Record(about, {}), _to_record(finished))
            write_atomically(self._path, container.pack(Contents(KIND, record)))

    def remove(self) -> None:
        """Delete the file when nothing is left to continue."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _check(self, meta: dict[str, Any], n_finished: int) -> None:
        for name, value in self._asked.items():
            if meta[name] != value:
                raise StoredDataError(
                    f"it is of a call with {name}={short(meta[name])}, not {short(value)}; "
                    f"{_WAY_OUT}"
                )
        files = [str(path) for path in self._files]
        others = sorted(set(files) ^ set(meta["files"])) or files
        if files != meta["files"]:
            raise StoredDataError(f"it is of other files, such as {others[0]}; {_WAY_OUT}")
        for path, stamp in zip(self._files[:n_finished], meta["stamps"], strict=True):
            if _stamp(path) != stamp:
                raise StoredDataError(f"{path} has changed since it was read; {_WAY_OUT}")


_WAY_OUT = "name another checkpoint, or delete this one to begin anew"


def asked_for(request: Request, files: Sequence[Path], **options: Any) -> dict[str, Any]:
    """Everything that the statistics of files depend on, in JSON types."""
    roles = {role: _described(role, getattr(request, role), files) for role in ROLES}
    features = request.features
    given = {
        "features": list(features) if isinstance(features, tuple) else features,
        "as_text": sorted(request.as_text),
        "dialect": list(request.dialect),
        "batch_rows": request.batch_rows,
    }
    return {**roles, **given, **options}


def _described(role: str, value: Any, files: Sequence[Path]) -> Any:
    """A column as its name, a function as its values for all files."""
    if callable(value):
        return [repr(value(path)) for path in files]
    if not is_constant(value):
        raise ValueError(
            f"{role} is given as values, and a checkpoint keeps whole files; leave out checkpoint="
        )
    return value


def _checked(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"checkpoint={path!r}; use text, a pathlib.Path or None")
    check_place(Path(path))
    return Path(path)


def _stamp(path: Path) -> list[int] | None:
    """Size and time of a file, which change with its content; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


def _to_record(finished: Finished) -> Record:
    pile = [part.record().under(f"part {i}") for i, (_, part) in enumerate(finished.pile)]
    about = {
        "pile": [n for n, _ in finished.pile],
        "read": [[str(path), n_rows] for path, n_rows in finished.read],
        "skipped": [[str(path), reason] for path, reason in finished.skipped],
        "notes": finished.notes,
    }
    return together(Record(about, {}), *pile)


def _of_record(record: Record) -> Finished:
    numbers = enumerate(record.meta["pile"])
    return Finished(
        tuple((int(n), Statistics.from_record(record.part(f"part {i}"))) for i, n in numbers),
        [ReadFile(Path(path), int(n_rows)) for path, n_rows in record.meta["read"]],
        [SkippedFile(Path(path), str(reason)) for path, reason in record.meta["skipped"]],
        record.meta["notes"],
    )
