"""Files that a stranger made: right checksums over wrong contents, and odd places to write to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinspan
from kinspan import StoredDataError
from kinspan._saving import model_file
from kinspan._storage import container
from tests._memory.test_streaming import assert_same, fitted, rows


def test_links_are_followed_and_pipes_written_to(tmp_path: Path) -> None:
    X, y, task = rows()
    clf = fitted(X, y, task)
    (tmp_path / "link").symlink_to(tmp_path / "real.kinspan")
    kinspan.save(clf, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert_same(kinspan.load(tmp_path / "real.kinspan"), clf)
    kinspan.save(clf, tmp_path / ("x" * 250))
    kinspan.save(clf, os.devnull)
    assert not Path(os.devnull).is_file()
    for place in (tmp_path, tmp_path / "none" / "m"):
        with pytest.raises(OSError, match=str(tmp_path)):
            kinspan.save(clf, place)


def test_what_is_saved_can_be_read_whatever_parameters_were_set_since() -> None:
    X, y, task = rows()
    with pytest.raises(ValueError, match="forget"):
        model_file.to_bytes(fitted(X, y, task).set_params(forget=7))
    clf = fitted(X, y, task).set_params(priors="nonsense")
    again = model_file.from_bytes(model_file.to_bytes(clf))
    assert again.priors is None  # as it was when rows were learnt
    assert_same(again, fitted(X, y, task))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("rules/scale", lambda a: a[:-1]),
        ("rules/scale", lambda a: a * 0),
        ("rules/weights_of_task", lambda a: a + 9),
        ("rules/weights/0/0/left", lambda a: a[:-1]),
        ("rules/learning/own", lambda a: a[:-1]),
        ("rules/forecast_error", lambda a: a - 5),
        ("rules/metric", lambda a: a * np.nan),
        ("statistics/sample/weights", lambda a: -a),
        ("statistics/sample/cells", lambda a: a + 1000),
        ("statistics/sample/rows", lambda a: a[:, :-1]),
        ("statistics/moments/means", lambda a: a * np.inf),
    ],
)
def test_forged_arrays_are_refused(name: str, change: Any) -> None:
    X, y, task = rows()
    kind, record = container.unpack(model_file.to_bytes(fitted(X, y, task)), "model")
    with np.errstate(invalid="ignore"):
        arrays = {**record.arrays, name: change(record.arrays[name])}
    forged = container.pack(container.Contents(kind, record._replace(arrays=arrays)))
    with pytest.raises(StoredDataError):
        model_file.from_bytes(forged)


@pytest.mark.parametrize(
    "changed",
    [
        {"feature_names_in": "x" * 12},
        {"feature_names_in": ["x"] * 12},
        {"n_features_in": 11},
        {"declared": {"dtype": "<U1", "values": ["q"]}},
        {"parameters": {"priors": "nonsense"}},
        {"parameters": {"n_components": "x"}},
        {"parameters": {"what": 1}},
    ],
)
def test_forged_values_are_refused(changed: dict[str, Any]) -> None:
    X, y, task = rows()
    kind, record = container.unpack(model_file.to_bytes(fitted(X, y, task)), "model")
    meta = {**record.meta, **changed}
    forged = container.pack(container.Contents(kind, record._replace(meta=meta)))
    with pytest.raises(StoredDataError):
        model_file.from_bytes(forged)
