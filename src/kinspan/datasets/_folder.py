"""``data=`` or ``KINSPAN_DATA`` → the files of a dataset, or an error that says how to get them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

VARIABLE = "KINSPAN_DATA"

Folder = str | os.PathLike[str] | None


class Source(NamedTuple):
    """The files that hold one dataset."""

    stored: str  # the one `.npz` file that can replace the published ones; empty: there is none
    published: list[tuple[str, ...]]  # for each of the published files, the names it may have
    way_out: str  # who publishes them


def data_folder(data: Folder, stored: str, way_out: str) -> Path:
    """Return the given folder, or else the one that the environment variable names.

    If there is none, the error says which file it should hold and who publishes the data.
    """
    chosen = data if data is not None else os.environ.get(VARIABLE)
    if chosen is not None and not isinstance(chosen, (str, os.PathLike)):
        raise TypeError(f"data is {data!r}; give the folder that holds {stored}")
    if not chosen:
        raise FileNotFoundError(
            f"no data folder: data is {data!r} and the environment variable {VARIABLE} is "
            f"{os.environ.get(VARIABLE)!r}; give the folder that holds {stored} as data= or in "
            f"{VARIABLE}; {way_out}"
        )
    if not Path(chosen).is_dir():
        origin = "data" if data is not None else f"the environment variable {VARIABLE}"
        raise FileNotFoundError(
            f"{origin} is {str(chosen)!r}, which is not a folder; give the folder that holds "
            f"{stored}; {way_out}"
        )
    return Path(chosen)


def find_file(folder: Path, *names: str) -> Path | None:
    """Return the first of these names that the folder holds; case does not matter."""
    return next((path for name in names if (path := _match(folder / name)) is not None), None)


def need_published(folder: Path, source: Source) -> list[Path]:
    """Return all the published files, or raise an error that says which are missing."""
    paths = [find_file(folder, *names) for names in source.published]
    missing = [names[0] for names, path in zip(source.published, paths, strict=True) if not path]
    if missing:
        instead = f" and, in their place, {source.stored}" if source.stored else ""
        raise FileNotFoundError(
            f"{str(folder)!r} lacks {', '.join(missing)}{instead}; {source.way_out}"
        )
    return [path for path in paths if path is not None]


def _match(path: Path) -> Path | None:
    siblings = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    alike = [other for other in siblings if other.name.lower() == path.name.lower()]
    return path if path in alike else next(iter(alike), None)
