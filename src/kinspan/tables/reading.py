"""A file of any format → its layout and its rows; errors name the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from kinspan.tables.arrow import NOTHING, TEXT
from kinspan.tables.binary import parquet_parts, parquet_rows
from kinspan.tables.chunks import open_table
from kinspan.tables.errors import naming_file
from kinspan.tables.ids import CodedIds, kind_of
from kinspan.tables.layout import FileLayout, table_layout, with_own_features
from kinspan.tables.matrices import matrix_layout, matrix_rows, matrix_shape, npy_parts
from kinspan.tables.paths import KNOWN_ENDINGS, format_of, is_matrix
from kinspan.tables.request import Request, is_constant
from kinspan.tables.rows import FileRows, table_rows
from kinspan.tables.table import Part

_PART_BYTES = 1 << 28  # a larger file is read in several parts


def layout_of(path: Path, request: Request, as_text: Sequence[str] = ()) -> FileLayout | None:
    """The layout that a file gives to the others; None where it has no values to infer it from.

    Columns of the roles in `as_text` are taken for text if they have no values; reading the rows
    then finds the one in which a task is missing.
    """
    with naming_file(path):
        _check_format(path)
        if is_matrix(path):
            return matrix_layout(path, request) if matrix_shape(path)[0] else None
        layout = table_layout(str(path), open_table(path, request.dialect), request)
        kinds = {**layout.kinds, **_kinds_of_functions(path, request)}
        kinds |= {role: TEXT for role in as_text if kinds.get(role) == NOTHING}
        return None if NOTHING in kinds.values() else layout._replace(kinds=kinds)


def layout_in(path: Path, request: Request, first: FileLayout) -> FileLayout:
    """The layout of another file, which may have other features than the first."""
    if first.is_matrix or is_matrix(path):
        return first
    with naming_file(path):
        _check_format(path)
        return with_own_features(first, open_table(path, request.dialect), request)


def columns_of(path: Path, request: Request) -> set[str]:
    """The columns of a table."""
    with naming_file(path):
        _check_format(path)
        return set(open_table(path, request.dialect).names)


def _check_format(path: Path) -> None:
    if format_of(path) is None:
        raise ValueError(f"the name ends in none of {KNOWN_ENDINGS}")


def _kinds_of_functions(path: Path, request: Request) -> dict[str, str]:
    """The kinds of ids that functions return for a path."""
    asked = {role: getattr(request, role) for role in ("task", "label")}
    given = {role: spec(path) for role, spec in asked.items() if callable(spec)}
    constant = {role: value for role, value in given.items() if is_constant(value)}
    return {role: kind_of(CodedIds.constant(value, 1).ids) for role, value in constant.items()}


def rows_of(
    path: Path, part: Part | None, request: Request, layout: FileLayout
) -> Iterator[FileRows]:
    """The rows of a file, or of a part of it, in batches."""
    with naming_file(path):
        _check_format(path)
        if is_matrix(path) != layout.is_matrix:
            raise ValueError(
                f"{layout.first} is of another kind: tables with named columns (Parquet, Arrow, "
                "CSV) and matrices (.npy, .npz) are read by two calls"
            )
        read = matrix_rows if layout.is_matrix else table_rows
        yield from read(path, part, request, layout)


def parts_of(path: Path) -> list[Part | None]:
    """Parts that can be read in parallel, for any number of processes: None is the whole file."""
    cut = {"parquet": parquet_parts, "npy": npy_parts}.get(format_of(path) or "")
    try:
        n_parts = -(-path.stat().st_size // _PART_BYTES)
        return list(cut(path, n_parts)) if cut is not None and n_parts > 1 else [None]
    except ImportError:
        raise
    except Exception:  # reading the file will raise it again, with a better message
        return [None]


def n_rows_of(files: Sequence[Path]) -> int | None:
    """The number of rows of all files, where all have it in their headers."""
    numbers = [_n_rows(path) for path in files]
    return None if None in numbers else sum(n or 0 for n in numbers)


def _n_rows(path: Path) -> int | None:
    try:
        if is_matrix(path):
            return matrix_shape(path)[0]
        return parquet_rows(path) if format_of(path) == "parquet" else None
    except Exception:  # as above
        return None
