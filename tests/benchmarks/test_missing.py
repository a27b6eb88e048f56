"""Holes are where they are said to be, and all ways answer the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.missing import FIELDS, HOLES, World, draw, punched, table, ways

from kinspan.datasets import gaussian_mixture, related_means


def world() -> World:
    found = gaussian_mixture(related_means([1, 0.8, 0.5, 0.2], 20), [[90, 90]] * 4, random_state=0)
    return World(found.X, found.y, found.task, 8)


@pytest.mark.parametrize(("holes", "share"), [("random 10 %", 0.1), ("by value 30 %", 0.3)])
def test_the_share_of_holes(holes: str, share: float) -> None:
    X = np.random.default_rng(0).normal(size=(4000, 10))
    found = np.isnan(punched(X, np.zeros(4000), holes, np.random.default_rng(1)))
    within = 4 * np.sqrt(share * (1 - share) / X.size)
    assert found.mean() == pytest.approx(share, abs=within)
    large = found[X > 0].mean() - found[X < 0].mean()
    assert (large > 0.1) == holes.startswith("by value")


def test_a_block_is_absent_in_half_of_the_tasks() -> None:
    found = draw(world(), "block", np.random.default_rng(0))
    lacks = [np.isnan(found.X[found.task == t]).all(axis=0) for t in np.unique(found.task)]
    assert sorted(int(columns.sum()) for columns in lacks) == [0, 0, 10, 10]
    assert not np.isnan(found.X[:, ~np.any(lacks, axis=0)]).any()


# Imputed columns hardly vary in the half of the tasks that lacks them.
@pytest.mark.filterwarnings("ignore::kinspan.exceptions.UnitsWarning")
@pytest.mark.filterwarnings("ignore:.*Early stopping")
def test_all_ways_answer_every_row() -> None:
    rows = list[list[Any]]()
    for holes in HOLES:
        found = draw(world(), holes, np.random.default_rng(0))
        for way, fit in ways(holes, 20).items():
            answers, forecast = fit(found)
            assert len(answers) == len(found.truth)
            assert len(forecast) == 4
            error = float((answers != found.truth).mean())
            rows.append(["digits", holes, 0, way, 100 - 100 * error, 0.1, error, 1.0])
    assert len(rows[0]) == len(FIELDS)
    best = {str(row[3]): float(row[4]) for row in rows if row[1] == "random 10 %"}
    assert best["kinspan"] > best["boosted trees"]
    lines = table(rows).splitlines()
    assert len(lines) == 2 + len(HOLES)
    assert lines[2].startswith("| digits | none | ")
    assert lines[-1].endswith("1.0 × |")
