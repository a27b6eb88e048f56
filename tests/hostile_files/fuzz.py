"""Read many hostile files and say what came of them: `python -m tests.hostile_files.fuzz`.

Every case is made from its number: `--first 1234 --cases 1` reads one of them again.
"""

from __future__ import annotations

import argparse
import csv
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._measure import RESULTS, machine

from tests.hostile_files.cases import case
from tests.hostile_files.law import MOST_BYTES, MOST_SECONDS, judged, limited_memory, used_memory
from tests.hostile_files.originals import originals


class Tally(NamedTuple):
    """What came of some cases."""

    refused: int
    accepted: int
    broken: dict[str, int]  # the first number of every way to break the law
    worst_seconds: float  # of processor time
    worst_case: str
    more_bytes: int  # than before the first case, at most


def fuzzed(first: int, n_cases: int, told: Any = None) -> Tally:
    """Read hostile files within the memory that they may take."""
    for stored in originals().values():
        assert judged(stored).broken is None
    counts: Counter[str] = Counter()
    broken: dict[str, int] = {}
    worst, before = (0.0, ""), used_memory()
    with limited_memory():
        for number in range(first, first + n_cases):
            name, stored = case(number)
            outcome = judged(stored)
            counts["refused" if outcome.refused else "accepted"] += 1
            worst = max(worst, (outcome.seconds, f"{number}: {name}"))
            if outcome.broken is not None:
                broken.setdefault(outcome.broken, number)
            if told is not None and (number - first + 1) % 10_000 == 0:
                told(f"{number - first + 1} cases, {len(broken)} ways to break the law")
    more = used_memory() - before
    return Tally(counts["refused"], counts["accepted"], broken, *worst, more)


def write(path: Path, tally: Tally, first: int, seconds: float) -> None:
    """The figures of a run, with the machine that it ran on."""
    figures = {
        "first_case": first,
        "cases": tally.refused + tally.accepted,
        "refused": tally.refused,
        "accepted_and_used": tally.accepted,
        "breaking_the_law": len(tally.broken),
        "worst_seconds": f"{tally.worst_seconds:.3f}",
        "most_megabytes_more": f"{tally.more_bytes / 2**20:.0f}",
        "megabytes_allowed": MOST_BYTES >> 20,
        "seconds_in_all": f"{seconds:.0f}",
    }
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {machine()}, one BLAS thread; python -m tests.hostile_files.fuzz\n")
        writer = csv.DictWriter(file, list(figures), lineterminator="\n")
        writer.writeheader()
        writer.writerow(figures)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "fuzz_files.csv")
    asked, begin = parser.parse_args(), time.monotonic()
    tally = fuzzed(asked.first, asked.cases, lambda text: sys.stderr.write(f"{text}\n"))
    if asked.cases > 1:
        write(asked.out, tally, asked.first, time.monotonic() - begin)
    sys.stdout.write(
        f"{tally.refused} refused, {tally.accepted} accepted and used, "
        f"{tally.more_bytes / 2**20:.0f} MB more, worst {tally.worst_seconds:.3f} s for "
        f"{tally.worst_case}\n"
    )
    for how, number in tally.broken.items():
        sys.stdout.write(f"broken by {number} ({case(number).name}): {how}\n")
    return 1 if tally.broken or tally.worst_seconds > MOST_SECONDS else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    raise SystemExit(main())
