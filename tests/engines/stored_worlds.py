"""Random worlds in files of every format, as users would write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA
from tests.worlds import random_world

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.csv")
pytest.importorskip("pyarrow.feather")
pytest.importorskip("pyarrow.parquet")


class StoredWorld(NamedTuple):
    """Rows in memory, with names as in files."""

    X: Any
    y: Any
    task: Any
    names: list[str]

    def table(self, rows: Any = slice(None)) -> Any:
        """Features between the other columns, and a column that is no number."""
        X, y, task = self.X[rows], self.y[rows], self.task[rows]
        first, *others = self.names
        columns = {first: X[:, 0], "ill": y, "note": ["…"] * len(X), "clinic": task}
        return pa.table({**columns, **{n: X[:, j] for j, n in enumerate(others, start=1)}})


Writer = Callable[[StoredWorld, Any, Path], None]


def stored_world(seed: int = 0, n: int = 600, **options: Any) -> StoredWorld:
    """Text ids, among them some that are not ASCII, and a column named so."""
    X, y, task = random_world(seed, n=n, **options)
    names = ["größe", *(f"x{j}" for j in range(1, X.shape[1]))]
    labels = np.array(["nein", "ja", "無"], dtype=object)[y]
    return StoredWorld(X, labels, np.array([f"Nº {t}" for t in task], dtype=object), names)


def write_parquet(world: StoredWorld, rows: Any, path: Path) -> None:
    pa.parquet.write_table(world.table(rows), path.with_suffix(".parquet"), row_group_size=37)


def write_feather(world: StoredWorld, rows: Any, path: Path) -> None:
    pa.feather.write_feather(world.table(rows), path.with_suffix(".feather"), chunksize=41)


def write_arrow_stream(world: StoredWorld, rows: Any, path: Path) -> None:
    table = world.table(rows)
    with pa.ipc.new_stream(path.with_suffix(".arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=43)


def write_csv(world: StoredWorld, rows: Any, path: Path) -> None:
    pa.csv.write_csv(world.table(rows), path.with_suffix(".csv"))


def write_tsv(world: StoredWorld, rows: Any, path: Path) -> None:
    options = pa.csv.WriteOptions(delimiter="\t")
    with pa.CompressedOutputStream(path.with_suffix(".tsv.gz"), "gzip") as file:
        pa.csv.write_csv(world.table(rows), file, options)


def write_npy(world: StoredWorld, rows: Any, path: Path) -> None:
    np.save(path.with_suffix(".npy"), np.asfortranarray(world.X[rows]))
    _write_ids(world, rows, path)


def write_npz(world: StoredWorld, rows: Any, path: Path) -> None:
    sp.save_npz(path.with_suffix(".npz"), sp.csr_array(world.X[rows]))
    _write_ids(world, rows, path)


def _write_ids(world: StoredWorld, rows: Any, path: Path) -> None:
    np.save(path.parent / f"{path.stem}_ill.npy", world.y[rows].astype(str))
    np.save(path.parent / f"{path.stem}_clinic.npy", world.task[rows].astype(str))


TABLES: dict[str, Writer] = {
    "parquet": write_parquet,
    "feather": write_feather,
    "arrow stream": write_arrow_stream,
    "csv": write_csv,
    "tsv.gz": write_tsv,
}
MATRICES: dict[str, Writer] = {"npy": write_npy, "npz": write_npz}
NAMED: dict[str, Any] = {"task": "clinic", "label": "ill"}
BESIDE: dict[str, Any] = {"task": "{stem}_clinic.npy", "label": "{stem}_ill.npy"}
FORMATS = [
    *(pytest.param(write, NAMED, id=name) for name, write in TABLES.items()),
    *(pytest.param(write, BESIDE, id=name) for name, write in MATRICES.items()),
]


def write_split(world: StoredWorld, write: Writer, folder: Path, n_files: int = 3) -> None:
    """The rows of a world in random order, in several files of different sizes."""
    order = np.random.default_rng(1).permutation(len(world.X))
    cuts = np.sort(np.random.default_rng(2).integers(1, len(order), n_files - 1))
    for i, rows in enumerate(np.split(order, cuts)):
        write(world, rows, folder / f"файл {i}")


def assert_same_model(found: Any, expected: Any) -> None:
    """The same rules and forecasts, whatever the way that the rows came."""
    assert found.tasks_.tolist() == expected.tasks_.tolist()
    assert found.classes_.tolist() == expected.classes_.tolist()
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_", "metric_"):
        values = getattr(expected, name)
        scale = np.abs(values).max()
        np.testing.assert_allclose(
            getattr(found, name), values, rtol=1e-9, atol=1e-9 * scale, err_msg=name
        )


def in_memory(world: StoredWorld, **parameters: Any) -> MultiTaskSPCA:
    return MultiTaskSPCA(**parameters).fit(world.X, world.y, task=world.task)
