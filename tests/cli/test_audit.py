"""`kinspan audit`: labels of tables that are probably wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinspan import load
from kinspan.datasets import load_digit_pairs
from tests.cli.running import kinspan, succeed

ROLES = ("--task", "task", "--label", "y")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path], list[Path]]:
    """A model of 900 rows in two files, of which every tenth label is wrong; and right ones."""
    pd = pytest.importorskip("pandas")
    folder = tmp_path_factory.mktemp("audit")
    digits = load_digit_pairs(n_per_class=10)
    wrong = np.arange(900) % 10 == 0
    written = []
    for name, y in (("noisy", np.where(wrong, 1 - digits.y, digits.y)), ("clean", digits.y)):
        frame = pd.DataFrame(digits.X, columns=[f"x{i}" for i in range(64)])
        frame = frame.assign(task=digits.task, y=y)
        files = [folder / f"{name}-{i}.csv" for i in (0, 1)]
        frame[:500].to_csv(files[0], index=False)
        frame[500:].to_csv(files[1], index=False)
        succeed("fit", *files, *ROLES, "--out", folder / f"{name}.kinspan")
        written.append(files)
    noisy, clean = written
    return folder, noisy, clean


def test_wrong_labels_are_listed_by_file_and_row(
    tables: tuple[Path, list[Path], list[Path]],
) -> None:
    folder, noisy, _ = tables
    model = folder / "noisy.kinspan"
    found = succeed("audit", model, *noisy, "--json").json
    assert found["labels"] == 900
    assert 80 <= found["probably_wrong"] <= 100
    assert len(found["issues"]) == found["probably_wrong"]
    assert abs(found["rate"] - 0.1) < 0.03
    start = {path.name: 500 * i for i, path in enumerate(noisy)}
    places = [start[one["file"]] + one["row"] - 1 for one in found["issues"]]
    assert np.mean(np.array(places) % 10 == 0) > 0.9
    text = succeed("audit", model, *noisy, "--most", 3)
    assert "of 900 labels look wrong" in text.out
    assert "The 3 least likely of 900" in text.out
    assert "those of the rows that the model keeps" not in text.out  # it keeps all
    first = found["issues"][0]
    assert f"{first['file']}" in text.out


def test_no_evidence_is_said(tables: tuple[Path, list[Path], list[Path]]) -> None:
    folder, _, clean = tables
    ran = succeed("audit", folder / "clean.kinspan", *clean, "--most", 2)
    assert "No evidence of wrong labels among 900." in ran.out
    assert "largest rates" not in ran.out
    found = succeed("audit", folder / "clean.kinspan", *clean, "--most", 2, "--json").json
    assert found["probably_wrong"] == 0
    assert len(found["issues"]) == 2


def test_rows_that_the_model_does_not_keep_are_judged_too(
    tables: tuple[Path, list[Path], list[Path]],
) -> None:
    folder, _, clean = tables
    succeed("fit", *clean, *ROLES, "--row-sample", 8, "--out", folder / "few.kinspan")
    ran = succeed("audit", folder / "few.kinspan", *clean, "--most", 2)
    assert "No evidence of wrong labels among 720. The 2 least likely of 900" in ran.out
    assert "those of the rows that the model keeps" in ran.out


def test_a_label_that_is_no_class_is_refused(
    tables: tuple[Path, list[Path], list[Path]], tmp_path: Path
) -> None:
    folder, noisy, _ = tables
    lines = noisy[0].read_text().splitlines()
    (tmp_path / "other.csv").write_text("\n".join([*lines[:3], lines[3][:-1] + "7"]))
    ran = kinspan("audit", folder / "noisy.kinspan", tmp_path / "other.csv")
    assert ran.code == 2
    assert "y contains 7, which is no class of the model" in ran.err


def test_a_fit_may_rely_less_on_labels(tables: tuple[Path, list[Path], list[Path]]) -> None:
    folder, noisy, _ = tables
    out = folder / "auto.kinspan"
    succeed("fit", *noisy, *ROLES, "--label-noise", "auto", "--out", out)
    plain, auto = load(folder / "noisy.kinspan"), load(out)
    assert (plain.label_noise, auto.label_noise) == (None, "auto")
    assert auto.forecast_error_.mean() < plain.forecast_error_.mean() - 0.05


def test_labels_of_a_task_with_one_class_are_left_out_without_a_warning(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    y[40:] = 0  # the third task
    frame = pd.DataFrame(rng.normal(size=(60, 3)) + y[:, None], columns=list("abc"))
    frame = frame.assign(task=np.repeat(["u", "v", "w"], 20), y=y)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = tmp_path / "rows.kinspan"
    succeed("fit", tmp_path / "rows.csv", *ROLES, "--out", model)
    ran = succeed("audit", model, tmp_path / "rows.csv")
    assert "warning" not in ran.err
    assert "of 40" in ran.out
