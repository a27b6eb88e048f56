"""Columns of numbers with strays: refused with the cells that are none, and the way out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kinspan.tables import strays
from tests.cli.running import refusal, succeed
from tests.cli.test_reading import ROLES, fit, german, stored, world


def numbers_with(strays: dict[int, str], n: int = 3000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"tickets": rng.poisson(9, n).astype(str), "seats": rng.normal(size=n)})
    for row, stray in strays.items():
        frame.loc[row, "tickets"] = stray
    frame["ort"], frame["ja"] = np.arange(n) % 3, rng.integers(0, 2, n)
    return frame


@pytest.mark.parametrize("more", [(), ("--categorical", "encode")])
def test_a_stray_does_not_make_categories_of_numbers(more: tuple[str, ...], tmp_path: Path) -> None:
    data = tmp_path / "a.csv"
    numbers_with({1234: "?"}).to_csv(data, index=False)
    options = ("fit", data, *ROLES, *more, "--out", tmp_path / "m")
    message = refusal(*options)
    assert message.startswith(f"{data}: 1 of 3,000 values in 'tickets' is not a number: '?'; ")
    assert "--missing-values '?'" in message
    assert "--as-text tickets" in message
    options = ("--missing-values", "?", "--missing", "drop")
    model = fit(data, *more, *options)
    assert model.moments_.counts.sum() == 2999
    assert model.feature_names_in_.tolist() == ["tickets", "seats"]
    ran = succeed("predict", tmp_path / "m.kinspan", data, "--out", tmp_path / "s.csv")
    assert "1 row without an answer" in ran.err  # a model remembers what stands for nothing
    assert pd.read_csv(tmp_path / "s.csv", dtype=str)["tickets"][1234] == "?"
    data_text = numbers_with({}).to_csv(index=False)
    data.write_text(data_text)
    as_text = fit(data, "--as-text", "tickets", "--categorical", "encode")
    assert len(as_text.feature_names_in_) > 10


def test_several_strays_are_counted_and_named(tmp_path: Path) -> None:
    data = tmp_path / "a.csv"
    numbers_with({1: "?", 2: "?", 7: "n.d.", 8: "NA", 9: ""}).to_csv(data, index=False)
    message = refusal("fit", data, *ROLES, "--out", tmp_path / "m")
    assert "3 of 2,998 values in 'tickets' are not numbers: '?', 'n.d.'" in message
    assert "--missing-values '?,n.d.'" in message
    model = fit(data, "--missing-values", "?,n.d.", "--missing", "drop")
    assert model.moments_.counts.sum() == 2995


def test_strays_of_all_columns_are_named_at_once(tmp_path: Path) -> None:
    frame = numbers_with({1: "?"})
    frame["net, total"] = frame["seats"].astype(str).where(frame.index != 5, "1,5")
    frame["plan"] = frame["net, total"].where(frame.index < 900, "free")
    frame.to_csv(tmp_path / "a.csv", index=False)
    for more in ((), ("--categorical", "encode", "--exclude", "plan")):
        message = refusal("fit", tmp_path / "a.csv", *ROLES, *more, "--out", tmp_path / "m")
        assert "1 of 3,000 values in 'tickets' is not a number: '?'; 1 of 3,000" in message
        assert """--missing-values '?,"1,5"' reads such""" in message
        assert message.endswith("""--as-text 'tickets,"net, total"' makes the columns text""")
    way_out = ("--missing-values", '?,"1,5"', "--missing", "drop", "--exclude", "plan")
    assert fit(tmp_path / "a.csv", *way_out).moments_.counts.sum() == 2998


def test_numbers_that_can_be_read_in_two_ways_are_shown_in_both(tmp_path: Path) -> None:
    frame = numbers_with({}).assign(p=[f"{1000 + i:,}" for i in range(3000)])
    frame.to_csv(tmp_path / "a.csv", index=False)
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    assert "'1,000'; read them with --decimal ',' (1) or --thousands ',' (1000), or" in message
    frame.loc[7, "p"] = "0,950"  # which nobody writes with thousands
    frame.to_csv(tmp_path / "a.csv", index=False)
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    assert "'1,000'; read them with --decimal ',', or" in message


def test_a_stray_in_new_rows_is_named_too(tmp_path: Path) -> None:
    numbers_with({}).to_csv(tmp_path / "a.csv", index=False)
    fit(tmp_path / "a.csv")
    numbers_with({5: "many"}).to_csv(tmp_path / "new.csv", index=False)
    message = refusal("predict", tmp_path / "m.kinspan", tmp_path / "new.csv")
    assert "1 of 3,000 values in 'tickets' is not a number: 'many'" in message
    assert "--missing-values" in message


@pytest.mark.parametrize(
    ("number", "options"),
    [
        (german, "--decimal ','"),  # its other column has thousands too
        (lambda v: german(1e4 + abs(v)), "--decimal ',' and --thousands '.'"),
        (lambda v: f"{1e4 + abs(v):,.3f}", "--thousands ','"),
        (lambda v: f"{1e4 + abs(v):,.3f}".replace(",", " "), "--thousands ' '"),
        (lambda v: f"{1e4 + abs(v):,.3f}".replace(",", "\u202f"), "--thousands ' '"),
    ],
)
def test_numbers_in_another_way_are_recognised(
    number: Callable[[float], str], options: str, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_bytes(stored(world(), number, ","))
    for more in ((), ("--categorical", "encode")):
        message = refusal("fit", tmp_path / "a.csv", *ROLES, *more, "--out", tmp_path / "m")
        assert "300 of 300 values in 'größe' are numbers such as" in message
        way_out = f"; read them with {options}, or --as-text 'größe' makes the column text"
        assert message.endswith(way_out)


def test_text_of_which_half_is_numbers_is_text(tmp_path: Path) -> None:
    """A decision flips just below and just above its constant."""
    for n_numbers, is_number in ((150, False), (151, True)):
        frame = world()
        frame["code"] = [str(i % 7) if i < n_numbers else f"A{i % 7}" for i in range(300)]
        frame.to_csv(tmp_path / "a.csv", index=False)
        options = ("fit", tmp_path / "a.csv", *ROLES, "--categorical", "encode")
        if is_number:
            message = refusal(*options, "--out", tmp_path / "m")
            assert "149 of 300 values in 'code' are not numbers: 'A4'" in message
        else:
            succeed(*options, "--out", tmp_path / "m")


def test_a_stray_far_down_is_named_with_the_way_out(tmp_path: Path) -> None:
    rows = "".join(f"{i % 7}.123456789,{i % 3},{i % 2}\n" for i in range(80_000))
    (tmp_path / "a.csv").write_text(f"x,ort,ja\n{rows}?,1,1\n")
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    assert "'?' in column 'x' is not a number; --missing-values '?'" in message
    fit(tmp_path / "a.csv", "--missing-values", "?", "--missing", "drop")


def test_text_columns_have_the_missing_values_that_are_named(tmp_path: Path) -> None:
    frame = world().assign(farbe=["rot", "blau", "?"] * 100)
    frame.to_csv(tmp_path / "a.csv", index=False)
    model = fit(
        tmp_path / "a.csv", "--categorical", "encode", "--missing", "drop", "--missing-values", "?"
    )
    assert model.feature_names_in_.tolist() == ["größe", "menge", "farbe=blau", "farbe=rot"]
    assert model.moments_.counts.sum() == 200


def test_only_so_many_rows_of_a_refused_file_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strays, "_LOOKED_AT", 10)
    numbers_with({5: "?"}, n=200_000).to_csv(tmp_path / "a.csv", index=False)
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    assert "1 of the first " in message
    assert "values in 'tickets' is not a number: '?'" in message


@pytest.mark.parametrize(
    "text",
    ["{:.1f} %", "€{:,.2f}", "{:.0f}€", "{:.2f} kg", "{:.1f} °C", "EUR {:.2f}", "({:.1f})"],
)
def test_numbers_with_a_sign_or_a_unit_are_recognised(text: str, tmp_path: Path) -> None:
    frame = world()
    frame.assign(p=frame["menge"].map(text.format)).to_csv(tmp_path / "a.csv", index=False)
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--categorical", "encode")
    shown = text.format(frame["menge"][0])
    said = f"300 of 300 values in 'p' are numbers with a sign or a unit, such as '{shown}'; remove"
    assert said in message


@pytest.mark.parametrize("text", ["{}B", "{}th floor", "{} months", "class {}"])
def test_names_with_numbers_are_categories(text: str, tmp_path: Path) -> None:
    frame = world().assign(p=[text.format(i % 9) for i in range(300)])
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert len(fit(tmp_path / "a.csv", "--categorical", "encode").feature_names_in_) == 11


def test_times_without_a_day_are_recognised(tmp_path: Path) -> None:
    times = [f"{i % 24}:{i % 60:02d}" for i in range(300)]
    world().assign(at=times).to_csv(tmp_path / "a.csv", index=False)
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--categorical", "encode")
    assert "300 of 300 values in 'at' are times without a day, such as '0:00'; write" in message


def test_strays_that_can_be_corrected_are_named(tmp_path: Path) -> None:
    """Nobody should lose numbers and dates that are only written in another way."""
    data = tmp_path / "a.csv"
    options = ("fit", data, *ROLES, "--categorical", "encode", "--out", tmp_path / "m")
    frame = numbers_with({})
    frame["seats"] = [f"{i},5" if i < 9 else f"{v:.3f}" for i, v in enumerate(frame["seats"])]
    frame.to_csv(data, index=False)
    message = refusal(*options)
    assert "9 of 3,000 values in 'seats' are not numbers: '0,5', '1,5'" in message
    assert "'4,5', … (some are numbers such as '0,5'; write all numbers in one way); " in message
    numbers_with({4: "$12"}).to_csv(data, index=False)
    message = refusal(*options)
    assert "(some are numbers with a sign or a unit, such as '$12'; remove it); " in message
    days = pd.Series(pd.date_range("2020-01-01", periods=300).strftime("%Y-%m-%d"))
    world().assign(since=days.where(days.index % 9 > 0, "31.12.2020")).to_csv(data, index=False)
    message = refusal(*options)
    assert "(some are dates such as '31.12.2020'; write them as 2024-05-01); " in message
