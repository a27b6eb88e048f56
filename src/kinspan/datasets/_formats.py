"""One file → arrays: `.npz`, MATLAB `.mat`, feature `.csv`, svmlight, MNIST idx.

The error for a malformed file names the file.
"""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.io
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.datasets import load_svmlight_file

FEATURE_KEYS = ("fts", "Xt", "Xs")
LABEL_KEYS = ("labels", "Yt", "Ys")
IDX_BYTES = 8  # the idx code of unsigned bytes, the only one MNIST uses


class FileRows(NamedTuple):
    """The labelled rows of one file."""

    X: Any  # (rows, features): dense or CSR
    y: NDArray[np.int64]  # (rows,): labels as in the file


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name the file in any error while it is read."""
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"{str(path)!r} is malformed: {error}; fetch it again, or remove it from the folder"
        ) from error


def read_npz(path: Path, *names: str) -> list[NDArray[Any]]:
    """Return the arrays of these names; nothing is unpickled."""
    with reading(path), np.load(path, allow_pickle=False) as arrays:
        return [_first_of(arrays, (name,)) for name in names]


def read_mat(path: Path) -> FileRows:
    """Return the rows of a MATLAB file: `fts` and `labels`, or `Xt` and `Yt`, or `Xs` and `Ys`."""
    with reading(path):
        arrays = scipy.io.loadmat(path)
        X = _first_of(arrays, FEATURE_KEYS)
        dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        return file_rows(dense, _first_of(arrays, LABEL_KEYS))


def read_csv(path: Path) -> FileRows:
    """Return the rows of a CSV file without header: the features, then an integer label."""
    with reading(path), warnings.catch_warnings():
        warnings.simplefilter("error")  # for an empty file numpy only warns
        table = np.loadtxt(path, delimiter=",", dtype=np.float32, ndmin=2)
        return file_rows(table[:, :-1], table[:, -1])


def read_svmlight(path: Path, n_features: int) -> FileRows:
    """Return the rows of an svmlight file whose feature numbers start at 0."""
    with reading(path):
        X, y = load_svmlight_file(
            str(path), n_features=n_features, zero_based=True, dtype=np.float32
        )
        return file_rows(csr_array(X), y)


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Return the array of an idx file of bytes, gzipped or not; its first axis counts the rows."""
    with reading(path):
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
        shape, start = _idx_header(raw)
        return np.frombuffer(raw, np.uint8, offset=start).reshape(shape)


def file_rows(X: Any, y: Any) -> FileRows:
    """Check that there is one integer label per row."""
    labels = np.asarray(y).ravel()
    if X.ndim != 2 or X.shape[0] != labels.size or 0 in X.shape:
        raise ValueError(f"features of shape {X.shape} do not go with {labels.size} labels")
    if np.any(labels != np.round(labels)):
        raise ValueError(f"the label {labels[labels != np.round(labels)][0]} is not an integer")
    return FileRows(X, labels.astype(np.int64))


def _first_of(arrays: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if name in arrays:
            return arrays[name]
    held = sorted(key for key in arrays if not key.startswith("__"))
    raise ValueError(f"it has no array {' or '.join(names)}, only {', '.join(held)}")


def _idx_header(raw: bytes) -> tuple[tuple[int, ...], int]:
    """Return the shape an idx file announces and the byte at which its values start."""
    if len(raw) < 4 or raw[:3] != bytes([0, 0, IDX_BYTES]):
        raise ValueError(f"it starts with {raw[:4]!r}, not as an idx file of bytes")
    start = 4 + 4 * raw[3]
    shape = tuple(int(size) for size in np.frombuffer(raw[4:start], ">u4"))
    return shape, start
