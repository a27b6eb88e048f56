"""Files of models and statistics: what was saved comes back, anything else is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import kinspan
from kinspan import ClassMoments, MultiTaskSPCA, Statistics, StoredDataError
from kinspan._memory.learnt import Learnt
from kinspan._saving import model_file
from kinspan._saving import rules as stored_rules
from tests._memory.test_streaming import assert_same, fitted, rows

STORED = Path(__file__).parents[1] / "stored"


def saved(model: Any, folder: Path) -> Any:
    kinspan.save(model, folder / "it.kinspan")
    return kinspan.load(folder / "it.kinspan")


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"metric": 0, "row_sample": 0},
        {"labels": "plugin", "priors": "empirical", "unseen": "shared"},
        {"priors": np.array([0.3, 0.5, 0.2]), "class_weight": {"a": 2.0, "b": 1, "c": 0.5}},
        {"multi_class": "one-vs-all", "unseen_classes": "share", "n_components": 1},
        {"forget": np.float64(0.02)},
        {"label_noise": [0.1, 0.05, 0.1]},
    ],
)
def test_models_come_back_as_they_were(settings: Any, tmp_path: Path) -> None:
    X, y, task = rows(m=3)
    clf = fitted(X, y, task, **settings)
    again = saved(clf, tmp_path)
    assert repr(again.get_params()) == repr({**clf.get_params(), **_plain(clf.get_params())})
    for ask in ("predict", "predict_proba", "decision_function", "transform"):
        expected = getattr(clf, ask)(X, task=task)
        np.testing.assert_array_equal(getattr(again, ask)(X, task=task), expected)
    for name in ("forecast_error_", "forecast_interval_", "relatedness_", "labels_", "metric_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(clf, name))
    asked = clf.learning_curve("shop 1", [0, 5]), again.learning_curve("shop 1", [0, 5])
    np.testing.assert_array_equal(*asked)
    assert str(again.explain_transfer("shop 1")) == str(clf.explain_transfer("shop 1"))
    assert model_file.to_bytes(again) == model_file.to_bytes(clf)


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters as JSON has them: lists for arrays, numbers of Python."""
    changed = {}
    for name, value in parameters.items():
        if isinstance(value, np.ndarray):
            changed[name] = value.tolist()
        elif isinstance(value, dict):
            changed[name] = {key: float(v) for key, v in value.items()}
        elif isinstance(value, np.generic):
            changed[name] = value.item()
    return changed


def test_reading_finds_no_rules_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, task = rows()
    clf = fitted(X, y, task)
    kinspan.save(clf, tmp_path / "m")
    monkeypatch.setattr(Learnt, "_find_rules", None)
    again = kinspan.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(X, task=task), clf.predict(X, task=task))


def test_rules_of_another_version_are_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, task = rows()
    clf = fitted(X, y, task)
    monkeypatch.setattr(stored_rules, "VERSION", 0)
    kinspan.save(clf, tmp_path / "m")
    monkeypatch.undo()
    again = kinspan.load(tmp_path / "m")
    assert again._learnt.found is None
    assert_same(again, clf)


def test_a_model_goes_on_learning_where_it_was(tmp_path: Path) -> None:
    X, y, task = rows()
    again = saved(MultiTaskSPCA().partial_fit(X[:150], y[:150], task=task[:150]), tmp_path)
    assert_same(again.partial_fit(X[150:], y[150:], task=task[150:]), fitted(X, y, task))
    one_class = saved(MultiTaskSPCA().partial_fit(X[:1], y[:1], task=task[:1]), tmp_path)
    assert_same(one_class.partial_fit(X[1:], y[1:], task=task[1:]), fitted(X, y, task))


def test_frames_task_columns_new_tasks_and_announced_classes_are_kept(tmp_path: Path) -> None:
    X, y, task = rows()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(12)]).assign(shop=task)
    clf = MultiTaskSPCA(task_column="shop").partial_fit(frame, y, classes=["a", "b", "z"])
    clf.add_task("new", frame[:20].assign(shop="new"))
    again = saved(clf, tmp_path)
    assert again.feature_names_in_.tolist() == frame.columns.tolist()
    assert again.classes_.tolist() == ["a", "b", "z"]
    assert_same(again, clf)
    with pytest.raises(ValueError, match="age"):
        again.predict(frame.rename(columns={"x3": "age"}))
    with pytest.raises(ValueError, match="'q'"):
        again.partial_fit(frame[:1], ["q"])


@pytest.mark.parametrize("row_sample", [0, 5])
def test_statistics_and_moments_are_files_too(row_sample: int, tmp_path: Path) -> None:
    X, y, task = rows()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(12)])
    statistics = Statistics.from_samples(frame, y, task, row_sample=row_sample)
    again = saved(statistics, tmp_path)
    assert again.feature_names == tuple(frame.columns)
    assert again.to_bytes() == statistics.to_bytes()
    assert Statistics.from_bytes(statistics.to_bytes()).to_bytes() == statistics.to_bytes()
    assert_same(MultiTaskSPCA().merge(again), MultiTaskSPCA().merge(statistics))
    moments = saved(statistics.moments, tmp_path)
    assert isinstance(moments, ClassMoments)
    assert moments.to_bytes() == statistics.moments.to_bytes()


