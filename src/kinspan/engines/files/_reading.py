"""A file → its rows; whatever goes wrong names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kinspan.engines.files._arrow import NOTHING
from kinspan.engines.files._encoded import Encoded, kind_of
from kinspan.engines.files._layout import Layout, table_layout
from kinspan.engines.files._matrices import matrix_layout, matrix_rows, matrix_shape, npy_parts
from kinspan.engines.files._paths import format_of, is_matrix, known_endings
from kinspan.engines.files._request import Request, is_constant, is_function
from kinspan.engines.files._rows import Rows, table_rows
from kinspan.engines.files._tables import Part, open_table, parquet_parts, parquet_rows

_PART_BYTES = 1 << 28  # a larger file is several pieces of work


class FileError(ValueError):
    """A file that cannot be read as asked.

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
def naming(path: Path, where: str = "") -> Iterator[None]:
    """Let errors name the file. A library that is not installed is not the fault of a file."""
    try:
        yield
    except (FileError, ImportError):
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise FileError(path, f"{where}{reason}") from error


def layout_of(path: Path, request: Request, nothing: str | None = None) -> Layout | None:
    """What a file settles for the others; None where it has no values to settle it by.

    Columns without any may be taken for ids of a kind, to find the row in which one is missing.
    """
    with naming(path):
        if format_of(path) is None:
            raise ValueError(f"the name ends in none of {known_endings()}")
        if is_matrix(path):
            return matrix_layout(path, request) if matrix_shape(path)[0] else None
        layout = table_layout(str(path), open_table(path, request), request)
        kinds = {**layout.kinds, **_kinds_of_functions(path, request)}
        if nothing is not None:
            kinds = {role: nothing if kind == NOTHING else kind for role, kind in kinds.items()}
        return None if NOTHING in kinds.values() else layout._replace(kinds=kinds)


def _kinds_of_functions(path: Path, request: Request) -> dict[str, str]:
    """What ids are that a function says of a path."""
    asked = {role: getattr(request, role) for role in ("task", "label")}
    said = {role: spec(path) for role, spec in asked.items() if is_function(spec)}
    return {role: kind_of(Encoded.constant(v, 1).ids) for role, v in said.items() if is_constant(v)}


def rows_of(path: Path, part: Part | None, request: Request, layout: Layout) -> Iterator[Rows]:
    """The rows of a file, or of a part of it, in batches."""
    with naming(path):
        if format_of(path) is None:
            raise ValueError(f"the name ends in none of {known_endings()}")
        if is_matrix(path) != layout.is_matrix:
            raise ValueError(
                f"{layout.first} is of another kind: tables with named columns (Parquet, Arrow, "
                "CSV) and matrices (.npy, .npz) are read by two calls"
            )
        read = matrix_rows if layout.is_matrix else table_rows
        yield from read(path, part, request, layout)


def parts_of(path: Path) -> list[Part | None]:
    """Pieces of work in a file, whatever the number of processes: None is all of it."""
    cut = {"parquet": parquet_parts, "npy": npy_parts}.get(format_of(path) or "")
    try:
        n_parts = -(-path.stat().st_size // _PART_BYTES)
        return list(cut(path, n_parts)) if cut is not None and n_parts > 1 else [None]
    except ImportError:
        raise
    except Exception:  # who reads it will say what is wrong
        return [None]


def n_rows_of(path: Path) -> int | None:
    """The number of rows, where a file says it in its head."""
    try:
        if is_matrix(path):
            return matrix_shape(path)[0]
        return parquet_rows(path) if format_of(path) == "parquet" else None
    except Exception:  # who reads it will say what is wrong
        return None
