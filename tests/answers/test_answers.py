"""Answers of a fitted model: each is compared with its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan._validation import fitted
from kinspan.answers.who_helps import gains, shares
from kinspan.datasets import load_digit_pairs
from tests.worlds import random_world


def related_world(seed: int, n_per_class: int = 15, n_tasks: int = 6, p: int = 30) -> Any:
    """Binary tasks with one direction; the last has it reversed."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=p) / np.sqrt(p)
    y, task = np.tile([0, 1], n_per_class * n_tasks), np.repeat(np.arange(n_tasks), 2 * n_per_class)
    sign = np.where(task == n_tasks - 1, -1.0, 1.0) * np.where(y == 1, 1.0, -1.0)
    return rng.normal(size=(len(y), p)) + 1.2 * sign[:, None] * direction, y, task


def test_a_class_that_a_task_never_answers_is_pointed_out() -> None:
    """Its forecast is small, and knows nothing of the rows that are always wrong."""
    X, y, task = random_world(0, n_classes=3)
    said = "Tasks without labels of some class: 1 of 4. They never answer it"
    lacking = (task != 1) | (y != np.unique(y)[2])
    for known, expected in ((lacking, True), (np.full(len(y), True), False)):
        clf = MultiTaskSPCA().fit(X[known], y[known], task=task[known])
        assert (said in repr(clf.forecast())) == expected
        assert "never answer it" not in repr(clf.forecast(2))
        assert ("never answer it" in repr(clf.forecast(1))) == expected
    shared = MultiTaskSPCA(unseen_classes="share").fit(X[lacking], y[lacking], task=task[lacking])
    assert "never answer it" not in repr(shared.forecast())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_task_left_out_was_never_there(n_classes: int) -> None:
    X, y, task = random_world(0, n_classes=n_classes)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    coef = clf.coef_.copy()
    answer = clf.leave_out(2)
    rest = MultiTaskSPCA().fit(X[task != 2], y[task != 2], task=task[task != 2])
    assert answer.tasks.tolist() == [0, 1, 3]
    np.testing.assert_allclose(answer.forecast_error, rest.forecast_error_, rtol=1e-9)
    np.testing.assert_allclose(answer.forecast_interval, rest.forecast_interval_, rtol=1e-9)
    others = np.array([0, 1, 3])
    sizes = np.abs(list(shares(clf, others)))
    sizes[np.arange(3), others] = 0.0
    before, after = clf._rules.expected.saved.of(others), rest._rules.expected.saved
    expected = before.lost(after, sizes[:, 2] / sizes.sum(axis=1))
    np.testing.assert_allclose(answer.change, expected, atol=1e-12)
    np.testing.assert_array_equal(clf.coef_, coef)  # nothing was changed


def test_gains_are_those_of_leaving_out() -> None:
    X, y, task = related_world(0)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    answer = clf.explain_transfer(1)
    assert sorted(answer.tasks) == [0, 2, 3, 4, 5]
    assert np.all(np.diff(answer.gain) <= 0)
    for other, gain in zip(answer.tasks, answer.gain, strict=True):
        left = clf.leave_out(other)
        assert gain == pytest.approx(left.change[left.tasks.tolist().index(1)], abs=1e-12)
    places = [clf.tasks_.tolist().index(other) for other in answer.tasks]
    np.testing.assert_allclose(answer.relatedness, clf.relatedness_[1, places])
    assert len(clf.explain_transfer(1, most=2).tasks) == 2


def test_a_task_that_tells_others_of_their_error_does_not_help_their_rules() -> None:
    """With every task alone nobody helps, although the error of one says what others may have."""
    X, y, task = related_world(0)
    clf = MultiTaskSPCA(labels="single", metric=0, scale=None).fit(X, y, task=task)
    answer = clf.leave_out(2)
    others = clf.forecast_error_[clf.tasks_ != 2]
    assert abs(answer.forecast_error - others).max() > 1e-4
    np.testing.assert_allclose(answer.change, 0.0, atol=2e-3)


