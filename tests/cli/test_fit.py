"""`kinspan fit` gives the model that Python gives, from any file, and says what to expect of it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.tables import reader
from tests.cli.running import ROLES, WORLD, fitted, refusal, succeed, written
from tests.engines.stored_worlds import assert_same_model, in_memory


def fit(folder: Path, *arguments: object, stdin: bytes = b"") -> MultiTaskSPCA:
    succeed("fit", *arguments, "--out", folder / "m.kinspan", stdin=stdin)
    model: MultiTaskSPCA = kinspan.load(folder / "m.kinspan")
    return model


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "feather"])
def test_every_format_gives_the_model_of_memory(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BATCH_ROWS", 70)
    model = fit(tmp_path, written(WORLD.table(), tmp_path / f"a.{ending}"), *ROLES)
    assert_same_model(model, in_memory(WORLD))
    assert model.feature_names_in_.tolist() == WORLD.names


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "feather"])
def test_standard_input_is_read_whatever_its_format(ending: str, tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / f"a.{ending}").read_bytes()
    assert_same_model(fit(tmp_path, "-", *ROLES, stdin=data), in_memory(WORLD))


def test_patterns_folders_and_several_files_are_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    for i, part in enumerate(np.array_split(np.arange(len(WORLD.X)), 3)):
        written(WORLD.table(part), folder / f"part {i}.csv")
    expected = in_memory(WORLD)
    assert_same_model(fit(tmp_path, folder / "*.csv", *ROLES), expected)
    assert_same_model(fit(tmp_path, folder, *ROLES), expected)
    assert_same_model(fit(tmp_path, *sorted(folder.iterdir()), *ROLES), expected)


def test_features_are_named_matched_and_left_out(tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / "a.parquet")
    roles = ROLES[:4]

    def names(*options: str) -> list[str]:
        return list(fit(tmp_path, data, *roles, *options).feature_names_in_)

    assert names("--features", "x3,x1") == ["x3", "x1"]
    assert names("--features", "x3", "--features", "x1") == ["x3", "x1"]
    assert names("--features", "x?") == [name for name in WORLD.names if name.startswith("x")]
    assert names("--features", "x?", "--exclude", "x[12]")[0] == "x3"
    assert names("--exclude", "note,x*") == ["größe"]
    expected = MultiTaskSPCA().fit(WORLD.X[:, [3, 1]], WORLD.y, task=WORLD.task)
    assert_same_model(fit(tmp_path, data, *roles, "--features", "x3,x1"), expected)


def test_options_are_parameters(tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / "a.csv")
    options = ("--priors", "empirical", "--class-weight", "balanced", "--unseen", "shared")
    more = ("--unseen-classes", "share", "--row-sample", 30)
    found = fit(tmp_path, data, *ROLES, *options, *more)
    expected = {"priors": "empirical", "class_weight": "balanced", "unseen": "shared"}
    expected["unseen_classes"] = "share"
    assert_same_model(found, in_memory(WORLD, **expected, row_sample=30))
    assert found.get_params() == MultiTaskSPCA(**expected, row_sample=30).get_params()  # type: ignore[arg-type]


def test_the_table_shows_every_task_and_who_helps(tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / "a.csv")
    ran = succeed("fit", data, *ROLES, "--out", tmp_path / "m.kinspan")
    model = in_memory(WORLD)
    for t, task in enumerate(model.tasks_):
        line = next(line for line in ran.out.splitlines() if line.strip().startswith(task))
        assert f"{100 * model.forecast_error_[t]:.1f} %" in line
        assert f"{100 * model.single_task_error_[t]:.1f} %" in line
    assert "500 rows" in ran.out
    assert str(tmp_path / "m.kinspan") in ran.out
    assert "\x1b" not in ran.out + ran.err
    assert ran.err == ""


def test_json_is_the_whole_result(tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / "a.csv")
    out = tmp_path / "m.kinspan"
    found = succeed("fit", data, *ROLES, "--out", out, "--json").json
    model = in_memory(WORLD)
    assert found["model"] == str(out)
    assert found["rows"] == len(WORLD.X)
    assert found["features"] == WORLD.names
    assert found["classes"] == model.classes_.tolist()
    assert found["forecast"] == "rows left out"
    assert found["notes"] == []
    by_task = {entry["task"]: entry for entry in found["tasks"]}
    errors = [entry["forecast_error"] for entry in found["tasks"]]
    assert errors == sorted(errors, reverse=True)
    for t, task in enumerate(model.tasks_.tolist()):
        entry = by_task[task]
        counts = model.moments_.counts[t].tolist()
        assert entry["labels"] == dict(zip(found["classes"], counts, strict=True))
        assert entry["forecast_error"] == pytest.approx(model.forecast_error_[t], rel=1e-9)
        assert entry["forecast_interval"] == pytest.approx(model.forecast_interval_[t], rel=1e-9)
        gain = entry["single_task_error"] - entry["forecast_error"]
        assert entry["transfer_gain"] == pytest.approx(gain)
        assert entry["most_from"] in {*model.tasks_.tolist(), None} - {task}


def test_thirty_tasks_are_shown_unless_all_are_asked_for(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 160)
    frame = pd.DataFrame(rng.normal(size=(320, 3)) + y[:, None], columns=["a", "b", "c"])
    frame["y"], frame["task"] = y, np.repeat([f"shop {i:02d}" for i in range(40)], 8)
    frame.to_csv(tmp_path / "a.csv", index=False)
    options = ("fit", tmp_path / "a.csv", "--task", "task", "--label", "y")
    few, many = (succeed(*options, *more, "--out", tmp_path / "m").out for more in ((), ("--all",)))
    assert sum(line.strip().startswith("shop") for line in few.splitlines()) == 30
    assert "--all shows all" in few
    assert sum(line.strip().startswith("shop") for line in many.splitlines()) == 40


def test_without_a_task_all_rows_are_of_one(tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / "a.csv")
    model = fit(tmp_path, data, "--label", "ill", "--exclude", "note,clinic")
    assert_same_model(model, MultiTaskSPCA().fit(WORLD.X, WORLD.y))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_numbers_and_truth_stay_what_they_are(ending: str, tmp_path: Path) -> None:
    task = np.arange(len(WORLD.X)) % 4 + 10
    frame = pd.DataFrame(WORLD.X, columns=WORLD.names)
    frame["clinic"], frame["ill"] = task, WORLD.X[:, 0] > 0
    data = tmp_path / f"a.{ending}"
    _ = frame.to_csv(data, index=False) if ending == "csv" else frame.to_parquet(data)
    model = fit(tmp_path, data, "--task", "clinic", "--label", "ill")
    assert model.tasks_.tolist() == [10, 11, 12, 13]
    assert model.classes_.tolist() == [False, True]


def test_ids_with_zeros_before_them_are_text_if_asked(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"x": np.arange(8.0), "shop": ["007", "7"] * 4, "y": ["a", "a", "b", "b"] * 2}
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    roles = ("--task", "shop", "--label", "y")
    assert fit(tmp_path, tmp_path / "a.csv", *roles).tasks_.tolist() == [7]
    model = fit(tmp_path, tmp_path / "a.csv", *roles, "--as-text", "shop")
    assert model.tasks_.tolist() == ["007", "7"]


def test_another_delimiter(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(8.0), "shop": ["a", "b"] * 4, "y": [0, 0, 1, 1] * 2})
    frame.to_csv(tmp_path / "a.csv", index=False, sep=";")
    roles = ("--task", "shop", "--label", "y")
    assert "--delimiter" in refusal("fit", tmp_path / "a.csv", *roles, "--out", tmp_path / "m")
    model = fit(tmp_path, tmp_path / "a.csv", *roles, "--delimiter", ";")
    assert model.tasks_.tolist() == ["a", "b"]


def test_another_delimiter_with_decimal_commas(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x;shop;y\n" + "1,5;a;0\n2,5;a;1\n" * 4)
    roles = ("--task", "shop", "--label", "y", "--out", tmp_path / "m")
    assert "Use --delimiter ';'" in refusal("fit", tmp_path / "a.csv", *roles)


def test_a_fit_that_fails_leaves_the_model_that_was_there(tmp_path: Path) -> None:
    model = fitted(tmp_path)
    before: Any = model.read_bytes()
    (tmp_path / "bad.csv").write_text("x,clinic,ill\n1,a,yes\n,a,no\n")
    refusal("fit", tmp_path / "bad.csv", *ROLES[:4], "--out", model)
    assert model.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "bad.csv",
        "model.kinspan",
        "rows.csv",
    ]


@pytest.mark.filterwarnings("ignore::kinspan.exceptions.CopiesWarning")  # two equal files
def test_a_column_that_looks_like_tasks_is_pointed_out(tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / "a.csv")
    options = ("--label", "ill", "--out", tmp_path / "m", "--exclude")
    ran = succeed("fit", data, *options, "note", "--categorical", "encode")
    assert "'clinic' looks like tasks" in ran.err
    assert "--task clinic" in ran.err
    found = succeed("fit", data, *options, "note", "--categorical", "encode", "--json").json
    assert any("'clinic'" in note for note in found["notes"])
    assert succeed("fit", data, *options, "note,clinic").err == ""
    halves = [written(WORLD.table()[i::2], tmp_path / f"{i}.csv") for i in range(2)]
    ran = succeed("fit", *halves, *options, "note,clinic")
    assert "all rows of 2 files are one task; if the files are tasks" in ran.err
    assert succeed("fit", data, *ROLES, "--out", tmp_path / "m").err == ""


def test_classes_that_a_task_never_answers_are_pointed_out(tmp_path: Path) -> None:
    """Its forecast cannot know of the rows that are always wrong."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=60), "z": rng.normal(size=60), "y": ["a", "b", "c"] * 20}
    )
    frame["site"] = np.repeat(["north", "south"], 30)
    data, command = (
        tmp_path / "a.csv",
        ("fit", tmp_path / "a.csv", "--task", "site", "--label", "y"),
    )
    frame[(frame["site"] == "south") | (frame["y"] != "c")].to_csv(data, index=False)
    said = (
        "without labels of some class: 1 of 2. They never answer it (--unseen-classes share: they"
    )
    assert said in succeed(*command, "--out", tmp_path / "m").err
    shared = succeed(*command, "--unseen-classes", "share", "--out", tmp_path / "m")
    assert "never answer it" not in shared.err
    assert "(always the usual class: 58.3 %)" in shared.out  # the mean of 1/2 and 2/3
    frame.to_csv(data, index=False)
    assert "never answer it" not in succeed(*command, "--out", tmp_path / "m").err


