"""Look for faults as long as one likes: the property tests in rounds, with new cases in each.

    python -m tests.properties.fuzz --seconds 3600

Prints what failed with the case that shows it, and writes benchmarks/results/fuzz.csv: how many
cases of every property were tried, how many of its rounds failed, and the seconds that it took.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
RESULTS = FOLDER.parents[1] / "benchmarks" / "results" / "fuzz.csv"
_OPTIONS = (
    *(str(FOLDER), "-q", "--no-header", "-p", "no:cacheprovider", "-k", "not good_arguments"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # modules stay from round to round
)


class Counting:
    """A plugin of pytest: cases, failures and seconds of every property."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self.cases: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            name = report.nodeid.rpartition("/")[2]
            self.seconds[name] += report.duration
            self.failures[name] += report.failed
            self._write()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> object:
        inner = getattr(getattr(item, "obj", None), "hypothesis", None)
        if inner is None:
            return (yield)
        name, tried = item.nodeid.rpartition("/")[2], inner.inner_test

        def counted(*args: object, **given: object) -> object:
            self.cases[name] += 1
            return tried(*args, **given)

        inner.inner_test = counted
        try:
            return (yield)
        finally:
            inner.inner_test = tried

    def _write(self) -> None:
        with self.results.open("w", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["property", "cases", "failures", "seconds"])
            for name in sorted(self.cases):
                seconds = f"{self.seconds[name]:.1f}"
                rows.writerow([name, self.cases[name], self.failures[name], seconds])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--cases", type=int, default=40, help="of a property in a round")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args()
    os.environ |= {"KINSPAN_FUZZ_PROFILE": "fuzz", "KINSPAN_FUZZ_CASES": str(asked.cases)}
    end, counting, rounds = time.monotonic() + asked.seconds, Counting(asked.results), 0
    while time.monotonic() < end:
        rounds += 1
        seed = random.SystemRandom().randrange(2**32)
        print(f"round {rounds}: --hypothesis-seed={seed}", flush=True)
        pytest.main([*_OPTIONS, f"--hypothesis-seed={seed}"], plugins=[counting, Until(end)])
    print(
        f"{sum(counting.cases.values())} cases of {len(counting.cases)} properties in {rounds} "
        f"rounds, {sum(counting.failures.values())} failures",
        flush=True,
    )


class Until:
    """A plugin of pytest that stops a round when the time is over."""

    def __init__(self, end: float) -> None:
        self.end = end

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.monotonic() > self.end:
            pytest.skip("the time is over")


if __name__ == "__main__":
    main()
