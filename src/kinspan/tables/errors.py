"""Errors that name the file in which they occur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FileError(ValueError):
    """A file that cannot be read as requested.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    reason : str
        What is wrong with it.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


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
