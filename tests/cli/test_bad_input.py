"""Whatever goes wrong is one line that names it, and exit code 2."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kinspan.cli import failing
from kinspan.cli import fit as fitting
from tests.cli.running import ROLES, WORLD, refusal, succeed, written
from tests.cli.running import kinspan as run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(WORLD.table(), tmp_path / "rows.csv")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit", "nowhere.csv", "--label", "y"], "nowhere.csv: there is no such file"),
        (["fit", "nowhere/*.csv", "--label", "y"], "'nowhere/*.csv'"),
        (["fit", "--label", "y"], "no file is named"),
        (["fit", "a.csv"], "--label"),
        (["fit", "a.xlsx", "--label", "y"], "a.xlsx: there is no such file"),
        (["fit", "a.csv", "--label", "y", "--task", "y"], "both 'y'"),
        (["fit", "a.csv", "--label", "y", "--features", "x,y"], "column 'y' is named with --label"),
        (["fit", "a.csv", "--label", "y", "--delimiter", "ab"], "--delimiter"),
        (["fit", "a.csv", "--label", "y", "--missing", "guess"], "'guess'"),
        (["fit", "a.csv", "--label", "y", "--row-sample", "-1"], "--row-sample"),
        (["fit", "a.csv", "--label", "y", "--row-sample", "x"], "--row-sample"),
        (["fit", "a.csv", "--lable", "y"], "--lable"),
        (["fit", "a.csv", "-", "--label", "y"], "standard input"),
        (["predict", "nowhere.kinspan", "a.csv"], "nowhere.kinspan: no such file"),
        (["predict", "m", "a.csv", "--out", "s.xlsx"], ".parquet"),
        (["predict"], "MODEL"),
        (["explain", "m"], "--task"),
        (["merge", "--out", "x"], "MOMENTS"),
        (["merge", "*.nothing", "--out", "x"], "'*.nothing'"),
        (["export", "m"], "--onnx"),
        (["nonsense"], "the verbs are fit, predict"),
    ],
)
def test_bad_arguments(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refusal(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_unknown_columns_are_named_with_those_there_are(data: Path, tmp_path: Path) -> None:
    roles = {"--task": "clinic", "--label": "ill"}
    for option in roles:
        given = [text for pair in {**roles, option: "nope"}.items() for text in pair]
        message = refusal("fit", data, *given, "--out", tmp_path / "m")
        assert f"{data}: {option} nope: no such column" in message
        assert "'clinic'" in message
    for option in ("--features", "--exclude", "--as-text"):
        message = refusal("fit", data, *ROLES, option, "nope*", "--out", tmp_path / "m")
        assert f"{option} nope*: no such column" in message
        message = refusal("fit", data, *ROLES, option, "X2", "--out", tmp_path / "m")
        assert message.endswith("; did you mean 'x2'?")
    assert refusal("fit", data, "--task", "klinic", "--label", "ill").endswith("mean 'clinic'?")
    assert refusal("fit", data, "--label", "il").endswith("did you mean 'ill'?")
    assert "no column is left" in refusal(
        "fit", data, *ROLES, "--exclude", "*", "--out", tmp_path / "m"
    )


def test_columns_that_a_model_needs(model: Path, tmp_path: Path) -> None:
    for name, said in (
        ("x2", "the feature 'x2' is not a column"),
        ("clinic", "--task clinic: no "),
    ):
        part = written(WORLD.table().drop_columns([name]), tmp_path / "part.csv")
        assert f"{part}: {said}" in refusal("predict", model, part)


def test_text_where_a_model_expects_numbers(model: Path, tmp_path: Path) -> None:
    table = WORLD.table().to_pandas().astype({"x2": object})
    table.loc[0, "x2"] = "many"
    table.to_csv(tmp_path / "new.csv", index=False)
    message = refusal("predict", model, tmp_path / "new.csv")
    assert "'x2'" in message
    assert "features=" not in message


def test_a_number_that_is_none_far_down(tmp_path: Path) -> None:
    """Types of text files are guessed from the first rows."""
    rows = "".join(f"{i % 7}.123456789,{i % 3},{i % 2}\n" for i in range(80_000))
    for cell, option in (("oops,1,1", "--exclude"), ("1,oops,1", "--as-text task")):
        (tmp_path / "a.csv").write_text(f"x,task,y\n{rows}{cell}\n")
        options = ("--task", "task", "--label", "y", "--out", tmp_path / "m")
        message = refusal("fit", tmp_path / "a.csv", *options)
        assert "oops" in message
        assert option in message


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_files_that_are_not_what_they_seem(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"\xff\xfe\x00 nothing of use \x00" * 20)
    assert str(path) in refusal("fit", path, *ROLES, "--out", tmp_path / "m")
    path.write_bytes(b"")
    assert f"{path}: the file is empty" in refusal("fit", path, *ROLES, "--out", tmp_path / "m")


def test_standard_input_is_named(tmp_path: Path) -> None:
    options = ("--task", "t", "--label", "y", "--out", tmp_path / "m")
    assert refusal("fit", "-", *options, stdin=b"") == "standard input is empty"
    message = refusal("fit", "-", *options, stdin=b"x,t,y\n1,a,0\n,a,1\n")
    assert message.startswith("standard input: column 'x' is missing in row 2 ")


def test_corrupted_and_foreign_models(model: Path, data: Path, tmp_path: Path) -> None:
    broken, stored = tmp_path / "broken.kinspan", model.read_bytes()
    for contents in (
        stored[:-10],
        stored[:40],
        stored[:100] + b"x" + stored[101:],
        b"",
        b"a,b\n1,2\n",
    ):
        broken.write_bytes(contents)
        for verb in (["predict", broken, data], ["explain", broken, "--task", "a"]):
            assert f"{broken}: " in refusal(*verb)


def test_places_that_cannot_be_written(model: Path, data: Path, tmp_path: Path) -> None:
    nowhere, folder = tmp_path / "none" / "x.csv", tmp_path / "folder.csv"
    folder.mkdir()
    for verb in (["fit", data, *ROLES], ["predict", model, data], ["moments", data, *ROLES]):
        assert "does not exist" in refusal(*verb, "--out", nowhere)
        assert "this is a folder" in refusal(*verb, "--out", folder)
    assert "does not exist" in refusal("export", model, "--onnx", nowhere)
    assert "does not exist" in refusal("merge", model, "--out", nowhere)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_folders_that_may_not_be_written(data: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    assert "may be written" in refusal("fit", data, *ROLES, "--out", closed / "m")


def test_one_class_is_nothing_to_learn(tmp_path: Path) -> None:
    pd.DataFrame({"x": [1.0, 2.0], "y": [1, 1]}).to_csv(tmp_path / "a.csv", index=False)
    assert "class" in refusal("fit", tmp_path / "a.csv", "--label", "y", "--out", tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_numbers_are_no_classes_unless_they_are_said_to_be(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(8.0), "y": [0.25, 0.5] * 4})
    frame.to_csv(tmp_path / "a.csv", index=False)
    options = ("fit", tmp_path / "a.csv", "--label", "y", "--out", tmp_path / "m")
    assert "--as-text y" in refusal(*options)
    succeed(*options, "--as-text", "y")


def test_a_header_without_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,task,y\n")
    options = ("--task", "task", "--label", "y", "--out", tmp_path / "m")
    assert "no row has a value" in refusal("fit", tmp_path / "a.csv", *options)


def test_surprises_are_one_line_and_a_traceback_only_if_asked_for(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def surprised(*_: Any) -> Any:
        raise ZeroDivisionError("a\nb")

    monkeypatch.setattr(fitting, "learn_tables", surprised)
    options = ("fit", data, *ROLES, "--out", tmp_path / "m")
    assert refusal(*options) == "ZeroDivisionError: a b (unexpected; --debug shows where)"
    ran = run(*options, "--debug")
    assert ran.code == 2
    assert "Traceback" in ran.err
    assert ran.err.endswith(
        "kinspan: error: ZeroDivisionError: a b (unexpected; --debug shows where)\n"
    )


def test_words_of_python_become_words_of_the_command_line() -> None:
    said = failing.describe(ValueError("x; read it as text with as_text=['a b']"))
    assert said == "x; read it as text with --as-text 'a b'"
    curves = ValueError("score='f1': curves are; forecast(score='f1') says what")
    assert failing.describe(curves) == "--score f1: curves are; kinspan report --score f1 says what"
    assert failing.describe(OSError(2, "No such file", "a")) == "a: no such file"
    assert failing.describe(MemoryError()).startswith("there is not enough memory")


@pytest.mark.parametrize(
    ("name", "head", "said"),
    [
        ("a.csv", b"PK\x03\x04", "a spreadsheet or a zip archive: save the table as CSV"),
        ("a.csv", b"\x1f\x8b\x08", "compressed with gzip: its name should end in .csv.gz"),
        ("a.csv", b"PAR1", "Parquet: its name should end in .parquet"),
        ("a.xlsx", b"PK\x03\x04", "ends in .csv, .*; save the spreadsheet as CSV"),
    ],
)
def test_files_of_another_kind_are_recognised(
    name: str, head: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(head + b"\0\1,x\n" * 20)
    assert re.search(said, refusal("fit", tmp_path / name, *ROLES))


def test_a_column_may_have_the_name_of_a_format(tmp_path: Path) -> None:
    table = WORLD.table().to_pandas().rename(columns={"x1": "PAR1"})
    table[["PAR1", *table.columns.drop("PAR1")]].to_csv(tmp_path / "a.csv", index=False)
    succeed("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