def test_labels_that_look_missing_are_pointed_out(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(60.0) ** 2 % 7, "site": np.repeat(["a", "b"], 30)})
    data, roles = tmp_path / "a.csv", ("--task", "site", "--label", "y", "--out", tmp_path / "m")
    frame.assign(y=["yes", "no", "NA", "yes", "no", "?"] * 10).to_csv(data, index=False)
    noted = succeed("fit", data, *roles).err
    assert "'?', 'NA' are classes here; --missing-values '?,NA' reads such labels as miss" in noted
    assert "20 in all" in succeed("fit", data, *roles, "--missing-values", "?,NA").out
    frame.assign(y=["yes", "none", "no"] * 20).to_csv(data, index=False)
    assert "--missing-values" not in succeed("fit", data, *roles).err


def test_names_that_differ_in_spaces_or_capitals_are_pointed_out(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(40.0) ** 2 % 7, "y": ["yes", "no"] * 20})
    frame["site"] = np.repeat(["North 1", "north1", "South", "West"], 10)
    data, roles = tmp_path / "a.csv", ("--task", "site", "--label", "y")
    frame.assign(y=frame["y"].where(frame.index > 3, frame["y"] + " ")).to_csv(data, index=False)
    noted = succeed("fit", data, *roles, "--out", tmp_path / "m").err
    assert "tasks 'North 1' and 'north1' differ in spaces or capitals only" in noted
    assert "classes 'no' and 'no ' differ in spaces" in noted
    frame.assign(site=frame["site"].replace("north1", "North 2")).to_csv(data, index=False)
    assert "differ in" not in succeed("fit", data, *roles, "--out", tmp_path / "m").err
    frame.assign(plan=["Free", "free"] * 20).to_csv(data, index=False)
    options = (*roles, "--categorical", "encode", "--missing", "mean", "--out", tmp_path / "m")
    assert "features 'plan=Free' and 'plan=free' differ" in succeed("fit", data, *options).err
    frame.assign(z=1.0).to_csv(data, index=False)
    frame.assign(Z=1.0).to_csv(tmp_path / "b.csv", index=False)
    assert "features 'z' and 'Z'" in succeed("fit", data, tmp_path / "b.csv", *options).err


def test_other_units_are_a_warning(tmp_path: Path) -> None:
    table = WORLD.table().to_pandas()
    table.loc[table["clinic"] == "Nº 0", "x1"] *= 1000.0
    table.to_csv(tmp_path / "a.csv", index=False)
    command = ("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    said = "'x1' of task 'Nº 0' looks 1,000 times as large as in other tasks: other units?"
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert succeed(*command).err == f"kinspan: warning: {said}\n"
        assert succeed(*command, "--json").json["notes"] == [said]
