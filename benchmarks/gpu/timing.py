"""Times on the device, and the table that stores them."""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import csv
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch

from benchmarks.gpu.libraries import versions

_RESULTS = Path(__file__).parents[1] / "results"
_WARM_UP = 0.5  # seconds
Work = Callable[[], Any]


class Row(NamedTuple):
    """One line of the table."""

    what: str
    rows: int
    features: int
    kind: str
    gigabytes: float  # of X
    milliseconds: float  # median
    terabytes_per_second: float  # of X, read once; for the copy, of the bytes read and written
    share_of_copy: float


def device_milliseconds(work: Work, repeat: int = 10) -> float:
    """Median time between two events around the work, after two warm-up calls."""
    work(), work()
    times: list[float] = []
    for _ in range(repeat):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times)


def wall_milliseconds(work: Work, repeat: int = 7) -> float:
    """Median wall-clock time from an idle device to an idle device.

    After half a second of calls: the first ones after an idle time take a quarter longer.
    """
    times, begin = [], time.perf_counter()
    while time.perf_counter() - begin < _WARM_UP:
        work()
    for _ in range(repeat):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


class Table:
    """Rows as they are measured, relative to the copy that was measured first.

    With a name they are stored immediately, because a later measurement may fail.
    """

    def __init__(self, name: str | None = None) -> None:
        self.name, self.rows = name, list[Row]()
        self.copy = float("nan")

    @classmethod
    def beside(cls, other: Table) -> Table:
        """A table of its own, relative to the same copy."""
        table = cls()
        table.rows, table.copy = other.rows[:1], other.copy
        return table

    def add(self, what: str, X: Any, milliseconds: float, n_bytes: float | None = None) -> None:
        """A line; the first is the copy."""
        size = X.numel() * X.element_size()
        speed = (size if n_bytes is None else n_bytes) / milliseconds / 1e9
        self.copy = speed if not self.rows else self.copy
        kind = str(X.dtype).removeprefix("torch.")
        row = Row(
            what, X.shape[0], X.shape[1], kind, size / 1e9, milliseconds, speed, speed / self.copy
        )
        self.rows.append(row)
        print(
            f"{what:<44} {row.rows:>10} × {row.features:<4} {kind:<8} {row.gigabytes:6.1f} GB "
            f"{milliseconds:9.3f} ms {speed:6.3f} TB/s {100 * row.share_of_copy:6.1f} %",
            flush=True,
        )
        if self.name is not None:
            self.write(self.name)

    def write(self, name: str) -> None:
        """Store the table, with the device that it was measured on."""
        folder = Path(os.environ.get("OUT", _RESULTS))
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("w", newline="") as file:
            writer = csv.writer(file)
            device = torch.cuda.get_device_name()
            writer.writerow([f"# {device}, CUDA {torch.version.cuda}, {versions()}"])
            writer.writerow(Row._fields)
            for row in self.rows:
                writer.writerow([f"{v:.4g}" if isinstance(v, float) else v for v in row])
