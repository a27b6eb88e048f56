"""A path, a pattern, a folder, or a list of these → files and the formats of their names."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kinspan.tables.request import ROLES, Request, check_values

TABLE_ENDINGS = ".csv, .tsv, .csv.gz, .parquet, .feather or .arrow"
_COMPRESSED = {".gz", ".bz2", ".zst"}
_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".tsv": "csv",
    ".npy": "npy",
    ".npz": "npz",
}
KNOWN_ENDINGS = ", ".join([*_FORMATS, ".csv.gz"])


def format_of(path: Path) -> str | None:
    """The format that the name of a file stands for."""
    ending = path.suffix.lower()
    if ending in _COMPRESSED:
        return "csv" if Path(path.stem).suffix.lower() in {".csv", ".tsv"} else None
    return _FORMATS.get(ending)


def delimiter_of(path: Path) -> str:
    """What separates the columns of a text file of this name, where nothing else is said."""
    return "\t" if ".tsv" in [ending.lower() for ending in path.suffixes[-2:]] else ","


def is_matrix(path: Path) -> bool:
    """Whether a file holds numbers only, in columns without names."""
    return format_of(path) in {"npy", "npz"}


def is_table(path: Path) -> bool:
    """Whether a file has columns with names."""
    return format_of(path) in {"csv", "parquet", "arrow"}


def companion(path: Path, name: str) -> Path:
    """A file in the folder of a matrix; `{stem}` in its name is the name of the matrix."""
    return path.parent / name.replace("{stem}", path.stem)


def find(paths: Any, request: Request) -> list[Path]:
    """All files, those of a folder or a pattern sorted by name."""
    if isinstance(paths, (str, os.PathLike)):
        if not (glob.has_magic(os.fspath(paths)) or Path(paths).exists()):
            raise FileNotFoundError(f"paths={os.fspath(paths)!r}: there is no such file")
        paths = [paths]
    # Bytes are iterable as numbers, dictionaries as their keys, and open files as their lines.
    is_other = isinstance(paths, (bytes, Mapping)) or hasattr(paths, "read")
    if is_other or not isinstance(paths, Iterable):
        raise TypeError(f"paths={paths!r}; use text, a pathlib.Path, or a list of these")
    found = [path for given in paths for path in _expanded(given, request)]
    if not found:
        raise ValueError("paths is empty; pass a path, a pattern, a folder, or a list of these")
    path, times = Counter(Path(os.path.realpath(path)) for path in found).most_common(1)[0]
    if times > 1:
        raise ValueError(f"{path} is among paths {times} times, and its rows would count as often")
    check_values(request, len(found))
    return found


def _expanded(given: Any, request: Request) -> Iterator[Path]:
    """Files of a folder or pattern; a path is itself, so that a list may name a missing file."""
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"paths contains {given!r}; use text or a pathlib.Path")
    path = Path(given)
    if path.is_dir():
        inside = (p for p in path.rglob("*") if not _is_hidden(p.relative_to(path)))
        found = [p for p in sorted(inside) if p.is_file() and format_of(p) is not None]
        reason = f"the folder {path} holds no file that ends in {KNOWN_ENDINGS}"
    elif glob.has_magic(str(path)) and not path.exists():
        matching = (Path(p) for p in sorted(glob.glob(str(path), recursive=True)))
        found = [p for p in matching if p.is_file()]
        reason = f"no file matches paths={str(path)!r}"
    else:
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is neither a file nor a folder; copy its content to a file")
        yield path
        return
    if not found:
        raise FileNotFoundError(reason)
    companions = _companions(found, request)
    yield from (p for p in found if p not in companions)


def _is_hidden(path: Path) -> bool:
    """Names that writers give to files without data: .crc, _SUCCESS, _temporary."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _companions(found: list[Path], request: Request) -> set[Path]:
    """Files that hold the tasks, labels or weights of matrices."""
    names = [getattr(request, role) for role in ROLES]
    names = [name for name in names if isinstance(name, str) and name.endswith(".npy")]
    return {companion(path, name) for path in found if is_matrix(path) for name in names}
