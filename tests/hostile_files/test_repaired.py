"""What hostile files have found once: each is refused now, in few words and little memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks._resumable import whole_lines

from kinspan import ClassMoments, MultiTaskSPCA, Statistics, StoredDataError
from kinspan._rows import identifiers
from kinspan._saving import model_file
from tests.hostile_files.mutations import Opened, closed
from tests.hostile_files.originals import originals


def refusal(stored: bytes) -> str:
    """What is said of bytes that are not read, without a warning and in little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(StoredDataError) as error:
            model_file.from_bytes(stored)
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()
    return str(error.value)


def forged(name: str, change: Callable[[Opened], Any]) -> bytes:
    opened = Opened.of(originals()[name])
    change(opened)
    return opened.closed()


def place(opened: Opened, name: str) -> int:
    return [entry["name"] for entry in opened.header["arrays"]].index(name)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (None, [1, 2]),
        ("(1,(f8", [1, 2]),  # a syntax error of numpy
        ("a5", ["x", "y"]),  # which numpy warns of
        ("<f16", [1.0, 2.0]),
        ("<f4", [1.0, 1e300]),
        ("<i8", [1.5, 2.5]),
        ("<i8", [True, 2]),
        ("<U3", [1, 2]),
        ("<M8[D]", ["2024-01-01", "NaT"]),
        ("object", [["scalar", 1], ["scalar", float("nan")]]),
        ("x" * 10_000, [1]),
    ],
)
def test_ids_are_what_they_are_said_to_be(dtype: Any, values: list[Any]) -> None:
    with pytest.raises((ValueError, TypeError, ArithmeticError)) as error:
        identifiers.from_json({"dtype": dtype, "values": values})
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    "read", [model_file.from_bytes, Statistics.from_bytes, ClassMoments.from_bytes]
)
def test_what_are_no_bytes_is_of_a_wrong_type(read: Callable[[Any], Any]) -> None:
    for given in ("text", None, 3, [1, 2]):
        with pytest.raises(TypeError):
            read(given)


def test_what_is_no_number_of_json_is_no_header() -> None:
    header = json.dumps({"kind": "class-moments", "meta": {"x": float("nan")}, "arrays": []})
    assert "NaN is not a number of JSON" in refusal(closed(header.encode(), b""))


def test_long_kinds_and_names_are_not_repeated() -> None:
    stored = forged("moments", lambda o: o.header.update(kind="x" * 100_000))
    assert len(refusal(stored)) < 200
    stored = forged("moments", lambda o: o.header.update(kind=[[]] * 100_000))
    assert len(refusal(stored)) < 200
    stored = forged("moments", lambda o: o.header["arrays"][0].update(name="x" * 100_000))
    assert len(refusal(stored)) < 200


def test_no_array_stands_twice() -> None:
    def repeat(opened: Opened) -> None:
        opened.header["arrays"].append(opened.header["arrays"][0])
        opened.arrays.append(opened.arrays[0])

    assert "'counts' occurs twice" in refusal(forged("moments", repeat))


def test_a_row_in_the_last_of_very_many_cells() -> None:
    """Counting rows by cell would have taken seven gigabytes."""

    def far(opened: Opened) -> None:
        many = {"dtype": "<i8", "values": list(range(30_000))}
        opened.header["meta"]["sample"].update(tasks=many, classes=many)
        at = place(opened, "sample/cells")
        cells = np.frombuffer(opened.arrays[at], "<i8").copy()
        cells[-1] = 30_000**2 - 1
        opened.arrays[at] = cells.tobytes()

    assert "task or class that the moments do not have" in refusal(forged("statistics", far))


def test_cells_are_whole_numbers() -> None:
    def fractions(opened: Opened) -> None:
        at = place(opened, "sample/cells")
        opened.header["arrays"][at]["dtype"] = "<f8"
        opened.arrays[at] = np.full(len(opened.arrays[at]) // 8, np.nan).tobytes()

    assert "not the sampled rows of any samples" in refusal(forged("statistics", fractions))


def test_every_task_can_answer_something() -> None:
    def absent(opened: Opened) -> None:
        at = place(opened, "rules/absent")
        opened.arrays[at] = b"\1" * len(opened.arrays[at])

    assert "a task can answer no class" in refusal(forged("model", absent))


@pytest.mark.parametrize("size", [1e160, 1e300])
def test_moments_whose_sum_overflows_do_not_add(size: float) -> None:
    """Each of them is finite, and their sum would not be."""
    first, second = (
        ClassMoments(np.array([0]), np.array([0]), np.ones((1, 1)), at, np.zeros((1, 1, 1)))
        for at in (np.full((1, 1, 1), -size), np.full((1, 1, 1), size))
    )
    with pytest.raises(ValueError, match="divide the features by a constant"):
        first + second
    with pytest.raises(ValueError, match="divide the features by a constant"):
        MultiTaskSPCA().merge(Statistics(first, None)).merge(Statistics(second, None)).moments_


def test_a_character_that_an_interruption_has_cut(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes("a,b\ngröß".encode()[:-1])
    assert whole_lines(path) == ["a,b\n"]
    assert path.read_bytes() == b"a,b\n"


def test_faded_rows_are_not_worth_more_than_numbers_can_say() -> None:
    def lighten(opened: Opened) -> None:
        for name, factor in (("squared_weights", 1e-300), ("squares", 1e30)):
            at = place(opened, f"statistics/moments/{name}")
            opened.arrays[at] = (np.frombuffer(opened.arrays[at]) * factor).tobytes()

    assert "squared weights are too small" in refusal(forged("model that forgets", lighten))


@pytest.mark.filterwarnings("ignore::kinspan.exceptions.PrecisionWarning")
def test_a_mean_as_large_as_numbers_are_is_answered() -> None:
    """Its square is none, also where noise far below it is kept above rounding."""
    rng = np.random.default_rng(0)
    X, y, task = rng.normal(size=(60, 3)), np.arange(60) % 2, np.arange(60) // 20
    moments = ClassMoments.from_samples(X, y, task)
    means = moments.means.copy()
    means[0, 0, 0] = 1e308
    model = MultiTaskSPCA(row_sample=0).merge(Statistics(replace(moments, means=means), None))
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.relatedness_).all()
    assert len(model.leave_out(0).tasks) == 2
