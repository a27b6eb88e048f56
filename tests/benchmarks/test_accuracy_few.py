"""Few labels everywhere: resumable, the same rows for all methods, and honest arithmetic."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks.accuracy.few.draws import balanced_error, drawn, settings
from benchmarks.accuracy.few.methods import GROUPS, METHODS, named, scaled
from benchmarks.accuracy.few.rows import FILE, Key, Row
from benchmarks.accuracy.few.run import Plan, judged, run
from benchmarks.accuracy.few.sets import Set, load_digits
from benchmarks.accuracy.few.summary import errors, gaps, means
from benchmarks.accuracy.few.table import page
from benchmarks.accuracy.few.texts import FILE as TEXTS
from benchmarks.accuracy.few.texts import load_texts
from benchmarks.peers.fits import Rule
from benchmarks.peers.peer import OURS, Peer
from benchmarks.peers.samples import Rows, Sample

from kinspan.datasets import TaskDataset, gaussian_mixture, related_means

QUICK = named(["kinspan", "logistic pooled, scale pooled"])


@pytest.fixture
def data() -> TaskDataset:
    drawn_rows = gaussian_mixture(
        2 * related_means([1, 0.8, 0.5], 6), [[20, 30]] * 3, random_state=0
    )
    names = np.array(["a", "b", "c"])[drawn_rows.task]
    return TaskDataset("tiny", drawn_rows.X * np.arange(1, 7), drawn_rows.y, names)


@pytest.fixture
def tiny(data: TaskDataset) -> Set:
    return Set("tiny", lambda **_: data)


def rows_of(path: Path, tiny: Set, methods: list[Peer], again: bool = False) -> dict[Key, Row]:
    run([tiny], Plan([3, 5], range(2), methods, again), path, None)
    return FILE.read(path)


def untimed(rows: dict[Key, Row]) -> list[Row]:
    return [row._replace(seconds=0.0) for row in rows.values()]


def test_an_interrupted_run_continues(tmp_path: Path, tiny: Set) -> None:
    whole = rows_of(tmp_path / "whole.csv", tiny, QUICK)
    assert len(whole) == 2 * 2 * 2
    text = (tmp_path / "whole.csv").read_text()
    for end in (0, 20, text.index("\n") + 1, len(text) // 2, len(text) - 1, len(text)):
        path = tmp_path / "cut.csv"
        path.write_text(text[:end])
        assert untimed(rows_of(path, tiny, QUICK)) == untimed(whole)
    assert path.read_text() == text


def test_only_some_methods_are_measured_again(tmp_path: Path, tiny: Set) -> None:
    path = tmp_path / "rows.csv"
    before = rows_of(path, tiny, QUICK)
    wrong = OURS._replace(fit=lambda sample: lambda rows: 1 - rows.y)
    assert rows_of(path, tiny, [wrong]) == before
    after = rows_of(path, tiny, [wrong], again=True)
    assert after.keys() == before.keys()
    for key, row in after.items():
        assert (row.error == 100) == (key.method == OURS.name)
        assert row == before[key] or key.method == OURS.name


def test_absent_data_are_skipped_with_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run([Set("texts", load_texts)], Plan([3], range(1), QUICK), tmp_path / "rows.csv", None)
    run(
        [Set("there", load_texts)], Plan([3], range(1), QUICK), tmp_path / "rows.csv", str(tmp_path)
    )
    assert not (tmp_path / "rows.csv").exists()
    shown = capsys.readouterr().out
    assert "texts is skipped: no data folder" in shown
    assert "there is skipped" in shown
    assert TEXTS in shown


def test_texts_become_latent_features(tmp_path: Path) -> None:
    words = [f"word{i}" for i in range(150)]
    rng = np.random.default_rng(0)
    with gzip.open(tmp_path / TEXTS, "wt") as file:
        for i in range(300):
            text = " ".join(rng.choice(words, 30))
            review = {"domain": "ab"[i % 2], "y": i // 2 % 2, "title": "title", "text": text}
            file.write(json.dumps(review) + "\n")
    texts = load_texts(data=str(tmp_path))
    assert texts.X.shape == (300, 100)
    assert texts.task[:4].tolist() == ["a", "b", "a", "b"]
    assert texts.y[:4].tolist() == [0, 0, 1, 1]


def test_labels_of_a_draw(data: TaskDataset) -> None:
    few, many = drawn(data, 5, 7), drawn(data, 12, 7)
    for task in "abc":
        assert np.bincount(few.train.y[few.train.task == task]).tolist() == [5, 5]
        assert np.bincount(many.train.y[many.train.task == task]).tolist() == [10, 12]
        assert np.bincount(many.test.y[many.test.task == task]).tolist() == [10, 18]
    for draw in (few, many):
        together = np.concatenate([draw.train.X, draw.test.X])[:, 0]
        assert sorted(together) == sorted(np.asarray(data.X)[:, 0])
    assert not np.array_equal(drawn(data, 5, 8).train.X, few.train.X)


def test_at_most_two_hundred_rows_of_a_cell_are_tested() -> None:
    y, X = np.repeat([0, 1], [300, 150]), np.arange(450.0)[:, None]
    draw = drawn(TaskDataset("large", X, y, np.full(450, "a")), 20, 0)
    assert np.bincount(draw.test.y).tolist() == [200, 130]
    assert not set(draw.test.X[:, 0]) & set(draw.train.X[:, 0])


def test_settings_that_cannot_be_told_apart_are_left_out(data: TaskDataset) -> None:
    assert settings(data, [3, 12, 15, 20]) == [3, 12, 15]
    assert settings(load_digits(data=None), [3, 5, 10, 20]) == [3, 5, 10]


def test_slow_methods_are_left_out_with_a_note(
    tmp_path: Path, tiny: Set, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = QUICK[1]._replace(widest=5)
    rows = rows_of(tmp_path / "rows.csv", tiny, [OURS, slow])
    assert {key.method for key in rows} == {OURS.name}
    assert f"{slow.name} is left out, too slow for 6 features" in capsys.readouterr().out


def test_errors_weigh_tasks_and_classes_equally() -> None:
    y, task = np.array([0, 0, 0, 1, 0, 1]), np.array(list("aaaabb"))
    test = Rows(np.zeros((6, 1)), y, task)
    assert balanced_error(test, y == 0) == pytest.approx(50)
    right = np.array([True, True, False, True, True, True])
    assert balanced_error(test, right) == pytest.approx(100 / 3 / 2 / 2)


def test_the_pooled_scale_is_that_within_cells(data: TaskDataset) -> None:
    draw = drawn(data, 5, 0)
    constant = draw._replace(train=draw.train._replace(X=draw.train.X * [1, 1, 1, 1, 1, 0]))
    train, rule = scaled_rows(constant)
    parts = [train.X[(train.task == t) & (train.y == c)] for t in "abc" for c in (0, 1)]
    squares = sum(((part - part.mean(axis=0)) ** 2).sum(axis=0) for part in parts)
    np.testing.assert_allclose(squares / (30 - 6), [1, 1, 1, 1, 1, 0])
    np.testing.assert_array_equal(rule(constant.train), train.X[:, 0])


def scaled_rows(sample: Sample) -> tuple[Rows, Rule]:
    """The labelled rows that a fit gets, and its rule: the first scaled feature of new rows."""
    seen = []

    def fit(of: Sample) -> Rule:
        seen.append(of.train)
        return lambda rows: rows.X[:, 0]

    rule = scaled(fit, sample)
    return seen[0], rule


def test_every_method_learns_what_it_can(data: TaskDataset) -> None:
    draw = drawn(data, 10, 0)
    for method in METHODS.values():
        row = judged(Key("tiny", 10, 0, method.name), method, draw, {})
        assert row.error < 35, method.name
        assert (row.forecast is not None) == (method.name in GROUPS["ours"])
    assert len(METHODS) == 1 + 2 * (3 + 4)
    assert sorted(GROUPS["ours"] + GROUPS["baselines"]) == sorted(METHODS)


OTHER, WORSE = "naive, scale None", "LDA pooled, scale None"
ROWS = [
    Row(name, 3, draw, method, error, 10.0, 0.1)
    for name, method, of_draws in [
        ("Amazon texts", OURS.name, [20.0, 24.0, 22.0]),
        ("Amazon texts", OTHER, [19.0, 21.0, 20.0]),
        ("Amazon texts", WORSE, [30.0, 30.0]),
        ("MNIST pairs", OURS.name, [5.0, 7.0, 6.0]),
        ("MNIST pairs", OTHER, [9.0, 12.0, 12.0]),
    ]
    for draw, error in enumerate(of_draws)
]


def test_the_best_other_method_is_paired_by_draw() -> None:
    found = gaps(errors(ROWS))
    best, worse = found["Amazon texts", 3]
    assert (best.method, best.draws, worse.method, worse.draws) == (OTHER, 3, WORSE, 2)
    assert best.loss == pytest.approx(2.0)
    assert best.error == pytest.approx(1 / math.sqrt(3))  # of the differences 1, 3 and 2
    assert worse.ours == pytest.approx(22.0)
    assert found["MNIST pairs", 3][0].loss == pytest.approx(-5.0)


def test_means_compare_a_method_with_the_default_where_it_ran() -> None:
    other, worse = means(gaps(errors(ROWS)))
    assert (other.method, other.settings, worse.method, worse.settings) == (OTHER, 2, WORSE, 1)
    assert other.ours == pytest.approx(14.0)
    assert other.other == pytest.approx(15.5)
    assert other.error == pytest.approx(math.hypot(1 / math.sqrt(3), 1 / math.sqrt(3)) / 2)


def test_the_page_says_what_keeps_the_limits(tmp_path: Path) -> None:
    for row in ROWS:
        FILE.append(tmp_path / "rows.csv", row)
    rows = list(FILE.read(tmp_path / "rows.csv").values())
    assert rows == ROWS
    text = page(rows[::-1])
    assert text == page(rows)
    assert (
        f"| Amazon texts | 3 | 3 | 22.00 | 10.00 | {OTHER} | 20.00 | +2.00 ± 0.58 | over 1.0 |"
        in text
    )
    assert "best other: 1 of 2 settings" in text
    assert (
        f"Worst setting: Amazon texts, 3 labels, +2.00 ± 0.58 points compared with {OTHER}" in text
    )
    assert "than 2 of 2 other methods" in text
    assert "Mean over settings" not in page([])
