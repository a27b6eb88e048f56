"""Encodings, decimal commas and thousands: text files are read as they were meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kinspan
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
