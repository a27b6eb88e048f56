"""Arrays in `.npy` files and CSR matrices in `.npz` files → some of their rows at a time.

Files are read and not mapped: pages of a map that were read count as memory in use. An `.npz`
archive is a compressed stream, read from its beginning to its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import ZipFile

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


class Header(NamedTuple):
    """What precedes the numbers of a `.npy` file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool  # whether columns are stored one after another


def npy_header(file: IO[bytes]) -> Header:
    """Read the header; the numbers follow."""
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        read = np.lib.format.read_array_header_1_0
    elif version == (2, 0):
        read = np.lib.format.read_array_header_2_0
    else:
        raise ValueError(f"version {version} of the .npy format holds no plain numbers")
    shape, fortran, dtype = read(file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never unpickled; store plain numbers")
    return Header(shape, dtype, fortran)


def npy_rows(path: Path, start: int, stop: int) -> NDArray[Any]:
    """Some rows of an array of one or two dimensions."""
    with path.open("rb") as file:
        header = npy_header(file)
        length, *widths = header.shape
        width, begin, size = int(np.prod(widths)), file.tell(), header.dtype.itemsize

        def numbers(place: int, n: int) -> NDArray[Any]:
            file.seek(begin + place * size)
            found = np.fromfile(file, header.dtype, n)
            if len(found) < n:
                raise ValueError("the file ends before its numbers do")
            return found

        if not header.fortran or not widths:
            return numbers(start * width, (stop - start) * width).reshape(-1, *widths)
        columns = np.empty((width, stop - start), header.dtype)
        for j in range(width):
            columns[j] = numbers(j * length + start, stop - start)
        return columns.T


class _Numbers:
    """The numbers of a member of the archive, in their order."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self.header = npy_header(file)
        if len(self.header.shape) != 1 or self.header.dtype.kind not in "biuf":
            raise ValueError(f"its member {name!r} is not a list of numbers")
        self.length = self.header.shape[0]

    def take(self, n: int) -> NDArray[Any]:
        wanted = n * self.header.dtype.itemsize
        pieces = []
        while wanted and (piece := self._file.read(wanted)):
            pieces.append(piece)
            wanted -= len(piece)
        if wanted:
            raise ValueError("the file ends before its numbers do")
        return np.frombuffer(b"".join(pieces), self.header.dtype)


def csr_shape(path: Path) -> tuple[int, int]:
    """(rows, features) of the matrix."""
    with np.load(path, allow_pickle=False) as stored:
        if not {"format", "shape", "data", "indices", "indptr"} <= set(stored.files):
            raise ValueError(
                "it is not a matrix written by scipy.sparse.save_npz; save a CSR matrix with it or "
                "a dense one as .npy"
            )
        kind = stored["format"].item()
        kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else str(kind)
        if kind != "csr":
            raise ValueError(f"it holds a {kind} matrix; save scipy.sparse.csr_array(X)")
        n_rows, n_features = (int(length) for length in stored["shape"])
    return n_rows, n_features


def csr_rows(path: Path, at_most: int, stored_at_most: int) -> Iterator[sp.csr_array]:
    """The rows in batches of at most `at_most` rows and about `stored_at_most` numbers."""
    n_rows, n_features = csr_shape(path)
    with ExitStack() as opened:
        archive = opened.enter_context(ZipFile(path))
        data, indices, indptr = (
            _Numbers(opened.enter_context(archive.open(f"{name}.npy")), name)
            for name in ("data", "indices", "indptr")
        )
        usual = max(data.length / max(n_rows, 1), 1.0)
        at_once = max(1, min(at_most, int(stored_at_most / usual)))
        if indptr.length != n_rows + 1 or indices.length != data.length:
            raise ValueError("its members have lengths that do not match")
        begin = int(indptr.take(1)[0])
        for start in range(0, n_rows, at_once):
            ends = indptr.take(min(at_once, n_rows - start)).astype(np.int64)
            starts = np.concatenate([[begin], ends])
            stored = int(ends[-1]) - begin
            _check_places(starts, data.length)
            columns = indices.take(stored)
            if stored and (columns.min() < 0 or columns.max() >= n_features):
                raise ValueError(f"it has column numbers outside 0 to {n_features - 1}")
            values = data.take(stored)
            yield sp.csr_array((values, columns, starts - begin), shape=(len(ends), n_features))
            begin = int(ends[-1])
        if begin != data.length:
            raise ValueError(f"{data.length - begin} of its numbers belong to no row")


def _check_places(places: NDArray[np.int64], length: int) -> None:
    if (np.diff(places) < 0).any() or places[-1] > length or places[0] < 0:
        raise ValueError("its rows are not stored one after another")
