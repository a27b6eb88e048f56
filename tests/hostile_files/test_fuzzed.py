"""Some hundred hostile files; `python -m tests.hostile_files.fuzz` reads many more."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of memory are those of Unix")
if not Path("/proc/self/statm").exists():
    pytest.skip("the memory of a process is asked of /proc", allow_module_level=True)

from tests.hostile_files.cases import OUTSIDE, case
from tests.hostile_files.fuzz import fuzzed
from tests.hostile_files.law import MOST_BYTES, judged
from tests.hostile_files.mutations import INSIDE
from tests.hostile_files.originals import originals


def test_hostile_files_are_refused_or_work() -> None:
    """Their time, below a second each, is measured by the fuzzer and not by a test."""
    tally = fuzzed(first=1_000_000, n_cases=400)
    assert tally.broken == {}
    assert tally.more_bytes < MOST_BYTES
    assert tally.refused > 270
    assert tally.accepted > 25


def test_what_kinspan_wrote_is_accepted() -> None:
    for stored in originals().values():
        outcome = judged(stored)
        assert outcome.broken is None
        assert not outcome.refused


def test_every_mutation_has_its_turn() -> None:
    """And any case can be made again from its number."""
    names = {word.strip() for i in range(900) for word in case(i).name.split(" of ")[0].split(",")}
    assert names == {change.__name__ for change in (*INSIDE, *OUTSIDE)}
    assert case(5) == case(5)
