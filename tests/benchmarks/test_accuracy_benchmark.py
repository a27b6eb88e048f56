"""The accuracy benchmark: resumable, the same rows for all methods, and honest arithmetic."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.accuracy.peers import PEERS
from benchmarks.accuracy.rows import FILE, Key, Row
from benchmarks.accuracy.run import run
from benchmarks.accuracy.sets import Set, held_out_rows, prepared, training_rows
from benchmarks.accuracy.summary import beaten, gaps, mean_ranks, summarise, worst_loss
from benchmarks.accuracy.table import write
from benchmarks.peers import fits
from benchmarks.peers.peer import OURS, Peer
from benchmarks.peers.samples import Sample
from benchmarks.peers.tuning import folds, tuned

from kinspan.datasets import TaskDataset, gaussian_mixture, related_means

LOGISTIC = Peer("logistic", fits.logistic_pooled, [{"C": 0.01}, {"C": 1.0}])


@pytest.fixture
def data() -> TaskDataset:
    drawn = gaussian_mixture(2 * related_means([1, 0.8, 0.5], 6), 20, random_state=0)
    names = np.array(["a", "b", "c"])[drawn.task]
    offset = 3.0 * drawn.task[:, None]
    return TaskDataset("tiny", drawn.X * np.arange(1, 7) + offset, drawn.y, names)


@pytest.fixture
def tiny(data: TaskDataset) -> Set:
    return Set("tiny", lambda **_: data, 4, 8, 2)


def rows_of(path: Path, tiny: Set, *peers: Peer, draws: int = 100) -> dict[Key, Row]:
    run([tiny], list(peers), path, None, range(draws))
    return FILE.read(path)


def test_a_second_run_adds_nothing(tmp_path: Path, tiny: Set) -> None:
    path = tmp_path / "rows.csv"
    rows = rows_of(path, tiny, OURS, LOGISTIC)
    before = path.read_bytes()
    assert rows_of(path, tiny, OURS, LOGISTIC) == rows
    assert path.read_bytes() == before
    assert len(rows) == 3 * 2 * 2


def test_an_interrupted_run_continues(tmp_path: Path, tiny: Set) -> None:
    whole = rows_of(tmp_path / "whole.csv", tiny, OURS, LOGISTIC)
    text = (tmp_path / "whole.csv").read_text()
    for end in (0, 20, text.index("\n") + 1, len(text) // 2, len(text) - 1):
        path = tmp_path / "cut.csv"
        path.write_text(text[:end])
        again = rows_of(path, tiny, OURS, LOGISTIC)
        assert again.keys() == whole.keys()
        for key, row in again.items():
            assert row.accuracy == whole[key].accuracy
            assert row.parameters == whole[key].parameters


def test_methods_added_later_do_not_touch_finished_rows(tmp_path: Path, tiny: Set) -> None:
    path = tmp_path / "rows.csv"
    first = rows_of(path, tiny, OURS, draws=1)
    later = rows_of(path, tiny, LOGISTIC)
    assert first.items() <= later.items()
    assert {key.method for key in later if key.draw == 1} == {"logistic"}


def test_forgotten_rows_are_made_anew(tmp_path: Path, tiny: Set) -> None:
    path = tmp_path / "rows.csv"
    rows = rows_of(path, tiny, OURS, LOGISTIC)
    FILE.forget(path, lambda row: row.method == "logistic")
    assert FILE.read(path) == {key: row for key, row in rows.items() if key.method == OURS.name}
    assert rows_of(path, tiny, OURS, LOGISTIC).keys() == rows.keys()


def test_all_methods_get_the_same_rows(tmp_path: Path, tiny: Set) -> None:
    seen: dict[str, list[bytes]] = {"one": [], "two": []}

    def spy(name: str) -> Any:
        def fit(draw: Sample) -> fits.Rule:
            arrays = (*draw.train[:3], *draw.test[:2])
            seen[name].append(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays))
            return fits.logistic_pooled(draw, C=1.0)

        return fit

    rows_of(tmp_path / "rows.csv", tiny, *(Peer(name, spy(name)) for name in seen))
    assert seen["one"] == seen["two"]
    assert len(set(seen["one"])) == 3 * 2


def test_labels_of_a_draw(data: TaskDataset, tiny: Set) -> None:
    train = training_rows(data, tiny, "b", 1)
    for task, wanted in [("a", 8), ("b", 4), ("c", 8)]:
        assert np.bincount(data.y[train][data.task[train] == task]).tolist() == [wanted] * 2
    other = training_rows(data, tiny, "c", 1)
    assert set(train[data.task[train] == "a"]) == set(other[data.task[other] == "a"])
    rest = held_out_rows(data, "b", train)
    assert set(rest) | set(train[data.task[train] == "b"]) == set(np.flatnonzero(data.task == "b"))
    assert not set(rest) & set(train)
    share = training_rows(data, tiny._replace(target_labels=0.25, source_labels=None), "b", 0)
    assert np.bincount(data.y[share][data.task[share] == "b"]).tolist() == [5, 5]
    assert (data.task[share] != "b").sum() == (data.task != "b").sum()


def test_rows_are_scaled_and_centred_by_labelled_rows(data: TaskDataset, tiny: Set) -> None:
    draw = prepared(data, "b", training_rows(data, tiny, "b", 0))
    within = np.zeros(6)
    for task in "abc":
        X, y, of_task, _ = draw.train
        cells = [X[(of_task == task) & (y == c)] for c in (0, 1)]
        np.testing.assert_allclose(sum(c.mean(axis=0) for c in cells), 0, atol=1e-5)
        within += sum(c.var(axis=0) * len(c) for c in cells)
    np.testing.assert_allclose(within / (len(draw.train.X) - 6), 1, rtol=1e-5)


def test_tuning_leaves_out_rows_of_the_target_only(data: TaskDataset, tiny: Set) -> None:
    draw = prepared(data, "b", training_rows(data, tiny, "b", 0))
    parts = list(folds(draw, 3))
    task = draw.train.task
    assert sum(len(part.test.y) for part in parts) == (task == "b").sum()
    for part in parts:
        assert len(part.train.y) + len(part.test.y) == len(draw.train.y)
        assert (part.train.task != "b").sum() == (task != "b").sum()

    def right_only_if(draw: Sample, *, good: bool) -> fits.Rule:
        return lambda rows: rows.y if good else 1 - rows.y

    assert tuned(Peer("", right_only_if, [{"good": False}, {"good": True}]), draw, 1) == {
        "good": True
    }


def test_settled_parameters_are_not_chosen(tmp_path: Path, tiny: Set) -> None:
    slow = LOGISTIC._replace(settled={"tiny": {"C": 0.5}})
    only = PEERS["one-vs-all"]  # two classes: nothing that differs
    rows = rows_of(tmp_path / "rows.csv", tiny, slow, only)
    assert {(key.draw, key.method) for key in rows} == {(0, "logistic"), (1, "logistic")}
    assert all(row.parameters == {"C": 0.5} for row in rows.values())


ROWS = [
    Row("s", "t", draw, method, accuracy, seconds, 2.0, {})
    for method, seconds, accuracies in [
        ("kinspan", 2.0, [0.8, 0.9, 0.7]),
        ("single task", 1.0, [0.7, 0.7, 0.7]),
        ("single task, no metric", 1.0, [0.7, 0.7, 0.7]),
        ("better", 6.0, [0.84, 0.95, 0.75]),
    ]
    for draw, accuracy in enumerate(accuracies)
]
ROWS += [Row("s", "u", 0, "kinspan", 0.9, 2.0, 2.0, {}), Row("s", "u", 0, "better", 0.6, 1, 2, {})]


def test_means_errors_and_ranks() -> None:
    cells = summarise(ROWS)
    ours, better = cells["s", "t"]["kinspan"], cells["s", "t"]["better"]
    assert ours.draws == 3
    assert ours.mean == pytest.approx((0.8 + 0.9 + 0.7) / 3)
    deviation = math.sqrt(((0.8 - 0.8) ** 2 + (0.9 - 0.8) ** 2 + (0.7 - 0.8) ** 2) / 2)
    assert ours.error == pytest.approx(deviation / math.sqrt(3))
    assert (ours.time, better.time) == (1.0, 3.0)
    assert [cell.rank for cell in cells["s", "t"].values()] == [2, 3.5, 3.5, 1]
    assert math.isnan(cells["s", "u"]["kinspan"].error)
    assert mean_ranks(cells) == {
        "kinspan": 1.5,
        "better": 1.5,
        "single task": 3.5,
        "single task, no metric": 3.5,
    }


def test_who_beats_ours() -> None:
    found = gaps(ROWS)
    ((place, (gap,)),) = beaten(found).items()
    assert (place, gap.method) == (("s", "t"), "better")
    assert gap.mean == pytest.approx((0.04 + 0.05 + 0.05) / 3)
    assert worst_loss(found, "single task").mean == pytest.approx(-0.1)


def test_table_is_written(tmp_path: Path) -> None:
    for row in ROWS:
        FILE.append(tmp_path / "rows.csv", row)
    rows = FILE.read(tmp_path / "rows.csv")
    assert list(rows.values()) == ROWS
    write(list(rows.values()), tmp_path)
    text = (tmp_path / "accuracy.md").read_text()
    assert "| kinspan | 80.0 ± 5.8 | 90.0 | 1 × |" in text
    assert "better +4.7" in text
    assert len((tmp_path / "accuracy.csv").read_text().splitlines()) == 2 + 6
