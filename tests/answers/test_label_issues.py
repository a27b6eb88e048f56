"""Labels by how likely they are right: their order, their index, streams, copies and limits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, load, save
from kinspan.datasets import load_digit_pairs

DIGITS = load_digit_pairs(n_per_class=10)
WRONG = np.arange(len(DIGITS.y)) % 10 == 0
NOISY = np.where(WRONG, 1 - DIGITS.y, DIGITS.y)


@pytest.fixture(scope="module")
def model() -> MultiTaskSPCA:
    return MultiTaskSPCA().fit(DIGITS.X, NOISY, task=DIGITS.task)


def test_wrong_labels_come_first(model: MultiTaskSPCA) -> None:
    found = model.label_issues()
    assert sorted(found.index.tolist()) == list(range(len(NOISY)))
    assert (np.diff(found.label_quality) >= 0).all()
    assert ((found.label_quality >= 0) & (found.label_quality <= 1)).all()
    assert WRONG[found.index[: WRONG.sum()]].mean() > 0.9
    assert WRONG[found.index[found.is_label_issue]].mean() > 0.9
    np.testing.assert_array_equal(found.given_label, NOISY[found.index])
    np.testing.assert_array_equal(found.task, DIGITS.task[found.index])
    flagged = found.is_label_issue
    np.testing.assert_array_equal(found.predicted_label[flagged], 1 - found.given_label[flagged])
    assert found.rate == pytest.approx(0.1, abs=0.03)
    low, high = found.rate_interval
    assert low < 0.1 < high
    assert "look wrong" in repr(found)
    assert repr(found).endswith(": check some.")
    assert len(found.rates.task) == 90
    assert "90 % interval" in repr(found.rates)


def test_the_order_of_rows_changes_their_index_only(model: MultiTaskSPCA) -> None:
    order = np.random.default_rng(0).permutation(len(NOISY))
    other = MultiTaskSPCA().fit(DIGITS.X[order], NOISY[order], task=DIGITS.task[order])
    first, second = model.label_issues(), other.label_issues()
    np.testing.assert_array_equal(order[second.index], first.index)
    np.testing.assert_allclose(second.label_quality, first.label_quality, atol=1e-9)


def test_quality_of_rows_is_that_of_the_list(model: MultiTaskSPCA) -> None:
    found = model.label_issues()
    quality = model.label_quality(DIGITS.X, NOISY, task=DIGITS.task)
    np.testing.assert_array_equal(quality[found.index], found.label_quality)
    one = model.label_issues("3 vs 8")
    assert set(one.task.tolist()) == {"3 vs 8"}
    np.testing.assert_array_equal(quality[one.index], one.label_quality)


def test_rows_of_a_stream_have_keys(model: MultiTaskSPCA, tmp_path: Path) -> None:
    stream = MultiTaskSPCA()
    for part in np.array_split(np.arange(len(NOISY)), 3):
        stream.partial_fit(DIGITS.X[part], NOISY[part], task=DIGITS.task[part], classes=[0, 1])
    found, expected = stream.label_issues(), model.label_issues()
    assert (found.index == -1).all()
    assert f"key {found.key[0]:016x}" in repr(found)
    by_key = dict(zip(expected.key.tolist(), expected.label_quality.tolist(), strict=True))
    known = [by_key[key] for key in found.key.tolist()]
    np.testing.assert_allclose(found.label_quality, known, atol=1e-6)
    save(stream, tmp_path / "m.kinspan")
    loaded = load(tmp_path / "m.kinspan")
    assert (loaded.label_issues().index == -1).all()
    quality = loaded.label_quality(DIGITS.X, NOISY, task=DIGITS.task)
    np.testing.assert_allclose(quality[expected.index], expected.label_quality, atol=1e-6)


@pytest.mark.filterwarnings("ignore::kinspan.exceptions.CopiesWarning")
def test_equal_rows_are_one(model: MultiTaskSPCA) -> None:
    twice = np.repeat(np.arange(len(NOISY)), 2)
    found = MultiTaskSPCA().fit(DIGITS.X[twice], NOISY[twice], task=DIGITS.task[twice])
    issues = found.label_issues()
    assert (issues.copies == 2).all()
    assert (issues.index % 2 == 0).all()
    weighted = MultiTaskSPCA().fit(
        DIGITS.X, NOISY, task=DIGITS.task, sample_weight=np.full(len(NOISY), 2.0)
    )
    np.testing.assert_allclose(weighted.label_issues().label_quality, issues.label_quality)


def test_no_evidence_is_said() -> None:
    clean = MultiTaskSPCA().fit(DIGITS.X, DIGITS.y, task=DIGITS.task)
    found = clean.label_issues()
    assert not found.has_evidence
    assert not found.is_label_issue.any()
    assert found.rate_interval[0] == 0
    assert (found.rates.low == 0).all()
    assert found.headline().startswith("No evidence of wrong labels among 900.")


def test_rows_beyond_the_sample_are_judged_too() -> None:
    small = MultiTaskSPCA(row_sample=6).fit(DIGITS.X, NOISY, task=DIGITS.task)
    assert len(small.label_issues().index) < len(NOISY)
    quality = small.label_quality(DIGITS.X, NOISY, task=DIGITS.task)
    assert np.isfinite(quality).all()
    assert quality[WRONG].mean() < quality[~WRONG].mean() - 0.5
    test = small.label_quality(DIGITS.X_test, 1 - DIGITS.y_test, task=DIGITS.task_test)
    right = small.label_quality(DIGITS.X_test, DIGITS.y_test, task=DIGITS.task_test)
    assert test.mean() < 0.3
    assert right.mean() > 0.8


def test_what_cannot_be_judged_is_nan() -> None:
    X, y, task = DIGITS.X[:60], DIGITS.y[:60].copy(), DIGITS.task[:60]
    y[task == task[-1]] += 1  # a task of its own classes
    model = MultiTaskSPCA(unseen="shared").fit(X, y, task=task)
    other = model.label_quality(X[:1], [2], task=task[:1])
    assert np.isnan(other).all()
    assert np.isnan(model.label_quality(X[:1], y[:1], task="a new one")).all()
    with pytest.raises(ValueError, match="y contains 7, which is no class of the model"):
        model.label_quality(X[:1], [7], task=task[:1])


def test_holes_do_not_hide_rows() -> None:
    X = DIGITS.X.copy()
    X[::7, 20] = np.nan
    model = MultiTaskSPCA().fit(X, NOISY, task=DIGITS.task)
    found = model.label_issues()
    quality = model.label_quality(X, NOISY, task=DIGITS.task)
    np.testing.assert_array_equal(quality[found.index], found.label_quality)
    X[:, 3] = np.nan  # no value at all
    model = MultiTaskSPCA().fit(X, NOISY, task=DIGITS.task)
    quality = model.label_quality(X, NOISY, task=DIGITS.task)
    np.testing.assert_array_equal(
        quality[model.label_issues().index], model.label_issues().label_quality
    )


def test_a_secret_key_is_needed_again(tmp_path: Path) -> None:
    secret = MultiTaskSPCA(random_state=5).fit(DIGITS.X, NOISY, task=DIGITS.task)
    save(secret, tmp_path / "m.kinspan")
    loaded = load(tmp_path / "m.kinspan")
    loaded.label_issues()
    with pytest.raises(ValueError, match="random_state"):
        loaded.label_quality(DIGITS.X, NOISY, task=DIGITS.task)
    loaded.set_params(random_state=5).label_quality(DIGITS.X, NOISY, task=DIGITS.task)


def test_without_rows_nothing_is_judged() -> None:
    model = MultiTaskSPCA(row_sample=0).fit(DIGITS.X, NOISY, task=DIGITS.task)
    with pytest.raises(ValueError, match="row_sample=100"):
        model.label_issues()


def test_a_frame_has_the_names_that_cleanlab_uses(model: MultiTaskSPCA) -> None:
    pytest.importorskip("pandas")
    frame = model.label_issues().to_frame()
    names = {"is_label_issue", "label_quality", "given_label", "predicted_label"}
    assert names <= set(frame.columns)
    assert len(frame) == len(NOISY)


@pytest.mark.parametrize("multi_class", ["shared", "one-vs-all"])
def test_many_classes_and_priors(multi_class: str) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 800)
    task = rng.integers(0, 3, 800)
    X = 3.0 * np.eye(4, 6)[y] + rng.normal(size=(800, 6))
    wrong = rng.random(800) < 0.1
    noisy = np.where(wrong, (y + rng.integers(1, 4, 800)) % 4, y)
    model = MultiTaskSPCA(multi_class=multi_class, priors=[0.7, 0.1, 0.1, 0.1])
    found = model.fit(X, noisy, task=task).label_issues()
    assert found.has_evidence
    assert wrong[found.index[: wrong.sum()]].mean() > 0.8
    assert found.rate == pytest.approx(0.1, abs=0.04)
    flagged = found.is_label_issue & wrong[found.index]
    # Of seventy rows or so, some of which lie near a third class.
    assert (found.predicted_label[flagged] == y[found.index[flagged]]).mean() > 0.85
    quality = model.label_quality(X, noisy, task=task)
    np.testing.assert_array_equal(quality[found.index], found.label_quality)
