"""Errors that name the file in which they occur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kinspan.exceptions import FileError


@contextmanager
def naming_file(path: Path, where: str = "") -> Iterator[None]:
    """Turn errors into a `FileError`. A missing library is not the fault of a file."""
    try:
        yield
    except (FileError, ImportError):
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise FileError(path, f"{where}{reason}") from error
