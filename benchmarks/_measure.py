"""Measurements: always a ratio to a reference, timed alternately in the same run."""

from __future__ import annotations

import csv
import os
import platform
import time
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy
import sklearn

RESULTS = Path(__file__).parent / "results"
Work = Callable[[], Any]


class Row(NamedTuple):
    """One line of a table."""

    what: str  # what was measured
    ratio: float  # its time over that of the reference
    reference: str  # what the reference is
    bar: str  # largest acceptable value, if there is one
    seconds: float  # of the fastest repetition
    peak_megabytes: float  # peak of the memory allocated during the call


def seconds(work: Work, clock: Callable[[], float] = time.perf_counter) -> float:
    """Time of one call."""
    start = clock()
    work()
    return clock() - start


def compare(
    what: str,
    work: Work,
    reference: Work,
    name: str,
    bar: str = "",
    repeat: int = 7,
    clock: Callable[[], float] = time.perf_counter,
) -> Row:
    """The fastest of several repetitions, which alternate with the reference."""
    reference(), work()
    pairs = [(seconds(reference, clock), seconds(work, clock)) for _ in range(repeat)]
    fastest_reference, fastest = (min(times) for times in zip(*pairs, strict=True))
    return Row(what, fastest / fastest_reference, name, bar, fastest, peak_megabytes(work))


def peak_megabytes(work: Work) -> float:
    """Peak memory of a call, as NumPy and Python report it."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def machine() -> str:
    """The machine and the versions that a figure belongs to."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":")[1].strip() if names else model
    return (
        f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )


def load() -> str:
    """How many processes wanted to run during the last minute, where the system says so."""
    return f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def report(rows: Iterable[Row], name: str) -> None:
    """Print rows as they are measured, and store the table with a description of the machine."""
    done = []
    for row in rows:
        done.append(row)
        print(
            f"{row.what:<46} {row.ratio:8.2f} × {row.reference:<24} {row.bar:>6}  "
            f"{row.seconds:9.4f} s  {row.peak_megabytes:8.1f} MB",
            flush=True,
        )
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"# {machine()}{load()}"])
        writer.writerow(Row._fields)
        writer.writerows(
            [*(f"{v:.4g}" if isinstance(v, float) else v for v in row)] for row in done
        )
