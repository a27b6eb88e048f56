"""Dates, and true or false, in text files: strays among them are named as among numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import refusal, succeed
from tests.cli.test_reading import ROLES, fit, world
from tests.engines.stored_worlds import assert_same_model


def with_dates(strays: dict[int, tuple[str, str]], n: int) -> pd.DataFrame:
    """Text in two columns, and strays in both of some rows."""
    frame = world(n)
    frame["since"] = [f"2021-0{1 + i % 9}-{10 + i % 18}" for i in range(n)]
    frame["vip"] = np.where(frame["größe"] > 0, "true", "false")
    for row, cells in strays.items():
        frame.loc[row, ["since", "vip"]] = cells
    return frame


@pytest.mark.parametrize("n", [300, 60_000])
def test_strays_among_dates_and_truth_are_named(n: int, tmp_path: Path) -> None:
    """Near the top, where they would make text of the column, and far down."""
    data, options = tmp_path / "a.csv", ("--categorical", "encode")
    run = ("fit", data, *ROLES, *options, "--out", tmp_path / "m")
    with_dates({n - 2: ("unknown", "true")}, n).to_csv(data, index=False)
    message = refusal(*run)
    assert f"{data}: 1 of " in message
    assert "values in 'since' is not a date: 'unknown'; --missing-values 'unknown'" in message
    with_dates({n - 2: ("2021-05-05", "-")}, n).to_csv(data, index=False)
    message = refusal(*run)
    assert "neither true nor false" in message
    assert "--missing-values '-'" in message
    model: Any = fit(data, *options, "--missing-values", "-", "--missing", "mean")
    assert model.feature_names_in_.tolist() == ["größe", "menge", "since", "vip"]
    with_dates({2: ("", "NA"), 3: ("NA", "")}, 300).to_csv(data, index=False)
    table = pd.read_csv(data, keep_default_na=False)
    assert np.isnan(model.table_.transform(table)).sum(axis=0).tolist() == [0, 0, 2, 2]
    succeed("predict", tmp_path / "m.kinspan", data, "--out", tmp_path / "s.csv")
    with_dates({2: ("2021-05-05", "?")}, 300).to_csv(data, index=False)
    message = refusal("predict", tmp_path / "m.kinspan", data)
    assert "1 of 300 values in 'vip' is neither true nor false: '?'" in message
    with_dates({2: ("soon", "true")}, 300).to_csv(data, index=False)
    message = refusal("predict", tmp_path / "m.kinspan", data)
    assert "1 of 300 values in 'since' is not a date: 'soon'" in message


@pytest.mark.parametrize(
    "text",
    [
        *("%d.%m.%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d %H:%M"),
        *("%d.%m.%y", "%m/%d/%y", "%d-%b-%Y", "%d %B %Y", "%d-%b-%y", "%b %d, %Y"),
    ],
)
def test_dates_in_another_notation_are_recognised(text: str, tmp_path: Path) -> None:
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(300), unit="D")
    world().assign(since=days.strftime(text)).to_csv(tmp_path / "a.csv", index=False)
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--categorical", "encode")
    assert f"300 of 300 values in 'since' are dates such as '{days[0].strftime(text)}'; " in message
    assert "write them as 2024-05-01, or --as-text since" in message


def test_versions_and_codes_are_no_dates(tmp_path: Path) -> None:
    frame = world().assign(version=[f"1.{i % 9}.{i % 7}" for i in range(300)])
    frame["part"] = [f"{i % 12}-{i % 10}" for i in range(300)]
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert len(fit(tmp_path / "a.csv", "--categorical", "encode").feature_names_in_) > 60


def test_instants_with_a_zone_are_those_of_utc(tmp_path: Path) -> None:
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(300), unit="D")
    world().assign(at=days).to_csv(tmp_path / "plain.csv", index=False)
    zoned = world().assign(at=days.tz_localize("UTC").tz_convert("Europe/Berlin"))
    zoned["at"] = [instant.isoformat() for instant in zoned["at"]]
    zoned.to_csv(tmp_path / "a.csv", index=False)
    assert_same_model(fit(tmp_path / "a.csv"), fit(tmp_path / "plain.csv"))


def test_values_that_typed_files_hold_as_text_are_named(tmp_path: Path) -> None:
    """Text is text there, but nobody means hundreds of dates or numbers as categories."""
    frame, data = with_dates({}, 600), tmp_path / "a.parquet"
    frame["since"] = [str(day)[:10] for day in pd.date_range("2019-01-01", periods=600)]
    options = ("--categorical", "encode", "--out", tmp_path / "m")
    frame.to_parquet(data)
    message = refusal("fit", data, *ROLES, *options)
    assert "'since' has more than 200 categories" in message
    assert "most are dates that are stored as text: convert them" in message
    frame.assign(since=[f"{i}" for i in range(600)]).to_parquet(data)
    assert "most are numbers that are stored as text" in refusal("fit", data, *ROLES, *options)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.assign(vip=frame["vip"] == "true").to_parquet(data)
    fit(tmp_path / "a.csv", "--categorical", "encode")
    model = tmp_path / "m.kinspan"
    scored = [
        succeed("predict", model, path, "--only-answers").out for path in (tmp_path / "a.csv", data)
    ]
    assert scored[0] == scored[1]  # a model knows that these are dates
