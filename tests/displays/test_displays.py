"""Pictures: what they show, not how many pixels it takes."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from scipy.stats import norm
from sklearn.exceptions import NotFittedError

from kinspan import MultiTaskSPCA, task_report
from kinspan.datasets import gaussian_mixture, load_digit_pairs, related_means
from kinspan.displays import (
    ForecastDisplay,
    LearningCurveForecastDisplay,
    RelatednessDisplay,
    ScoreDistributionDisplay,
    SpectrumDisplay,
    TransferDisplay,
)
from kinspan.displays.relatedness import similar_side_by_side

mpl.use("Agg")
from matplotlib import pyplot as plt  # after the backend is chosen


@pytest.fixture(scope="module")
def digits() -> Any:
    return load_digit_pairs(n_per_class=5)


@pytest.fixture(scope="module")
def clf(digits: Any) -> MultiTaskSPCA:
    return MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)


def test_pictures_go_on_the_axes_that_are_given(clf: MultiTaskSPCA, digits: Any) -> None:
    of = digits.task_test == "3 vs 8"
    rows = digits.X_test[of], digits.y_test[of]
    for draw in (
        RelatednessDisplay.from_estimator,
        ForecastDisplay.from_estimator,
        LearningCurveForecastDisplay.from_estimator,
        SpectrumDisplay.from_estimator,
        lambda e, ax: TransferDisplay.from_estimator(e, "3 vs 8", most=2, ax=ax),
        lambda e, ax: ScoreDistributionDisplay.from_estimator(e, *rows, task="3 vs 8", ax=ax),
    ):
        ax = plt.subplots()[1]
        display = draw(clf, ax=ax)
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        assert ax.get_xlabel()
        assert ax.get_ylabel() or isinstance(display, TransferDisplay)
        again = display.plot()
        assert again.ax_ is not ax


def test_a_model_that_is_not_fitted_has_no_picture() -> None:
    for display in (RelatednessDisplay, ForecastDisplay, SpectrumDisplay):
        with pytest.raises(NotFittedError):
            display.from_estimator(MultiTaskSPCA())


def test_the_map_has_every_task_once_with_its_own_values(clf: MultiTaskSPCA) -> None:
    display = RelatednessDisplay.from_estimator(clf)
    shown = np.asarray(display.image_.get_array())
    assert sorted(display.order_) == list(range(45))
    np.testing.assert_array_equal(shown, clf.relatedness_[np.ix_(display.order_, display.order_)])
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == [str(clf.tasks_[t]) for t in display.order_]


def test_similar_tasks_are_neighbours() -> None:
    rng = np.random.default_rng(0)
    group = rng.permutation(np.repeat(np.arange(4), 6))
    order = similar_side_by_side(np.where(group[:, None] == group, 0.9, 0.0))
    assert (np.diff(group[order]) != 0).sum() == 3


def test_forecasts_are_drawn_from_the_largest_down(clf: MultiTaskSPCA, digits: Any) -> None:
    display = ForecastDisplay.from_estimator(
        clf, digits.X_test, digits.y_test, task=digits.task_test, most=7
    )
    assert len(display.shown_) == 7
    drawn = {line.get_label(): line for line in display.ax_.get_lines()}
    forecast = np.asarray(drawn["forecast"].get_xdata())
    np.testing.assert_array_equal(forecast, np.sort(clf.forecast_error_)[::-1][:7])
    top = display.shown_[0]
    assert drawn["forecast"].get_ydata()[0] == 6
    answers = clf.predict(digits.X_test, task=digits.task_test)
    report = task_report(digits.y_test, answers, digits.task_test)
    actual = np.asarray(drawn["actual, on test rows"].get_xdata())[0]
    assert actual == pytest.approx(report.balanced_error_rate[top])
    with pytest.raises(ValueError, match="most=0"):
        display.plot(most=0)


def test_actual_errors_are_weighted_like_the_forecasts(digits: Any) -> None:
    """With unequal numbers of test rows the plain error is another quantity than the forecast."""
    test = digits.task_test == "3 vs 8"
    X, y = digits.X_test[test], digits.y_test[test].copy()
    y[np.flatnonzero(y == 0)[:5]] = 1  # errors of one class
    rows = np.concatenate([np.repeat(np.flatnonzero(y == 0), 5), np.flatnonzero(y == 1)])
    for priors, share in ((None, [0.5, 0.5]), ([0.9, 0.1], [0.9, 0.1])):
        clf = MultiTaskSPCA(priors=priors).fit(digits.X, digits.y, task=digits.task)
        display = ForecastDisplay.from_estimator(clf, X[rows], y[rows], task="3 vs 8")
        wrong = clf.predict(X, task="3 vs 8") != y
        expected = np.array([wrong[y == c].mean() for c in (0, 1)]) @ share
        of_task = clf.tasks_ == "3 vs 8"
        assert display.actual is not None
        assert display.actual[of_task] == pytest.approx(expected)
        assert np.isnan(display.actual[~of_task]).all()
    with pytest.raises(ValueError, match="label 7 is not a class of the model"):
        ForecastDisplay.from_estimator(clf, X, np.where(y == 0, 7, y), task="3 vs 8")


def test_bars_are_the_gains_with_the_largest_on_top(clf: MultiTaskSPCA) -> None:
    display = TransferDisplay.from_estimator(clf, "3 vs 8", most=4)
    widths = [bar.get_width() for bar in display.bars_]
    np.testing.assert_allclose(widths[::-1], 100 * display.explanation.gain)
    assert display.ax_.get_yticklabels()[-1].get_text() == str(display.explanation.tasks[0])


def test_curves_begin_at_the_labels_that_are_there(clf: MultiTaskSPCA) -> None:
    display = LearningCurveForecastDisplay.from_estimator(clf, ["3 vs 8", "0 vs 1"], most=100)
    for task, line in zip(display.tasks, display.lines_, strict=True):
        labels, errors = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        assert labels[0] == 5
        assert labels[-1] == 105
        np.testing.assert_array_equal(errors, clf.learning_curve(task, labels - 5))
    ranked = LearningCurveForecastDisplay.from_estimator(clf, ["3 vs 8"], most=9, score="roc_auc")
    more = np.asarray(ranked.lines_[0].get_xdata()) - 5
    expected = clf.learning_curve("3 vs 8", more, score="roc_auc")
    np.testing.assert_array_equal(ranked.lines_[0].get_ydata(), expected)
    assert ranked.ax_.get_ylabel() == "forecast AUC"
    assert LearningCurveForecastDisplay.from_estimator(clf, "3 vs 8").tasks == ["3 vs 8"]
    worst = LearningCurveForecastDisplay.from_estimator(clf).tasks
    assert worst[0] == clf.tasks_[clf.forecast_error_.argmax()]


def test_shared_directions_stand_out_of_the_bulk() -> None:
    related = np.r_[np.full(60, 0.8), np.zeros(60)]
    world = gaussian_mixture(related_means(related, 400), 20, random_state=0)
    clf = MultiTaskSPCA().fit(world.X, world.y, task=world.task)
    display = SpectrumDisplay.from_estimator(clf)
    assert display.n_spikes_ == 1
    assert display.edge_ == pytest.approx((1 + np.sqrt(120 / 400)) ** 2)
    one = MultiTaskSPCA().fit(world.X[world.task == 0], world.y[world.task == 0])
    with pytest.raises(ValueError, match="1 of 1 tasks"):
        SpectrumDisplay.from_estimator(one)


def test_gaussians_are_those_of_new_rows() -> None:
    """With many labels: the means and the spread of scores of rows that were never seen."""
    world = gaussian_mixture(related_means([0.9] * 5, 50), 300, random_state=0)
    clf = MultiTaskSPCA().fit(world.X, world.y, task=world.task)
    test = world.sample(4000, random_state=1)
    of = test.task == 0
    display = ScoreDistributionDisplay.from_estimator(clf, test.X[of], test.y[of], task=0)
    for j in (0, 1):
        scores = display.scores[j]
        # The distance is known as well as the error of 200 left-out rows is.
        assert display.means[j] == pytest.approx(scores.mean(), abs=0.25 * display.spread)
        assert display.spread == pytest.approx(scores.std(), rel=0.1)
    error = norm.cdf(-np.abs(display.means[1]) / display.spread)
    assert error == pytest.approx(clf.forecast_error_[0], abs=1e-9)


def test_scores_that_cannot_be_drawn_say_why(digits: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 4)), np.arange(60) % 3
    with pytest.raises(ValueError, match="3 classes"):
        ScoreDistributionDisplay.from_estimator(MultiTaskSPCA().fit(X, y), X, y)
    plain = MultiTaskSPCA(row_sample=0).fit(X, y % 2)
    with pytest.raises(ValueError, match="no sampled rows"):
        ScoreDistributionDisplay.from_estimator(plain, X, y % 2)


def test_without_matplotlib_the_way_to_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'kinspan\[plot\]'"):
        RelatednessDisplay(np.eye(2), np.arange(2)).plot()


@pytest.mark.parametrize("settings", [{"priors": [0.9, 0.1]}, {"class_weight": {0: 1.0, 1: 5.0}}])
def test_gaussians_move_with_priors_and_costs(settings: Any) -> None:
    world = gaussian_mixture(related_means([0.9] * 5, 50), 300, random_state=0)
    clf = MultiTaskSPCA(**settings).fit(world.X, world.y, task=world.task)
    test = world.sample(4000, random_state=1)
    of = test.task == 0
    display = ScoreDistributionDisplay.from_estimator(clf, test.X[of], test.y[of], task=0)
    for j in (0, 1):
        assert display.means[j] == pytest.approx(display.scores[j].mean(), abs=0.3 * display.spread)


def test_scores_of_a_task_in_a_column_and_of_rows_without_spread(digits: Any) -> None:
    shop = np.unique(digits.task, return_inverse=True)[1]
    X = np.column_stack([shop, digits.X])
    clf = MultiTaskSPCA(task_column=0).fit(X, digits.y)
    of = shop == 7
    display = ScoreDistributionDisplay.from_estimator(clf, X[of], digits.y[of])
    assert display.task == 7
    with pytest.raises(ValueError, match="rows of 45 tasks"):
        ScoreDistributionDisplay.from_estimator(clf, X, digits.y)
    rows = np.eye(4)
    alone = MultiTaskSPCA().fit(rows, [0, 1, 0, 1], task=[0, 0, 1, 1])
    flat = ScoreDistributionDisplay.from_estimator(alone, rows[:2], [0, 1], task=0)
    assert flat.spread == 0
    assert not any("expected" in str(line.get_label()) for line in flat.ax_.get_lines())


def test_the_histogram_of_the_bulk_is_a_density() -> None:
    rng = np.random.default_rng(0)
    for values in (rng.uniform(0.001, 1.5, 300), np.r_[rng.uniform(0.2, 1.5, 300), 40.0, 90.0]):
        display = SpectrumDisplay(np.sort(values)[::-1], 0.2).plot()
        height, edges, _ = display.ax_.patches[0].get_data()
        inside = np.mean(values <= display.edge_)
        assert (height * np.diff(edges)).sum() == pytest.approx(inside)


def test_what_is_drawn_later_is_seen_next_to_a_curve(clf: MultiTaskSPCA) -> None:
    """A second display, or points of one's own, on the same axes; errors begin at zero."""
    first = LearningCurveForecastDisplay(["a"], np.array([[10.0, 30.0]]), np.array([[0.2, 0.1]]))
    ax = first.plot().ax_
    LearningCurveForecastDisplay(["b"], np.array([[10.0, 30.0]]), np.array([[0.4, 0.3]])).plot(ax)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 0.4
    ax.plot([10], [0.7], "x")
    ax.figure.canvas.draw()
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 0.7
    labels = [label.get_text() for label in ax.get_xticklabels(which="both")]
    assert {"10", "20"} <= set(labels)
    assert not any("times" in label for label in labels)
