"""A CSR matrix in an `.npz` file of SciPy, a few rows at a time: the archive is a stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan.engines.files._npy import npy_header


class _Numbers:
    """The numbers of a member of the archive, in their order."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self.header = npy_header(file)
        if len(self.header.shape) != 1 or self.header.dtype.kind not in "biuf":
            raise ValueError(f"its member {name!r} is no list of numbers")
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
                "it is no matrix that scipy.sparse.save_npz wrote; save a CSR matrix with that, or "
                "a dense one as .npy"
            )
        kind = stored["format"].item()
        kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else str(kind)
        if kind != "csr":
            raise ValueError(f"it holds a {kind} matrix; save scipy.sparse.csr_array(X)")
        n_rows, n_features = (int(length) for length in stored["shape"])
    return n_rows, n_features


def csr_rows(path: Path, at_most: int, stored_at_most: int) -> Iterator[sp.csr_array]:
    """The rows, at most as many at once, and about as many stored numbers."""
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
            raise ValueError("its members have lengths that do not belong together")
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
        raise ValueError("its rows do not lie one after another")
