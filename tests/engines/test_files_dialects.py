"""Text files in other encodings and notations give the statistics of the plain ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.engines import files
from kinspan.engines.files._checkpoint import asked_for
from kinspan.tables.dialect import check_dialect
from kinspan.tables.request import check_request

pytest.importorskip("pyarrow")

NAMED: dict[str, Any] = {"task": "ort", "label": "ja"}
SAID: dict[str, Any] = {"delimiter": ";", "encoding": "windows-1252", "decimal": ","}


def written(folder: Path) -> tuple[Path, Path]:
    """The same rows twice: as most programs write them, and as some in Europe do."""
    rng = np.random.default_rng(0)
    rows = [
        f"{a:.6f};{b:.6f};{('Köln', 'Zürich')[i % 2]};{i % 4 // 2}"
        for i, (a, b) in enumerate(rng.normal(size=(80, 2)).tolist())
    ]
    text = "\n".join(["größe;gewicht;ort;ja", *rows, ""])
    plain, other = folder / "plain.csv", folder / "other.csv"
    plain.write_text(text.replace(";", ","), encoding="utf-8")
    other.write_bytes(text.replace(".", ",").encode("windows-1252"))
    return plain, other


def test_a_fit_and_its_answers_are_those_of_the_plain_file(tmp_path: Path) -> None:
    plain, other = written(tmp_path)
    expected = files.fit(MultiTaskSPCA(), plain, **NAMED)
    clf = files.fit(MultiTaskSPCA(), other, **NAMED, **SAID)
    assert clf.feature_names_in_.tolist() == ["größe", "gewicht"]
    assert clf.tasks_.tolist() == ["Köln", "Zürich"]
    np.testing.assert_array_equal(clf.coef_, expected.coef_)
    answers = [
        np.concatenate([part.values for part in found])
        for found in (
            files.predict(clf, other, task="ort", **SAID),
            files.predict(expected, plain, task="ort"),
        )
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    batch = next(files.batches(other, **NAMED, **SAID))
    assert batch.X.shape == (80, 2)


def test_a_checkpoint_of_another_notation_is_refused(tmp_path: Path) -> None:
    _, other = written(tmp_path)
    asked = []
    for decimal in (",", "."):
        dialect = check_dialect(";", "windows-1252", decimal)
        request = check_request("ort", "ja", None, None, (), dialect, None)
        asked.append(asked_for(request, [other]))
    assert asked[0] != asked[1]


def test_what_cannot_be_read_so_names_the_argument(tmp_path: Path) -> None:
    plain, other = written(tmp_path)
    for said, message in (
        ({"encoding": "klingon"}, "encoding='klingon' is not known; use a name such as 'latin-1'"),
        ({"encoding": 8}, "encoding=8 is not known"),
        ({"decimal": "·"}, "decimal='·'; use '.' or ','"),
        ({"delimiter": ""}, "delimiter=''; use one character"),
    ):
        with pytest.raises(ValueError, match=message):
            files.statistics(plain, **NAMED, **said)
    with pytest.raises(files.FileError, match="use encoding='WINDOWS-1252'"):
        files.statistics(other, **NAMED, delimiter=";", decimal=",")
