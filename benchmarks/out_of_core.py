"""Memory and speed of learning from more rows than fit in memory: `make out-of-core`.

Limit: a fit on 20 GB of rows needs less than 500 MB of resident memory, including all libraries.
Rows are generated while they are read. Files are written by a separate process, which waits until
the previous file was read and removed, so that 20 GB are never stored at once. Every route runs in
a process of its own.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks._measure import RESULTS, machine, seconds
from kinspan import MultiTaskSPCA, Statistics
from kinspan.engines import files

N_FEATURES, N_TASKS = 128, 20
BATCH_ROWS, PIECE_ROWS = 30_000, 960_000
ROUTES = {"batches": 20.0, "parquet": 20.0, "npy": 20.0, "csv": 2.0}  # gigabytes of float32


class Row(NamedTuple):
    """One line of the table."""

    what: str
    gigabytes: float  # of single-precision numbers, whatever their size in a file
    rows: int
    seconds: float  # of reading and learning
    rows_per_second: float
    ratio: float  # its time over that of the reference
    reference: str  # what reads the same rows and learns nothing
    resident_megabytes: float  # peak, with everything that was imported
    bar: str


def generated(n_rows: int, rows_at_once: int, first: int = 0) -> Iterator[tuple[Any, Any, Any]]:
    """Rows that are all different, generated at little more than the cost of a copy."""
    rng = np.random.default_rng(0)
    block = rng.standard_normal((rows_at_once, N_FEATURES), dtype=np.float32)
    y, task = rng.integers(0, 2, rows_at_once), rng.integers(0, N_TASKS, rows_at_once)
    block[:, 0] += y
    for number in range(n_rows // rows_at_once):
        yield block + np.float32(1e-3 * (first + number)), y, task


def from_batches(n_rows: int) -> Row:
    read = files.from_batches(generated(n_rows, BATCH_ROWS), progress=False)
    read.fit(MultiTaskSPCA())
    most = resident()
    few = n_rows // 10
    reading = 10 * seconds(lambda: [X.sum(axis=0) for X, _, _ in generated(few, BATCH_ROWS)])
    return _row("batches", n_rows, read.seconds, reading, "generating, X.sum(axis=0)", most)


def from_files(kind: str, n_rows: int) -> Row:
    """Read every piece as soon as the writer has finished it."""
    ours, n_pieces = 0.0, n_rows // PIECE_ROWS
    whole: Statistics | None = None
    where: dict[str, Any] = {"task": "tenant", "label": "churned"}
    if kind == "npy":
        where = {role: f"{{stem}}_{name}.npy" for role, name in where.items()}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", __spec__.name, "write", folder, kind, str(n_pieces)]
        writer = subprocess.Popen(command)
        for number in range(n_pieces):
            path = Path(folder, f"{number}.{kind}")
            _wait_for(path.with_suffix(".ready"), writer)
            read = files.statistics(path, **where, progress=False)
            ours += read.seconds
            whole = read.statistics if whole is None else whole + read.statistics
            if number < n_pieces - 1:
                for piece in Path(folder).glob(f"{number}[._]*"):
                    piece.unlink()
        if whole is not None:
            MultiTaskSPCA().fit_moments(whole.moments, whole.sample)
        most, reader = resident(), READERS[kind]
        reading = n_pieces * seconds(partial(reader.read, path))
    return _row(kind, n_rows, ours, reading, reader.name, most)


def _wait_for(path: Path, writer: subprocess.Popen[bytes]) -> None:
    while not path.exists():
        if writer.poll():
            raise RuntimeError("the process that writes rows has failed")
        time.sleep(0.01)


def _row(what: str, n_rows: int, ours: float, reading: float, reference: str, most: float) -> Row:
    gigabytes = n_rows * N_FEATURES * 4 / 1e9
    bar = "< 500 MB" if gigabytes > 10 else ""
    return Row(what, gigabytes, n_rows, ours, n_rows / ours, ours / reading, reference, most, bar)


def resident() -> float:
    """Peak resident memory of this process in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1e3


def read_parquet(path: Path) -> None:
    with _pyarrow("parquet").ParquetFile(path, pre_buffer=False, buffer_size=1 << 16) as file:
        for _ in file.iter_batches(16_384):
            pass


def read_csv(path: Path) -> None:
    with _pyarrow("csv").open_csv(path) as file:
        for _ in file:
            pass


def read_npy(path: Path) -> None:
    X = np.load(path, mmap_mode="r")
    for start in range(0, len(X), BATCH_ROWS):
        np.array(X[start : start + BATCH_ROWS]).sum(axis=0)


class Reader(NamedTuple):
    """The reference: read a file and learn nothing."""

    name: str
    read: Callable[[Path], None]


READERS = {
    "parquet": Reader("pyarrow, batches thrown away", read_parquet),
    "npy": Reader("memory map, X.sum(axis=0)", read_npy),
    "csv": Reader("pyarrow, batches thrown away", read_csv),
}


def _pyarrow(module: str) -> Any:
    return import_module(f"pyarrow.{module}")


def write(folder: Path, kind: str, n_pieces: int) -> None:
    """Write a piece whenever the previous one was read and removed."""
    for number in range(n_pieces):
        while any(folder.glob("*.ready")):
            time.sleep(0.01)
        ((X, y, task),) = generated(PIECE_ROWS, PIECE_ROWS, first=number)
        tenants = np.array([f"tenant {t:02}" for t in range(N_TASKS)])[task]
        path = folder / f"{number}.{kind}"
        if kind == "npy":
            np.save(path, X)
            np.save(folder / f"{number}_tenant.npy", task)
            np.save(folder / f"{number}_churned.npy", y)
        else:
            columns = {f"x{j}": X[:, j] for j in range(N_FEATURES)}
            table = import_module("pyarrow").table({**columns, "tenant": tenants, "churned": y})
            if kind == "csv":
                _pyarrow("csv").write_csv(table, path)
            else:
                _pyarrow("parquet").write_table(table, path, use_dictionary=["tenant"])
        (folder / f"{number}.ready").touch()


def measured(route: str) -> Row:
    """Run a route in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, route]
    shown = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Row(*json.loads(shown.stdout.splitlines()[-1]))


def run(route: str) -> Row:
    n_rows = int(ROUTES[route] * 1e9 / (4 * N_FEATURES))
    if route == "batches":
        return from_batches(-(-n_rows // BATCH_ROWS) * BATCH_ROWS)
    return from_files(route, -(-n_rows // PIECE_ROWS) * PIECE_ROWS)


def report(rows: list[Row]) -> None:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "out_of_core.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"# {machine()}, pyarrow {import_module('pyarrow').__version__}"])
        writer.writerow(Row._fields)
        writer.writerows(
            [*(f"{v:.4g}" if isinstance(v, float) else v for v in row)] for row in rows
        )


def main() -> None:
    rows = []
    for route in ROUTES:
        rows.append(row := measured(route))
        print(
            f"{row.what:<8} {row.gigabytes:5.1f} GB  {row.seconds:6.1f} s  "
            f"{row.rows_per_second:11,.0f} rows/s  {row.ratio:5.2f} × {row.reference:<30} "
            f"{row.resident_megabytes:6.0f} MB resident  {row.bar}",
            flush=True,
        )
    report(rows)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    elif sys.argv[1] == "write":
        write(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    else:
        print(json.dumps(run(sys.argv[1])))
