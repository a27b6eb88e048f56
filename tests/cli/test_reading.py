"""Encodings, decimal commas, thousands and strays: text files are read as they were meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kinspan
from kinspan.tables import strays
from tests.cli.running import refusal, succeed
from tests.engines.stored_worlds import assert_same_model

ROLES = ("--task", "ort", "--label", "ja")


def world(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    ja = rng.integers(0, 2, n)
    return pd.DataFrame(
        {
            "größe": np.round(rng.normal(size=n) + ja, 3),
            "menge": np.round(5000 * rng.random(n) ** 2 + 100 * ja, 1),
            "ort": np.array(["Köln", "Zürich", "Łódź"])[rng.integers(0, 3, n)],
            "ja": ja,
        }
    )


def stored(frame: pd.DataFrame, number: Callable[[float], str], mark: str) -> bytes:
    """The frame as text, its numbers written by a function."""
    shown = frame.assign(**{name: frame[name].map(number) for name in ("größe", "menge")})
    return shown.to_csv(index=False, sep=mark).encode()


def fit(data: Path, *options: str) -> kinspan.MultiTaskSPCA:
    succeed("fit", data, *ROLES, *options, "--out", data.parent / "m.kinspan")
    model: kinspan.MultiTaskSPCA = kinspan.load(data.parent / "m.kinspan")
    return model


def german(value: float) -> str:
    return f"{value:,.3f}".translate(str.maketrans(",.", ".,"))


WAYS = [
    (lambda v: f"{v:.3f}".replace(".", ","), ";", ("--decimal", ",")),
    (lambda v: f"{v:.3f}".replace(".", ","), ",", ("--decimal", ",")),  # in quotes
    (german, ";", ("--decimal", ",", "--thousands", ".")),
    (lambda v: f"{v:,.3f}", ",", ("--thousands", ",")),
    (lambda v: f"{v:,.3f}".replace(",", "'"), "\t", ("--thousands", "'")),
    (lambda v: f"{v:+,.3f}".replace(",", "\u00a0"), ";", ("--thousands", " ")),
]


@pytest.mark.parametrize(("number", "mark", "options"), WAYS)
def test_numbers_may_be_written_in_any_way(
    number: Callable[[float], str], mark: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    frame = world()
    frame.to_csv(tmp_path / "plain.csv", index=False)
    (tmp_path / "a.csv").write_bytes(stored(frame, number, mark))
    expected = fit(tmp_path / "plain.csv")
    assert_same_model(fit(tmp_path / "a.csv", "--delimiter", mark, *options), expected)
    expected_rows = pd.read_csv(tmp_path / "plain.csv")
    for more in ((), ("--delimiter", mark, *options)):  # a model remembers, and may be told
        succeed(
            "predict",
            tmp_path / "m.kinspan",
            tmp_path / "a.csv",
            *more,
            "--out",
            tmp_path / "s.csv",
        )
        scored = pd.read_csv(tmp_path / "s.csv", dtype=str, sep=mark)
        assert scored["größe"].tolist() == frame["größe"].map(number).tolist()  # as written
        clf = kinspan.load(tmp_path / "m.kinspan")
        found = clf.predict(expected_rows[["größe", "menge"]], task=expected_rows["ort"])
        assert scored["predicted"].tolist() == [str(label) for label in found]


@pytest.mark.parametrize("encoding", ["iso8859-2", "windows-1250", "utf-16", "utf-16-le", "utf-8"])
def test_encodings_that_are_named(encoding: str, tmp_path: Path) -> None:
    frame = world()
    frame.to_csv(tmp_path / "plain.csv", index=False)
    text = (tmp_path / "plain.csv").read_text(encoding="utf-8")
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    model = fit(tmp_path / "a.csv", "--encoding", encoding)
    assert_same_model(model, fit(tmp_path / "plain.csv"))
    assert model.tasks_.tolist() == ["Köln", "Zürich", "Łódź"]


def test_a_column_in_another_encoding_is_named_with_the_option(tmp_path: Path) -> None:
    frame = world().assign(stadt=lambda f: f["ort"].replace("Łódź", "Genf"), ort="x", note="x")
    (tmp_path / "a.csv").write_bytes(
        frame.rename(columns={"größe": "g"}).to_csv().encode("latin-1")
    )
    options = (
        "fit",
        tmp_path / "a.csv",
        *ROLES,
        "--categorical",
        "encode",
        "--out",
        tmp_path / "m",
    )
    message = refusal(*options)
    assert (
        "column 'stadt' is not UTF-8. It may be Latin-1 or Windows-1252: use --encoding" in message
    )
    succeed(*options, "--exclude", "stadt")
    succeed(*options, "--encoding", "latin-1")


def test_other_encodings_are_refused_with_the_option(tmp_path: Path) -> None:
    text = world().to_csv(index=False)
    (tmp_path / "a.csv").write_bytes(text.encode("utf-16"))
    options = ("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    assert "use --encoding UTF-16" in refusal(*options)
    assert "--encoding klingon is not known" in refusal(*options, "--encoding", "klingon")
    message = refusal(*options, "--encoding", "ascii")
    assert "its text is not ascii" in message
    assert message.endswith("name another with --encoding")
    (tmp_path / "a.csv").write_bytes(
        text.replace("ł", "l").replace("Ł", "L").replace("ź", "z").encode("latin-1")
    )
    assert "use --encoding WINDOWS-1252" in refusal(*options)


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1250", "mac-roman"])
def test_text_in_utf8_is_not_read_as_something_else(encoding: str, tmp_path: Path) -> None:
    """Tasks of a model would not be found again, and categories would be new ones."""
    world().to_csv(tmp_path / "a.csv", index=False)
    options = ("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    message = refusal(*options, "--encoding", encoding)
    assert f"its text is UTF-8, and {encoding} is read; use --encoding UTF-8" in message
    succeed(*options, "--encoding", "UTF-8")
    plain = world().rename(columns={"größe": "g"}).assign(ort=lambda f: f["ort"].str[-2:])
    plain.replace("dź", "dz").to_csv(tmp_path / "a.csv", index=False)
    succeed(*options, "--encoding", encoding)  # ASCII is the same in all of them


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


def test_thousands_have_three_digits(tmp_path: Path) -> None:
    """A file with points for decimals is not read as if they were marks of thousands."""
    frame = world()
    frame.to_csv(tmp_path / "a.csv", index=False, sep=";")
    options = ("--delimiter", ";", "--decimal", ",", "--thousands", ".", "--out", tmp_path / "m")
    assert "'größe'" in refusal("fit", tmp_path / "a.csv", *ROLES, *options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--decimal", "x"), "--decimal"),
        (("--thousands", "ab"), "--thousands"),
        (("--thousands", "."), "--decimal"),
        (("--thousands", ",", "--decimal", ","), "both"),
    ],
)
def test_marks_that_contradict_each_other(options: tuple[str, ...], said: str) -> None:
    assert said in refusal("fit", "a.csv", *ROLES, *options)


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


def test_lines_above_the_names_of_columns_are_shown(tmp_path: Path) -> None:
    table = world().to_csv(index=False, sep=";")
    (tmp_path / "a.csv").write_text("Export of May\n\n" + table)
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--delimiter", ";")
    assert "Does the first line name the columns? It is 'Export of May'" in message
    (tmp_path / "a.csv").write_text(table)
    assert "first line" not in refusal("fit", tmp_path / "a.csv", *ROLES)


def test_marks_of_new_rows_replace_those_of_the_model(tmp_path: Path) -> None:
    """A point is no mark of thousands where it is said to be that of decimals, and so on."""
    frame, data = world(), tmp_path / "a.csv"
    data.write_bytes(stored(frame, german, ";"))
    fit(data, "--delimiter", ";", "--decimal", ",", "--thousands", ".")
    model, new, scored = (tmp_path / name for name in ("m.kinspan", "new.csv", "s.csv"))
    succeed("predict", model, data, "--out", scored)
    expected = pd.read_csv(scored, sep=";", decimal=",")["p_1"]
    plain = ("--delimiter", ";", "--decimal", ".")
    for number, marks in (
        (lambda v: f"{v:.3f}", ()),
        (lambda v: f"{v:,.3f}", ("--thousands", ",")),
    ):
        new.write_bytes(stored(frame, number, ";"))
        succeed("predict", model, new, *plain, *marks, "--out", scored)
        np.testing.assert_allclose(pd.read_csv(scored, sep=";")["p_1"], expected, rtol=1e-12)
    new.write_bytes(stored(frame, lambda v: f"{v:.4f}", ";"))
    message = refusal("predict", model, new)
    assert "300 of 300 values in 'größe' are numbers such as" in message
    assert "; read them with --decimal '.'; correct the column" in message


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