@pytest.mark.long
def test_a_reversed_task_helps_with_its_sign() -> None:
    """Mean over worlds of its gain is positive, and its relatedness negative."""
    gains = []
    for seed in range(20):  # measured: +.010 with a standard error of .004 over 30 worlds
        X, y, task = related_world(seed, n_tasks=3)
        answer = MultiTaskSPCA().fit(X, y, task=task).explain_transfer(0)
        place = answer.tasks.index(2)
        gains.append(answer.gain[place])
        assert answer.relatedness[place] < 0 < answer.relatedness[1 - place]
    assert np.mean(gains) > 0


def test_a_single_task_has_no_helpers() -> None:
    X, y, _ = random_world(1)
    clf = MultiTaskSPCA().fit(X, y)
    answer = clf.explain_transfer(0)
    assert answer.tasks == []
    assert "alone" in repr(answer)
    with pytest.raises(ValueError, match="task 0 is the only one"):
        clf.leave_out(0)
    assert clf.tasks_.tolist() == [0]


def test_curves_fall_and_the_number_of_labels_is_the_smallest() -> None:
    X, y, task = related_world(3)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    curve = clf.learning_curve(0, np.arange(200))
    assert np.all(np.diff(curve) <= 1e-12)
    wanted = float(curve[40] + curve[41]) / 2
    answer = clf.labels_needed(0, wanted)
    assert answer.more_per_class == 41
    assert answer.expected_error == pytest.approx(curve[41])
    assert answer.present_error == pytest.approx(curve[0])
    low, high = answer.lowest_limit, answer.highest_limit
    assert low < answer.limit < high
    for wanted, verdict in ((0.99 * low, "out of reach"), (1.01 * low, "uncertain")):
        beyond = clf.labels_needed(0, wanted)
        assert beyond.more_per_class is None
        assert beyond.verdict == verdict
    assert "cannot be said whether" in repr(beyond)
    assert "out of reach" in repr(clf.labels_needed(0, 0.99 * low))
    assert clf.labels_needed(0, float(curve[0]) + 0.01).more_per_class == 0


def test_curves_begin_at_the_forecast() -> None:
    """Also those of a new task, and of one that lacks a class."""
    X, y, task = random_world(1, n_classes=3)
    kept = ~((task == 1) & (y == 0))
    clf = MultiTaskSPCA().fit(X[kept], y[kept], task=task[kept]).add_task(9)
    for t, name in enumerate(clf.tasks_.tolist()):
        assert clf.learning_curve(name, [0])[0] == pytest.approx(clf.forecast_error_[t], rel=1e-14)
        assert clf.labels_needed(name, 0.2).present_error == clf.learning_curve(name, [0])[0]


