"""Files of several sites add up, features meet by name, and what cannot be added is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import kinspan
from tests.cli.running import ROLES, WORLD, refusal, succeed
from tests.cli.running import kinspan as run
from tests.cli.test_federated import sites


def test_what_was_merged_is_shown(tmp_path: Path) -> None:
    parts = sites(tmp_path)
    out = tmp_path / "all.sum"
    shown = succeed("merge", tmp_path / "*.moments", "--out", out).out
    assert all(str(part) in shown for part in parts)
    assert "3 sites" in shown
    found = succeed("merge", *parts, "--out", out, "--json").json
    assert found["rows_counted"] == sum(site["rows_counted"] for site in found["sites"])
    assert found["rows_counted"] == kinspan.load(out).moments.counts.sum()
    assert found["rows_kept"] == 0


def test_the_order_of_sites_does_not_matter(tmp_path: Path) -> None:
    parts = sites(tmp_path, "--min-count", 1, "--reservoir", 20)
    for name, order in (("x", parts), ("y", parts[::-1])):
        succeed("merge", *order, "--out", tmp_path / name)
    one, two = (kinspan.load(tmp_path / name) for name in "xy")
    np.testing.assert_allclose(one.moments.means, two.moments.means, rtol=1e-12)
    np.testing.assert_array_equal(one.sample.rows, two.sample.rows)


def test_a_site_without_rows_leaves_a_sum_without_rows(tmp_path: Path) -> None:
    parts = sites(tmp_path, "--reservoir", 20)
    succeed("moments", tmp_path / "c.csv", *ROLES, "--out", parts[2])
    ran = succeed("merge", *parts, "--out", tmp_path / "all.sum")
    assert "some sites keep their rows" in ran.err
    assert kinspan.load(tmp_path / "all.sum").sample is None


def test_nothing_is_added_twice(tmp_path: Path) -> None:
    parts = sites(tmp_path)
    (tmp_path / "copy").write_bytes(parts[0].read_bytes())
    out = tmp_path / "all.sum"
    assert "count twice" in refusal("merge", parts[0], parts[0], "--out", out)
    assert "copy is the same as" in refusal("merge", *parts, tmp_path / "copy", "--out", out)
    assert "b.moments is among the files to read" in refusal("merge", *parts, "--out", parts[1])
    assert not out.exists()


def test_other_features_meet_by_name(tmp_path: Path) -> None:
    parts = sites(tmp_path)
    data, out = tmp_path / "c.csv", tmp_path / "all.sum"
    roles = ROLES[:4]
    succeed("moments", data, *roles, "--exclude", "note,x2", "--out", parts[2])
    assert (
        "c.moments lacks 'x2': missing in all its rows"
        in succeed("merge", *parts, "--out", out).err
    )
    model = tmp_path / "m"
    succeed("fit", "--moments", out, "--out", model)
    table = pd.read_csv(data).assign(x2=np.nan)
    table.to_csv(tmp_path / "holes.csv", index=False)
    succeed("predict", model, tmp_path / "holes.csv", "--out", tmp_path / "scored.csv")
    expected = kinspan.load(model).predict(table.drop(columns=["note", "ill"]))
    assert pd.read_csv(tmp_path / "scored.csv")["predicted"].tolist() == expected.tolist()


def test_tables_to_predict_may_lack_what_a_task_lacks(tmp_path: Path) -> None:
    parts = sites(tmp_path, "--min-count", 1)
    table = pd.read_csv(tmp_path / "c.csv").assign(clinic="its own")
    lacking, holes = tmp_path / "d.csv", tmp_path / "e.csv"
    table.drop(columns="x2").to_csv(lacking, index=False)
    table.assign(x2=None).to_csv(holes, index=False)
    succeed("moments", lacking, *ROLES, "--out", tmp_path / "d.moments")
    succeed("merge", *parts, tmp_path / "d.moments", "--out", tmp_path / "all.sum")
    model = tmp_path / "m"
    succeed("fit", "--moments", tmp_path / "all.sum", "--out", model)
    found = []
    for data in (lacking, holes):
        succeed("predict", model, data, "--only-answers", "--out", tmp_path / "scored.csv")
        found.append(pd.read_csv(tmp_path / "scored.csv"))
    pd.testing.assert_frame_equal(found[0], found[1])
    succeed("evaluate", model, lacking)
    table.drop(columns="x3").to_csv(lacking, index=False)
    assert "'x3' is not a column" in refusal("predict", model, lacking, "--out", tmp_path / "s.csv")


def test_features_that_cannot_meet_are_refused(tmp_path: Path) -> None:
    parts = sites(tmp_path)
    data, out = tmp_path / "c.csv", tmp_path / "all.sum"
    roles = ROLES[:4]
    table = pd.read_csv(data)
    table.assign(x2=np.where(table["x2"] > 0, "high", "low")).to_csv(data, index=False)
    encoded = ("--exclude", "note", "--categorical", "encode")
    succeed("moments", data, *roles, *encoded, "--out", parts[2])
    message = refusal("merge", *parts, "--out", out)
    assert "column 'x2' of" in message
    assert "has other categories, or another kind" in message
    assert f"--like {parts[0]}" in message


def test_other_kinds_of_ids_are_refused(tmp_path: Path) -> None:
    parts = sites(tmp_path)
    table = WORLD.table().to_pandas().assign(clinic=np.arange(len(WORLD.X)) % 3)
    table.to_csv(tmp_path / "d.csv", index=False)
    succeed("moments", tmp_path / "d.csv", *ROLES, "--out", tmp_path / "d.moments")
    message = refusal("merge", parts[0], tmp_path / "d.moments", "--out", tmp_path / "s")
    assert "tasks of" in message
    assert "--as-text" in message


def test_other_columns_of_tasks_and_labels_are_refused(tmp_path: Path) -> None:
    parts = sites(tmp_path)
    table, out = pd.read_csv(tmp_path / "c.csv"), tmp_path / "all.sum"
    for role, name in (("task", "clinic"), ("label", "ill")):
        table.rename(columns={name: "other"}).to_csv(tmp_path / "d.csv", index=False)
        options = [*(option if option != name else "other" for option in ROLES), "--out"]
        succeed("moments", tmp_path / "d.csv", *options, tmp_path / "d.moments")
        message = refusal("merge", parts[0], tmp_path / "d.moments", "--out", out)
        assert f"the {role} of {tmp_path / 'd.moments'} is column 'other'" in message
        assert f"that of {parts[0]} is {name!r}" in message
    assert not out.exists()


def test_different_ways_with_missing_values_are_told(tmp_path: Path) -> None:
    parts = sites(tmp_path)
    assert succeed("merge", *parts, "--out", tmp_path / "all.sum").err == ""
    succeed("moments", tmp_path / "c.csv", *ROLES, "--missing", "drop", "--out", parts[2])
    said = run("merge", *parts, "--out", tmp_path / "all.sum").err
    assert f"--missing drop ({parts[2]}), --missing error ({parts[0]})" in said
