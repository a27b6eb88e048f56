"""Scored text files have the delimiter, the decimal mark and the encoding of the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import refusal, succeed
from tests.cli.test_reading import fit, stored, world


@pytest.mark.parametrize(
    ("encoding", "mark", "decimal"),
    [("latin-1", ";", ","), ("utf-16", ",", "."), ("utf-8", "|", ",")],
)
def test_scored_files_are_written_as_the_table_is(
    encoding: str, mark: str, decimal: str, tmp_path: Path
) -> None:
    frame = world().replace("Łódź", "Genf")
    written = stored(frame, lambda v: f"{v:.3f}".replace(".", decimal), mark)
    (tmp_path / "a.csv").write_bytes(written.decode().encode(encoding))
    options = ("--delimiter", mark, "--decimal", decimal, "--encoding", encoding)
    clf = fit(tmp_path / "a.csv", *options)
    model, scored = tmp_path / "m.kinspan", tmp_path / "s.csv"
    succeed("predict", model, tmp_path / "a.csv", "--out", scored)
    found = pd.read_csv(scored, sep=mark, decimal=decimal, encoding=encoding)
    shares = clf.predict_proba(frame[["größe", "menge"]], task=frame["ort"])
    np.testing.assert_allclose(found[["p_0", "p_1"]], shares, rtol=1e-12)
    assert found["ort"].tolist() == frame["ort"].tolist()
    again = tmp_path / "again.csv"
    succeed("predict", model, scored, "--only-answers", "--out", again)  # and are read again
    assert pd.read_csv(again, sep=mark, decimal=decimal, encoding=encoding).equals(
        found[["ort", "predicted", "p_0", "p_1"]]
    )
    if encoding == "utf-8":
        rows = (tmp_path / "a.csv").read_bytes()
        piped = succeed("predict", model, "-", "--only-answers", stdin=rows)
        assert piped.out.encode() == again.read_bytes()


def test_names_that_the_encoding_does_not_have_are_named(tmp_path: Path) -> None:
    world().assign(ja=lambda f: f["ja"].map({0: "é", 1: "Ł"})).to_csv(
        tmp_path / "a.csv", index=False
    )
    fit(tmp_path / "a.csv")
    plain = world().replace({"ort": {"Łódź": "Genf"}}).drop(columns="ja")
    (tmp_path / "b.csv").write_bytes(plain.to_csv(index=False).encode("latin-1"))
    options = ("--encoding", "latin-1", "--unseen", "shared", "--out", tmp_path / "s.csv")
    message = refusal("predict", tmp_path / "m.kinspan", tmp_path / "b.csv", *options)
    assert (
        "'Ł' cannot be written in the encoding of the table, latin-1; write a .parquet" in message
    )
    assert not (tmp_path / "s.csv").exists()