def test_without_signal_nothing_is_promised() -> None:
    """An interval that contains guessing: it is said how many labels would tell, and no more."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 500)), np.repeat([0, 1], 10)
    answer = MultiTaskSPCA().fit(X, y).labels_needed(0, 0.1)
    assert answer.verdict == "no signal"
    assert answer.more_per_class is None
    assert answer.would_tell is not None
    assert answer.would_tell > 0
    assert f"about {answer.would_tell} more labels per class would tell" in repr(answer)


def test_a_number_of_labels_is_not_a_guess_about_millions() -> None:
    """A little above the limit of a curve: so many labels as it takes were never seen."""
    X, y, task = random_world(1, n_classes=2)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    limit = clf.labels_needed(0, 1e-9).limit
    assert clf.forecast_error_[0] > limit + 1e-3
    answer = clf.labels_needed(0, limit + 1e-9)
    assert (answer.verdict, answer.more_per_class) == ("uncertain", None)
    most = 1000 * int(clf.moments_.counts[0].max())
    with_most, half = clf.learning_curve(0, [most, most // 2])
    assert clf.labels_needed(0, (with_most + half) / 2).more_per_class is not None
    assert clf.labels_needed(0, (with_most + limit) / 2).more_per_class is None


def test_luck_has_not_reached_an_error() -> None:
    """Rows of noise that seem to be told apart: the interval still contains guessing."""
    verdicts = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        clf = MultiTaskSPCA().fit(rng.normal(size=(20, 20)), np.repeat([0, 1], 10))
        by_luck = clf.forecast_error_[0] < 0.45 and clf.forecast_interval_[0, 1] >= 0.5
        verdicts += [clf.labels_needed(0, 0.45).verdict] if by_luck else []
        assert clf.labels_needed(0, 0.95).verdict == "reached"
    assert verdicts
    assert set(verdicts) == {"no signal"}


@pytest.mark.long
def test_more_labels_bring_the_predicted_error() -> None:
    """Twelve tasks go from 10 labels per class to 60; means over tasks and worlds."""
    predicted, actual = [], []
    for seed in range(6):
        X, y, task = related_world(seed, n_per_class=60, n_tasks=12)
        few = np.concatenate(
            [np.flatnonzero(task == t)[: 20 if t == 0 else 120] for t in range(12)]
        )
        clf = MultiTaskSPCA().fit(X[few], y[few], task=task[few])
        predicted.append(clf.learning_curve(0, [50])[0])
        more = MultiTaskSPCA().fit(X, y, task=task)
        actual.append(more.forecast_error_[0])
    difference = np.array(predicted) - np.array(actual)
    assert abs(difference.mean()) < 0.02 + 4 * difference.std() / np.sqrt(len(difference))


def test_bad_questions_are_refused_by_name() -> None:
    X, y, task = random_world(5)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    for ask in (clf.explain_transfer, clf.leave_out, clf.remove_task):
        with pytest.raises(ValueError, match="task='x' is not fitted; fitted tasks are 0, 1, 2, 3"):
            ask("x")
    with pytest.raises(ValueError, match="wanted=0; use a rate above 0"):
        clf.labels_needed(0, 0)
    with pytest.raises(ValueError, match=r"more=\[-1\]; use numbers of labels"):
        clf.learning_curve(0, [-1])
    with pytest.raises(ValueError, match="most=0; use a whole number"):
        clf.explain_transfer(0, most=0)


def test_answers_name_a_task_of_tasks_like_one_that_was_typed() -> None:
    X, y, task = related_world(0)
    clf = MultiTaskSPCA().fit(X, y, task=np.array(list("abcdef"))[task])
    for ask in (clf.explain_transfer, clf.leave_out, lambda name: clf.labels_needed(name, 0.2)):
        shown = repr(ask(clf.tasks_[0]))
        assert shown == repr(ask("a"))
        assert "np.str_" not in shown


@pytest.mark.long
def test_single_gains_do_not_contradict_what_all_others_save() -> None:
    """Of 45 tasks that the others help, 33 once had bars that said that each of them costs."""
    digits = load_digit_pairs(n_per_class=5)
    clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    gain = np.nan_to_num(gains(clf, np.arange(45)))
    helped = clf.single_task_error_ > clf.forecast_error_
    assert not (helped & (gain.max(axis=1) <= 0)).any()
    assert not (~helped & (gain.min(axis=1) >= 0)).any()
    assert np.abs(gain).sum(axis=1).max() < 0.02  # once .8 points for 42 tasks of 44


def test_arrays_of_very_many_tasks_are_refused_with_their_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y, task = random_world(0)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    size = 8 * (len(clf.tasks_) * len(clf.classes_)) ** 2
    monkeypatch.setattr(fitted, "_MOST_BYTES", size)
    assert clf.labels_.size
    monkeypatch.setattr(fitted, "_MOST_BYTES", size - 1)
    with pytest.raises(MemoryError, match=r"labels_ of 4 tasks would take .* GB; coef_ does"):
        clf.labels_
    monkeypatch.setattr(fitted, "_MOST_BYTES", 1)
    with pytest.raises(MemoryError, match="relatedness_"):
        clf.relatedness_
