"""Few constants decide, each is documented, and the code reads it from one place."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from kinspan.selection import decisions

SOURCE = Path(decisions.__file__)
GRIDS = ("SHARES", "RIDGES", "FLEET_ROWS")


def names() -> list[str]:
    """Of everything that is assigned in the module, but for the table itself."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    targets = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
    return [t.id for t in targets if isinstance(t, ast.Name) and t.id != "DECISIONS"]


def test_at_most_ten_constants_decide() -> None:
    assert len(names()) <= 10
    assert sum(len(getattr(decisions, grid)) for grid in GRIDS) <= 12


def test_the_table_has_every_decision_once_with_what_and_why() -> None:
    named = [value for value in vars(decisions).values() if isinstance(value, decisions.Decision)]
    assert list(decisions.DECISIONS) == named
    assert len({decision.what for decision in named}) == len(named)
    for decision in named:
        assert decision.constant > 0
        assert min(len(decision.what), len(decision.why)) > 20
    assert len(named) + len(GRIDS) == len(names())


@pytest.mark.parametrize("grid", GRIDS)
def test_numbers_that_are_tried_are_ordered_different_and_commented(grid: str) -> None:
    values, lines = getattr(decisions, grid), SOURCE.read_text(encoding="utf-8").splitlines()
    steps = np.diff(values)
    assert (steps > 0).all() or (steps < 0).all()
    place = next(i for i, line in enumerate(lines) if line.startswith(f"{grid} = "))
    assert lines[place - 1].startswith("# ")
    assert len(lines[place - 1]) > 20


def test_shares_start_without_covariance_and_never_leave_the_identity() -> None:
    """With all of the covariance the metric of few rows could not be inverted."""
    assert decisions.SHARES[0] == 0.0
    assert max(decisions.SHARES) < 1.0
    assert min(*decisions.RIDGES, *decisions.FLEET_ROWS) > 0.0


def test_every_constant_is_read_by_the_code() -> None:
    others = [file for file in SOURCE.parent.glob("*.py") if file != SOURCE]
    text = "\n".join(file.read_text(encoding="utf-8") for file in others)
    assert [name for name in names() if name not in text] == []