def test_statistics_of_features_that_cannot_meet_do_not_add() -> None:
    X, y, task = rows()
    names = [f"x{i}" for i in range(12)]
    first, second, third = (
        Statistics.from_samples(pd.DataFrame(X, columns=n), y, task)
        for n in (names, [f"age{i}" for i in range(12)], [*names[:-1], "age"])
    )
    with pytest.raises(ValueError, match=r"the second 'age0', .* and none are the same"):
        first + second
    with pytest.raises(ValueError, match=r"'age' was not learnt; the features are 'x0', 'x1'"):
        first - third
    with pytest.raises(ValueError, match="'age0'"):
        MultiTaskSPCA().merge(first).merge(second)


def test_small_cells_are_withheld() -> None:
    X, y, task = rows(n=60)
    whole = Statistics.from_samples(X, y, task)
    found = whole.without_small(6)
    kept = np.array([((y == a) & (task == b)).sum() >= 6 for a, b in zip(y, task, strict=True)])
    assert 0 < kept.sum() < 60
    expected = Statistics.from_samples(X[kept], y[kept], task[kept])
    assert found.to_bytes() == expected.to_bytes()
    with pytest.raises(ValueError, match="min_count=0"):
        whole.without_small(0)


def test_only_what_can_be_stored_is() -> None:
    with pytest.raises(NotFittedError):
        model_file.to_bytes(MultiTaskSPCA())
    with pytest.raises(TypeError, match="what is of type list"):
        kinspan.save([1], "nowhere")  # type: ignore[arg-type]


def test_a_file_that_is_not_ours_names_itself(tmp_path: Path) -> None:
    X, y, task = rows()
    whole = model_file.to_bytes(fitted(X, y, task))
    path = tmp_path / "m.kinspan"
    rng = np.random.default_rng(0)
    broken = [b"", b"PK\x03\x04" + bytes(100), whole[:-1], whole[:40], whole + b"x"]
    places = rng.integers(0, len(whole), 40)
    broken += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in places]
    for data in broken:
        path.write_bytes(data)
        with pytest.raises(StoredDataError, match=r"m\.kinspan: "):
            kinspan.load(path)
    with pytest.raises(FileNotFoundError):
        kinspan.load(tmp_path / "none")


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, task = rows()
    clf, path = fitted(X, y, task), tmp_path / "m.kinspan"
    kinspan.save(clf, path)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    for step in ("fsync", "replace"):
        monkeypatch.setattr(os, step, full)
        with pytest.raises(OSError, match="No space"):
            kinspan.save(fitted(X[:300], y[:300], task[:300]), path)
        monkeypatch.undo()
        assert path.read_bytes() == before
        assert [p.name for p in tmp_path.iterdir()] == ["m.kinspan"]


def test_files_have_the_usual_mode(tmp_path: Path) -> None:
    X, y, task = rows()
    path = tmp_path / "m.kinspan"
    kinspan.save(fitted(X, y, task), path)
    (tmp_path / "plain").write_text("")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    path.chmod(0o600)
    kinspan.save(fitted(X, y, task), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", ["model", "statistics", "moments"])
def test_files_of_the_first_version_are_read_for_good(kind: str) -> None:
    stored = kinspan.load(STORED / f"first-version.{kind}")
    X, y, task = rows(n=60, m=3, k=3, p=4)
    if kind == "model":
        assert_same(stored, fitted(X, y, task, labels="spectral"))  # the default of that time
        expected = np.load(STORED / "first-version-probabilities.npy")
        np.testing.assert_allclose(stored.predict_proba(X, task=task), expected, atol=1e-12)
        return
    moments = stored.moments if kind == "statistics" else stored
    expected = ClassMoments.from_samples(X, y, task)
    np.testing.assert_allclose(moments.means, expected.means, rtol=1e-12)
    np.testing.assert_allclose(moments.squares, expected.squares, rtol=1e-9)
    if kind == "statistics":  # rows get the keys of today, and more of them can be added
        new = Statistics.from_samples(X, y, task)
        assert new.sample is not None
        np.testing.assert_array_equal(stored.sample.keys, new.sample.keys)
        np.testing.assert_array_equal((stored + new).sample.weights, 2.0)


def test_joblib_and_skops_store_models_too(tmp_path: Path) -> None:
    X, y, task = rows()
    clf = fitted(X, y, task)
    joblib.dump(clf, tmp_path / "m.joblib")
    assert_same(joblib.load(tmp_path / "m.joblib"), clf)
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    data = skops.dumps(clf)
    trusted = skops.get_untrusted_types(data=data)
    assert all(name.startswith("kinspan.") for name in trusted)
    assert_same(skops.loads(data, trusted=trusted), clf)
