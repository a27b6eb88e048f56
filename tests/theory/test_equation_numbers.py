"""Docstrings cite equations of docs/theory.md by their numbers: every cited one is there, once."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CITATION = re.compile(r"[Ee]qs?\. ((?:\(\d+\)(?:, | and | to )?)+)\s+of\s+docs/theory\.md")


def test_every_cited_equation_is_in_the_derivation() -> None:
    numbers = re.findall(r"\\tag\{(\d+)\}", (ROOT / "docs/theory.md").read_text())
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    cited = set()
    for file in (ROOT / "src/kinspan").rglob("*.py"):
        for citation in CITATION.findall(file.read_text()):
            cited.update(re.findall(r"\d+", citation))
    assert len(cited) > 10
    assert cited <= set(numbers)
