"""Tables that cannot be read: one line that names them, nothing written, no traceback."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.engines import files
from tests.cli.running import refusal, succeed
from tests.hostile_files.tables import FILES, GOOD, LONG, TEXTS, Bad

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
NAMED: dict[str, Any] = {"task": "t", "label": "y"}
OPTIONS = ("--task", "t", "--label", "y")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    (folder / "good.csv").write_text(GOOD)
    succeed("fit", folder / "good.csv", *OPTIONS, "--out", folder / "m.kinspan")
    return folder / "m.kinspan"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("bad", [*TEXTS, *FILES], ids=repr)
def test_bad_tables_are_named_in_one_line(bad: Bad, tmp_path: Path) -> None:
    path = tmp_path / bad.name
    bad.write(path)
    with pytest.raises(files.FileError, match=bad.said):
        files.statistics(path, **NAMED)
    for verb in ("fit", "moments"):
        message = refusal(verb, path, *OPTIONS, "--out", tmp_path / "out")
        assert message.startswith(f"{path}: ")
        assert message.isprintable()
        assert len(message) < 1000
        assert "unexpected" not in message
    assert names(tmp_path) == [bad.name]


@pytest.mark.parametrize("bad", TEXTS, ids=repr)
def test_answers_of_bad_tables_are_not_half_written(bad: Bad, model: Path, tmp_path: Path) -> None:
    bad.write(tmp_path / bad.name)
    (tmp_path / "scored.csv").write_text("old")
    refusal("predict", model, tmp_path / bad.name, "--out", tmp_path / "scored.csv")
    assert (tmp_path / "scored.csv").read_text() == "old"
    assert names(tmp_path) == sorted([bad.name, "scored.csv"])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_all_ends_of_lines_and_marks_are_read_alike(
    end: str, mark: str, model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(mark + GOOD.replace("\n", end), encoding="utf-8", newline="")
    read = files.statistics(path, **NAMED)
    assert read.feature_names == ("a", "b")
    assert read.n_rows == 20
    succeed("predict", model, path, "--out", tmp_path / "scored.csv")


def test_a_quote_that_swallows_the_rows_after_it(tmp_path: Path, model: Path) -> None:
    """All columns are there, and a task that has rows in its name."""
    path = tmp_path / "a.csv"
    path.write_text("a,b,y,t\n1,2,0,u\n2,3,1,u\n1,2,0," + '"u\n3,4,1,v\n5,6,1,v\n')
    with pytest.raises(files.FileError, match=r"task column 't' holds several lines, 'u\\n3,4,1,v"):
        files.statistics(path, **NAMED)
    assert "is a quote not closed?" in refusal("fit", path, *OPTIONS, "--out", tmp_path / "m")
    assert "is a quote not closed?" in refusal("predict", model, path)


def test_ten_thousand_columns_and_a_long_name(tmp_path: Path) -> None:
    X = np.random.default_rng(0).integers(0, 9, (12, 10_000))
    names_of_all = [*(f"x{i}" for i in range(9_999)), LONG[:100_000], "t", "y"]
    lines = [",".join([*map(str, row), "uv"[i % 2], str(i // 2 % 2)]) for i, row in enumerate(X)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(names_of_all), *lines]) + "\n")
    clf = files.fit(MultiTaskSPCA(), path, **NAMED)
    assert clf.moments_.n_features == 10_000
    assert len(refusal("fit", path, "--label", "nothing", "--out", tmp_path / "m")) < 1000


def test_a_column_of_lists_is_no_text(tmp_path: Path, model: Path) -> None:
    rows = {"a": [1.0, 2.0], "b": [1.0, 2.0], "t": [[1], [2]]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    message = refusal("predict", model, tmp_path / "a.parquet")
    assert "a column of list<element: int64> cannot be read as text; convert it" in message


def test_places_that_are_no_files(tmp_path: Path, model: Path) -> None:
    loop, nowhere, folder = (tmp_path / f"{name}.csv" for name in ("loop", "nowhere", "folder"))
    loop.symlink_to(loop)
    nowhere.symlink_to(tmp_path / "none")
    folder.mkdir()
    pipe, device = tmp_path / "pipe.csv", tmp_path / "device.csv"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    begin = time.monotonic()
    for path, said in (
        (loop, "there is no such file"),
        (nowhere, "there is no such file"),
        (folder, "holds no file that ends in"),
        (pipe, "is neither a file nor a folder"),
        (device, "is neither a file nor a folder"),
    ):
        with pytest.raises((OSError, ValueError), match=said):
            files.statistics(path, **NAMED)
        for verb in (
            ["fit", path, *OPTIONS],
            ["moments", path, *OPTIONS],
            ["predict", model, path],
        ):
            message = refusal(*verb, "--out", tmp_path / "out.csv")
            assert str(path) in message
            assert said in message
    assert time.monotonic() - begin < 30  # nobody waits for a pipe
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read")
def test_files_that_may_not_be_read(tmp_path: Path, model: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(GOOD)
    path.chmod(0)
    with pytest.raises(files.FileError, match="Permission denied"):
        files.statistics(path, **NAMED)
    for verb in (["fit", path, *OPTIONS, "--out", tmp_path / "m"], ["predict", model, path]):
        assert "ermission denied" in refusal(*verb)


def test_names_cannot_command_a_terminal(tmp_path: Path) -> None:
    path, strange = tmp_path / "a.csv", "\x1b[31mred\x07"
    path.write_text(GOOD.replace(",u,", f",{strange},"))
    shown = succeed("fit", path, *OPTIONS, "--out", tmp_path / "m").out
    assert "\\x1b[31mred\\x07" in shown
    assert "\x1b" not in shown
    path.write_text(f"{GOOD}{strange}\n")
    assert "\\x1b[31mred\\x07" in refusal("fit", path, *OPTIONS, "--out", tmp_path / "m")
