"""Sites that share moments fit the model of their pooled rows, and no row leaves unless asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from kinspan import MultiTaskSPCA, Statistics
from tests.cli.running import ROLES, WORLD, refusal, succeed, written
from tests.cli.test_recipe import messy, stored
from tests.engines.stored_worlds import assert_same_model, in_memory


def sites(folder: Path, *options: object) -> list[Path]:
    """Moments of three sites that have some rows of every task each."""
    found = []
    for name, rows in zip("abc", np.array_split(np.arange(len(WORLD.X)), 3), strict=True):
        data, out = written(WORLD.table(rows), folder / f"{name}.csv"), folder / f"{name}.moments"
        succeed("moments", data, *ROLES, *options, "--out", out)
        found.append(out)
    return found


def merged(folder: Path, *options: object) -> Path:
    succeed("merge", *sites(folder, *options), "--out", folder / "all.sum")
    return folder / "all.sum"


def test_moments_of_sites_fit_the_model_of_pooled_rows(tmp_path: Path) -> None:
    whole = merged(tmp_path, "--min-count", 1)
    ran = succeed("fit", "--moments", whole, "--out", tmp_path / "m.kinspan")
    assert "the metric is 0" in ran.err
    assert "isotropic" in ran.err
    model = kinspan.load(tmp_path / "m.kinspan")
    assert_same_model(model, in_memory(WORLD, metric=0, row_sample=0))
    assert model.sample_ is None
    written(WORLD.table(), tmp_path / "pooled.csv")
    options = (tmp_path / "pooled.csv", *ROLES, "--row-sample", 0)
    succeed("fit", *options, "--out", tmp_path / "pooled.kinspan")
    assert_same_model(model, kinspan.load(tmp_path / "pooled.kinspan"))


def test_with_a_reservoir_it_is_the_model_of_everything(tmp_path: Path) -> None:
    whole = merged(tmp_path, "--min-count", 1, "--reservoir", 100)
    found = succeed("fit", "--moments", whole, "--out", tmp_path / "m.kinspan", "--json").json
    assert found["notes"] == []
    assert found["forecast"] == "rows left out"
    assert_same_model(kinspan.load(tmp_path / "m.kinspan"), in_memory(WORLD))


def test_the_model_of_sites_reads_tables(tmp_path: Path) -> None:
    whole = merged(tmp_path, "--min-count", 1)
    succeed("fit", "--moments", whole, "--out", tmp_path / "m.kinspan")
    data = written(WORLD.table(), tmp_path / "new.csv")
    succeed("predict", tmp_path / "m.kinspan", data, "--out", tmp_path / "s.csv")
    expected = in_memory(WORLD, metric=0, row_sample=0).predict(WORLD.X, task=WORLD.task)
    assert pd.read_csv(tmp_path / "s.csv")["predicted"].tolist() == expected.tolist()
    succeed("evaluate", tmp_path / "m.kinspan", data)


def test_what_needs_rows_names_the_way_for_moments(tmp_path: Path) -> None:
    whole, model = merged(tmp_path), tmp_path / "m.kinspan"
    succeed("fit", "--moments", whole, "--out", model)
    way = "or from moments with rows (kinspan moments --reservoir 50)"
    page = tmp_path / "page.html"
    assert way in refusal("report", model, "--score", "roc_auc", "--out", page)
    assert way in refusal("audit", model, tmp_path / "a.csv")


def test_no_row_leaves_and_it_says_so(tmp_path: Path) -> None:
    data, out = written(WORLD.table(), tmp_path / "a.csv"), tmp_path / "a.moments"
    ran = succeed("moments", data, *ROLES, "--out", out)
    assert "counts, means and second moments of 12 cells" in ran.out
    assert "no rows" in ran.out
    statistics = kinspan.load(out)
    assert isinstance(statistics, Statistics)
    assert statistics.sample is None
    kept = {row.tobytes() for row in WORLD.X}
    assert not kept & {mean.tobytes() for mean in statistics.moments.means.reshape(12, -1)}
    stored_bytes = out.read_bytes()
    assert not any(row in stored_bytes for row in kept)


def test_rows_that_leave_are_announced(tmp_path: Path) -> None:
    data, out = written(WORLD.table(), tmp_path / "a.csv"), tmp_path / "a.moments"
    ran = succeed("moments", data, *ROLES, "--reservoir", 3, "--out", out)
    assert "36 ROWS LEAVE THIS SITE" in ran.out
    found = succeed("moments", data, *ROLES, "--reservoir", 3, "--out", out, "--json").json
    assert found["rows_that_leave"] == 36
    assert found["cells"] == 12
    assert found["rows_counted"] == len(WORLD.X)


def rows_in(path: Path) -> set[bytes]:
    return {row.tobytes() for row in kinspan.load(path).sample.rows}


def test_small_cells_are_withheld_by_default(tmp_path: Path) -> None:
    """The mean of one row is the row; a task that is withheld is not even named."""
    table = WORLD.table().to_pandas()
    few = table.head(7).assign(clinic=["hidden"] * 4 + ["half"] * 3)
    few["ill"], few["x1"] = "ja", few["x1"] + 100
    half = table.iloc[7:13].assign(clinic="half", ill="nein")
    pd.concat([table, few, half]).to_csv(tmp_path / "a.csv", index=False)
    out = tmp_path / "a.moments"
    ran = succeed("moments", tmp_path / "a.csv", *ROLES, "--reservoir", 50, "--out", out)
    assert "withheld: 2 cells" in ran.err
    assert "fewer than 5 rows, 7 rows in all" in ran.err
    statistics = kinspan.load(out)
    moments = statistics.moments
    assert moments.counts[moments.counts > 0].min() >= 5
    assert "hidden" not in moments.tasks.tolist()
    assert b"hidden" not in out.read_bytes()
    half_counts = dict(
        zip(moments.classes.tolist(), moments.counts[moments.tasks == "half"][0], strict=True)
    )
    assert half_counts == {"ja": 0, "nein": 6, "無": 0}
    gone = {row.tobytes() for row in few[WORLD.names].to_numpy(float)}
    others = {row.tobytes() for row in table[WORLD.names].to_numpy(float)}
    assert rows_in(out) <= others - gone
    assert (np.bincount(statistics.sample.cells) <= 50).all()
    all_of_them = ("--reservoir", 50, "--min-count", 1, "--out", tmp_path / "all")
    succeed("moments", tmp_path / "a.csv", *ROLES, *all_of_them)
    assert gone <= rows_in(tmp_path / "all")
    message = refusal("moments", tmp_path / "a.csv", *ROLES, "--min-count", 10_000, "--out", out)
    assert "nothing may leave" in message


def test_categories_of_one_site_hold_for_all(tmp_path: Path) -> None:
    frame = messy(0, share=0.0)
    one, two = frame.iloc[:150], frame.iloc[150:].copy()
    two.loc[160, "plan"] = "only here"
    roles = ("--task", "shop", "--label", "sold")
    first = stored(one, tmp_path, name="one")
    options = ("--min-count", 1, "--out")
    ran = succeed("moments", first, *roles, "--categorical", "encode", *options, tmp_path / "1.mom")
    named = "Features that leave: age, plan="
    assert named in ran.out
    second = stored(two, tmp_path, name="two")
    ran = succeed("moments", second, "--like", tmp_path / "1.mom", *options, tmp_path / "2.mom")
    assert named in ran.out
    assert "unknown category of 'plan' in 1 row" in ran.err
    succeed("merge", tmp_path / "*.mom", "--out", tmp_path / "all.sum")
    succeed("fit", "--moments", tmp_path / "all.sum", "--out", tmp_path / "m")
    both = stored(pd.concat([one, two]), tmp_path, name="both")
    succeed("predict", tmp_path / "m", both, "--out", tmp_path / "s.csv")
    hot = {f"plan={c}": (frame["plan"] == c).to_numpy(float) for c in sorted(set(one["plan"]))}
    hot = {name: np.where(np.arange(240) == 160, 0.0, column) for name, column in hot.items()}
    X: Any = pd.DataFrame({"age": frame["age"], **hot, "visits": frame["visits"]}).astype(float)
    expected = MultiTaskSPCA(metric=0, row_sample=0).fit(X, frame["sold"], task=frame["shop"])
    assert_same_model(kinspan.load(tmp_path / "m"), expected)
    message = refusal(
        "moments", second, "--like", tmp_path / "1.mom", *roles, "--out", tmp_path / "x"
    )
    assert "--like" in message


def test_missing_values_of_sites_stay_missing_until_the_fit(tmp_path: Path) -> None:
    """What they are filled with is found in the rows of all sites, as in one table."""
    frame = messy(0)
    roles = ("--task", "shop", "--label", "sold", "--exclude", "plan")
    here = frame["shop"].isin(["shop 0", "shop 1"])
    whole = stored(frame, tmp_path, name="whole")
    parts = [stored(frame[rows], tmp_path, name=f"{i}") for i, rows in enumerate((here, ~here))]
    message = refusal("moments", whole, *roles, "--out", tmp_path / "a")
    assert "--missing mean" in message
    assert (
        "rows dropped"
        in succeed("moments", whole, *roles, "--missing", "drop", "--out", tmp_path / "a").err
    )
    options = ("--missing", "mean", "--min-count", "1", "--reservoir", "100")
    for part in parts:
        ran = succeed("moments", part, *roles, *options, "--out", f"{part}.mom")
        assert "missing values to be filled in by the fit" in ran.err
    succeed("merge", tmp_path / "*.mom", "--out", tmp_path / "all")
    succeed("fit", "--moments", tmp_path / "all", "--out", tmp_path / "m")
    succeed("fit", whole, *roles, "--missing", "mean", "--out", tmp_path / "w")
    assert_same_model(kinspan.load(tmp_path / "m"), kinspan.load(tmp_path / "w"))


def test_models_and_moments_are_not_taken_for_each_other(model: Path, tmp_path: Path) -> None:
    part = sites(tmp_path)[0]
    data = tmp_path / "a.csv"
    out = tmp_path / "x"
    for verb in (
        ["predict", part, data],
        ["explain", part, "--task", "a"],
        ["evaluate", part, data],
    ):
        message = refusal(*verb)
        assert "holds moments, not a model" in message
        assert f"kinspan fit --moments {part}" in message
    assert "holds a model, not moments" in refusal("merge", model, part, "--out", out)
    assert "holds a model, not moments" in refusal("fit", "--moments", model, "--out", out)
    assert "nor columns with it" in refusal("fit", data, "--moments", part, "--out", out)
    assert "nor columns with it" in refusal("fit", "--moments", part, "--task", "a", "--out", out)


@pytest.mark.parametrize("verb", ["moments", "merge"])
def test_out_is_needed(verb: str, tmp_path: Path) -> None:
    assert "--out" in refusal(verb, tmp_path / "a.csv", *(ROLES if verb == "moments" else ()))


def test_sites_with_a_secret_key_choose_alike_and_no_others_mix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = 2**127 + 1
    options = ("--reservoir", 3, "--min-count", 1)
    whole = kinspan.load(merged(tmp_path, *options, "--random-state", secret))
    rows = Statistics.from_samples(
        WORLD.X, WORLD.y, WORLD.task, row_sample=3, random_state=secret
    ).sample
    assert rows is not None
    assert whole.sample.key_name == rows.key_name
    np.testing.assert_array_equal(np.sort(whole.sample.rows, axis=0), np.sort(rows.rows, axis=0))
    a, b = tmp_path / "a.moments", tmp_path / "b.moments"
    monkeypatch.setenv("KINSPAN_RANDOM_STATE", "5")
    succeed("moments", tmp_path / "b.csv", *ROLES, *options, "--out", b)
    message = refusal("merge", a, b, "--out", tmp_path / "m")
    assert "sampled with different --random-state" in message
    succeed("fit", tmp_path / "b.csv", *ROLES, "--row-sample", 3, "--out", tmp_path / "m")
    first, second = kinspan.load(tmp_path / "m").sample_, kinspan.load(b).sample
    np.testing.assert_array_equal(np.sort(first.rows, axis=0), np.sort(second.rows, axis=0))
