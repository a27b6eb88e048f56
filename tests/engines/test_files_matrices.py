"""Matrices that cannot be read, or that lack tasks and labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan.engines import files

MATRICES = [
    (lambda d: np.save(d / "X.npy", np.ones(3)), {}, r"it has shape \(3,\) and type float64"),
    (
        lambda d: np.save(d / "X.npy", np.full((3, 2), "x")),
        {},
        "type <U1; store a matrix of numbers",
    ),
    (
        lambda d: np.save(d / "X.npy", np.full((3, 2), None), allow_pickle=True),
        {},
        "Python objects, which are never unpickled",
    ),
    (lambda d: np.save(d / "X.npy", np.ones((3, 2))), {}, r"label in .*y\.npy has shape \(4,\)"),
    (
        lambda d: np.save(d / "X.npy", np.ones((4, 2))),
        {"label": "z.npy"},
        r"label should be in .*z\.npy, but there is no such file",
    ),
    (
        lambda d: np.save(d / "X.npy", np.ones((4, 2))),
        {"label": "y"},
        r"label='y' is a name, but a matrix has no columns",
    ),
    (
        lambda d: np.save(d / "X.npy", np.ones((4, 2))),
        {"features": ["a"]},
        r"features=\('a',\), but the columns of a matrix",
    ),
    (
        lambda d: np.save(d / "X.npy", np.full((4, 2), np.nan)),
        {"missing": "refuse"},
        "rows 0 to 3: X contains NaN in column 0, in 4 of 4 rows",
    ),
    (lambda d: (d / "X.npy").write_bytes(b"hello" * 9), {}, "magic string is not correct"),
    (
        lambda d: sp.save_npz(d / "X.npz", sp.csc_array(np.eye(4))),
        {},
        r"it holds a csc matrix; save scipy\.sparse\.csr_array\(X\)",
    ),
    (
        lambda d: np.savez(d / "X.npz", X=np.eye(4)),
        {},
        "not a matrix written by scipy.sparse.save_npz",
    ),
    (lambda d: (d / "X.npz").write_bytes(b"PK" * 30), {}, "X.npz"),
]


@pytest.mark.parametrize(("write", "options", "message"), MATRICES)
def test_matrices_that_cannot_be_read(
    write: Callable[[Path], Any], options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "y.npy", np.arange(4) % 2)
    write(tmp_path)
    with pytest.raises(files.FileError, match=message):
        files.statistics(tmp_path, **{"label": "y.npy", **options})


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"indices": [0, 7]}, "column numbers outside 0 to 1"),
        ({"indices": [0, -1]}, "column numbers outside 0 to 1"),
        ({"indptr": [0, 2, 1]}, "rows are not stored one after another"),
        ({"indptr": [0, 1, 9]}, "rows are not stored one after another"),
        ({"indptr": [0, 1, 1]}, "1 of its numbers belong to no row"),
        ({"indptr": [0, 2]}, "lengths that do not match"),
        ({"data": [["x"]]}, "member 'data' is not a list of numbers"),
    ],
)
def test_sparse_files_with_impossible_places(
    members: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """Such places would be read outside of memory."""
    good = {"shape": [2, 2], "data": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, 2]}
    arrays = {name: np.array(value) for name, value in {**good, **members}.items()}
    save: Any = np.savez
    save(tmp_path / "X.npz", format=np.array(b"csr"), **arrays)
    with pytest.raises(files.FileError, match=message):
        files.statistics(tmp_path / "X.npz", label=[0, 1])


def test_matrices_of_other_widths_and_short_ones(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((4, 2)))
    np.save(tmp_path / "b.npy", np.ones((4, 3)))
    np.save(tmp_path / "y.npy", np.arange(4) % 2)
    with pytest.raises(files.FileError, match=r"b\.npy: it has 3 features, but .*a\.npy has 2"):
        files.statistics(tmp_path, label="y.npy")
    (tmp_path / "b.npy").unlink()
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-8])
    with pytest.raises(files.FileError, match="the file ends before its numbers do"):
        files.statistics(tmp_path, label="y.npy")
