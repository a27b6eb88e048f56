"""A run that is interrupted continues, and runs with other options do not mix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from experiments.options import Options
from experiments.rows import fill, read, select, values

POINTS: list[dict[str, Any]] = [{"p": p, "method": m} for p in (0.1, 2) for m in ("a", "b, c")]


class Measure:
    """Counts what it measures, and stops like an interruption after some points."""

    def __init__(self, stop: int = 10) -> None:
        self.seen: list[Any] = []
        self.stop = stop

    def __call__(self, point: dict[str, Any]) -> dict[str, Any]:
        if len(self.seen) == self.stop:
            raise KeyboardInterrupt
        self.seen.append(point)
        return {"error": point["p"] / 3, "draws": 5}


def interrupted(path: Path, after: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        fill(path, POINTS, Measure(stop=after))


def test_all_points_in_their_order(tmp_path: Path) -> None:
    rows = fill(tmp_path / "sub" / "table.csv", POINTS, Measure())
    assert [{"p": row["p"], "method": row["method"]} for row in rows] == POINTS
    assert rows[0] == {"p": 0.1, "method": "a", "error": 0.0333333, "draws": 5}
    assert values(rows, "method") == ["a", "b, c"]
    assert len(select(rows, p=2)) == 2


def test_an_interrupted_run_continues(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    interrupted(path, after=3)
    assert len(read(path)) == 3
    rest = Measure()
    assert len(fill(path, POINTS, rest)) == 4
    assert rest.seen == POINTS[3:]
    again = Measure()
    fill(path, POINTS, again)
    assert not again.seen


@pytest.mark.parametrize("cut", [1, 3, 9])
def test_a_half_written_line_is_measured_again(tmp_path: Path, cut: int) -> None:
    whole, path = tmp_path / "whole.csv", tmp_path / "table.csv"
    fill(whole, POINTS, Measure())
    interrupted(path, after=3)
    path.write_bytes(path.read_bytes()[:-cut])
    rest = Measure()
    fill(path, POINTS, rest)
    assert rest.seen == POINTS[2:]
    assert path.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("kept", [0, 5, -2])
def test_a_half_written_head_is_written_again(tmp_path: Path, kept: int) -> None:
    whole, path = tmp_path / "whole.csv", tmp_path / "table.csv"
    fill(whole, POINTS, Measure())
    head = b"".join(whole.read_bytes().splitlines(keepends=True)[:2])
    path.write_bytes(head[:kept])
    fill(path, POINTS, Measure())
    assert path.read_bytes() == whole.read_bytes()


def test_a_finished_head_without_rows_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    fill(path, POINTS[:1], Measure())
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    assert len(fill(path, POINTS, Measure())) == 4


def test_runs_with_other_options_have_other_files() -> None:
    runs = [Options(seed=s, quick=q) for s in (0, 1) for q in (False, True)]
    assert len({run.path("figure-1", ".csv") for run in runs}) == 4
    assert Options().path("figure-1", ".csv").name == "figure-1.csv"


def test_draws_of_other_seeds_are_others() -> None:
    assert Options(seed=3).draws(2) == [[3, 0], [3, 1]]
    assert len(Options(quick=True).draws(100, quick=4)) == 4
