"""The paper's values: extracted exactly, none missing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from experiments import paper

SOURCE = Path(__file__).resolve().parents[3] / "shared" / "paper" / "paper.tex"


@pytest.fixture(scope="module")
def source() -> str:
    if not SOURCE.is_file():
        pytest.skip("the paper's source is not in shared/paper beside the repository")
    return SOURCE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("figure", "curve", "x", "value"),
    [
        ("figure-1", "PCA (Th)", "1000", 0.5),
        ("figure-2", "MTL SPCA (Th)", "8.888889e-01", 0.1853074),
        ("figure-2", "CDLS (Emp)", "0", 0.2669),
        ("figure-3-synthetic", "MTL SPCA", "256", 0.165245),
        ("figure-3-amazon", "MTL SPCA", "3", 0.177575),
        ("figure-3-mnist", "ST-SPCA", "1", 0.0706),
        ("timing", "MTL LSSVM", "2048", 1591.8),
        ("table-1", "MTL SPCA", "C to P", 83.76),
        ("table-1", "MTL LSSVM", "Average", 91.91),
        ("figure-4", "Office 31: MTL LSSVM", "0.2083", 163.22),
    ],
)
def test_some_values(figure: str, curve: str, x: str, value: float) -> None:
    assert paper.entries(figure, curve)[x] == value


def test_curves_have_all_their_points() -> None:
    sizes = Counter((row.figure, row.curve) for row in paper.printed())
    assert {n for (figure, _), n in sizes.items() if figure in ("figure-1", "figure-2")} == {10}
    assert [n for (figure, _), n in sizes.items() if figure == "timing"] == [8, 8, 8]
    assert [n for (figure, _), n in sizes.items() if figure == "table-1"] == [7] * 5
    assert [n for (figure, _), n in sizes.items() if figure == "figure-3-synthetic"] == [8] * 3
    assert len(paper.printed()) == 232


def test_averages_of_table_1_are_of_its_pairs() -> None:
    for curve in ("ST SPCA", "N-SPCA", "MTL LSSVM", "CDLS", "MTL SPCA"):
        *pairs, average = paper.entries("table-1", curve).values()
        assert np.mean(pairs) == pytest.approx(average, abs=0.0051)  # two digits are printed


def test_every_value_occurs_in_the_paper(source: str) -> None:
    for row in paper.printed():
        found = f"({row.x},{row.value})" in source
        if row.figure in ("timing", "table-1") or row.curve.endswith("datasets table"):
            found = row.value in source
        assert found, row


def test_every_coordinate_of_the_paper_is_among_the_values(source: str) -> None:
    known = {(row.x, row.value) for row in paper.printed()}
    plots = re.findall(r"coordinates\{([^}]*)\}", source)
    assert len(plots) == 35
    for plot in plots:
        assert set(re.findall(r"\(([^(),]+),([^(),]+)\)", plot)) <= known
