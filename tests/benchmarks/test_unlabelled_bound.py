"""What rows without labels could be worth: no method is better than the bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.unlabelled_bound import DRAWS, LABELS, bounds, errors

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
TEXT = (RESULTS.parents[1] / "docs" / "measured.md").read_text(encoding="utf-8")


def test_bounds_fall_with_labels_and_meet_where_all_rows_have_one() -> None:
    alone, both = np.array([bounds(n) for n in LABELS]).T
    assert (np.diff(alone) < 0).all()
    assert (np.diff(both) < 0).all()
    assert (both <= alone + 1e-12).all()
    assert both[-1] == alone[-1]


def test_errors_are_those_of_the_classes() -> None:
    alone, both = errors(20, 2000)
    least = bounds(20)
    assert least[1] < both < alone < 0.2


def test_stored_errors_are_above_the_bound_and_half_of_the_way_to_it() -> None:
    drawn: Any = pd.read_csv(RESULTS / "unlabelled_bound.csv").groupby("labels")
    mean, spread = drawn.mean(), drawn.sem()
    assert drawn.size().tolist() == [len(DRAWS)] * len(LABELS)
    way = {}
    for n in LABELS:
        alone, both = mean.loc[n, ["labels alone", "all rows"]]
        most = (mean + 4 * spread).loc[n, ["labels alone", "all rows"]].to_numpy()
        assert (np.array(bounds(n)) < most).all()
        way[n] = (alone - both) / (alone - bounds(n)[1])
    assert min(way[n] for n in (3, 5, 10, 20, 40)) > 0.5
    shown = [f"{100 * way[n]:.0f}" for n in (2, 3, 5, 10, 20)]
    assert f"{', '.join(shown[:-1])} and {shown[-1]} % of the way" in " ".join(TEXT.split())
