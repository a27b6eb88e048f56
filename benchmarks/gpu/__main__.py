"""Run with `python -m benchmarks.gpu` on a machine with a CUDA device.

Correctness comes first, then bandwidths. The table goes to `benchmarks/results/gpu.csv`, or to the
folder that the environment variable OUT names. `--quick` leaves out the largest X, `--tune` adds
layouts of the kernels.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.gpu import checks, libraries, speed, steps, tuning
from benchmarks.gpu.timing import Table
from benchmarks.gpu.worlds import World, world

_ROWS, _FEATURES = 10_000_000, 512
_MANY_ROWS = 39_000_000  # 80 GB in single precision


def section(name: str, work: Callable[..., Any], *args: Any) -> Any:
    """One part of the run; if it fails, the others still run."""
    print(f"\n== {name}", flush=True)
    start = time.perf_counter()
    try:
        return work(*args)
    except Exception:
        traceback.print_exc(limit=-8, file=sys.stdout)
        return None
    finally:
        torch.cuda.empty_cache()
        print(f"   ({time.perf_counter() - start:.1f} s)", flush=True)


def run_checks(is_complete: bool) -> None:
    """PASS or FAIL for every check."""
    failures = 0
    for name, check in checks.all_checks(is_complete):
        try:
            found = check()
            passed = found if isinstance(found, bool) else found <= checks.BAR
            shown = f"{found:.1e}" if isinstance(found, float) else ""
        except Exception as error:
            passed, shown = False, f"{type(error).__name__}: {str(error)[:300]}"
            traceback.print_exc(limit=-3, file=sys.stdout)
        failures += not passed
        print(f"{'PASS' if passed else 'FAIL'} {name} {shown}", flush=True)
    print(f"{failures} checks failed")


def measure(is_complete: bool, flags: list[str], table: Table) -> None:
    """Everything on rows of several sizes and kinds."""
    data: World | None = world(_ROWS, _FEATURES)
    section("ceilings", speed.ceilings, data, table)
    section("parts", speed.parts, data, table)
    if is_complete:
        section("fits", speed.fits, data, table)
        section("predictions", speed.predictions, data, table)
        section("steps", steps.of_calls, data)
    section("layouts of scores", tuning.scores, data, Table.beside(table))
    if "--tune" in flags:
        section("spans", tuning.spans, data, Table.beside(table))
        section("layouts of sums", tuning.sums, data, Table.beside(table))
    data = None
    torch.cuda.empty_cache()
    for kind in (torch.bfloat16, torch.float16, torch.float64):
        section(f"parts and fits, {kind}", other_kind, kind, is_complete, flags, table)
    if "--quick" not in flags:
        section("many rows", many_rows, is_complete, table)


def other_kind(kind: Any, is_complete: bool, flags: list[str], table: Table) -> None:
    """The same rows in another precision."""
    data = world(_ROWS, _FEATURES, kind=kind)
    speed.parts(data, table)
    if is_complete:
        speed.fits(data, table)
        speed.predictions(data, table)
    if kind == torch.bfloat16:
        tuning.scores(data, Table.beside(table))
        if "--tune" in flags:
            tuning.sums(data, Table.beside(table))


def many_rows(is_complete: bool, table: Table) -> None:
    """Rows that fill half of the device, so that constant costs are negligible."""
    data = world(_MANY_ROWS, _FEATURES)
    speed.parts(data, table)
    if is_complete:
        speed.fits(data, table)
        speed.predictions(data, table)


def main() -> None:
    """All sections."""
    is_complete = libraries.complete()
    print(torch.cuda.get_device_name(), libraries.versions(), flush=True)
    section("checks", run_checks, is_complete)
    section("speed", measure, is_complete, sys.argv[1:], Table("gpu.csv"))


if __name__ == "__main__":
    main()
