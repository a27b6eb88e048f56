"""Which files are meant: a path, a pattern, a folder, or a list of these."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kinspan.engines.files._request import ROLES, Request, check_values

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


def format_of(path: Path) -> str | None:
    """The format that the name of a file announces."""
    ending = path.suffix.lower()
    if ending in _COMPRESSED:
        return "csv" if Path(path.stem).suffix.lower() in {".csv", ".tsv"} else None
    return _FORMATS.get(ending)


def is_tabbed(path: Path) -> bool:
    """Whether the name of a text file says that tabs separate its columns."""
    return ".tsv" in [ending.lower() for ending in path.suffixes[-2:]]


def known_endings() -> str:
    """What names of files may end in."""
    return ", ".join([*_FORMATS, ".csv.gz"])


def is_matrix(path: Path) -> bool:
    """Whether a file has numbers only, and no columns with names."""
    return format_of(path) in {"npy", "npz"}


def beside(path: Path, name: str) -> Path:
    """A file in the folder of another; `{stem}` in its name is the name of that one."""
    return path.parent / name.replace("{stem}", path.stem)


def find(paths: Any, request: Request) -> list[Path]:
    """All files that are meant, those of a folder or a pattern in the order of their names."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
        if not _is_there(paths[0]):
            raise FileNotFoundError(f"paths={os.fspath(paths[0])!r}: there is no such file")
    if not isinstance(paths, Iterable):
        raise TypeError(f"paths={paths!r}; use text, a pathlib.Path, or a list of these")
    found = [path for given in paths for path in _meant_by(given, request)]
    if not found:
        raise ValueError("paths is empty; pass a path, a pattern, a folder, or a list of these")
    path, times = Counter(Path(os.path.realpath(path)) for path in found).most_common(1)[0]
    if times > 1:
        raise ValueError(f"{path} is among paths {times} times, and its rows would count as often")
    check_values(request, len(found))
    return found


def _meant_by(given: Any, request: Request) -> Iterator[Path]:
    """Files of a folder or pattern; a path is itself, so that a list may name what is missing."""
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"paths contains {given!r}; use text or a pathlib.Path")
    path = Path(given)
    if path.is_dir():
        inside = (p for p in path.rglob("*") if not _is_hidden(p.relative_to(path)))
        found = [p for p in sorted(inside) if p.is_file() and format_of(p) is not None]
        what = f"the folder {path} holds no file that ends in {known_endings()}"
    elif glob.has_magic(str(path)) and not path.exists():
        found = [Path(p) for p in sorted(glob.glob(str(path), recursive=True))]
        found = [p for p in found if p.is_file()]
        what = f"no file matches paths={str(path)!r}"
    else:
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is neither a file nor a folder; copy what it gives to a file")
        yield path
        return
    if not found:
        raise FileNotFoundError(what)
    aside = _beside_others(found, request)
    yield from (p for p in found if p not in aside)


def _is_there(path: str | os.PathLike[str]) -> bool:
    return glob.has_magic(os.fspath(path)) or Path(path).exists()


def _is_hidden(path: Path) -> bool:
    """Names that writers use for what is no data: .crc, _SUCCESS, _temporary."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _beside_others(found: list[Path], request: Request) -> set[Path]:
    """Files with the tasks, labels or weights of others."""
    names = [getattr(request, role) for role in ROLES]
    names = [name for name in names if isinstance(name, str) and name.endswith(".npy")]
    return {beside(path, name) for path in found if is_matrix(path) for name in names}
