"""Pictures can be read: legends cover nothing, nothing is cut off, and colours mean one thing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import kinspan.report
from kinspan import MultiTaskSPCA
from kinspan.displays import (
    ForecastDisplay,
    LearningCurveForecastDisplay,
    RelatednessDisplay,
    ScoreDistributionDisplay,
    SpectrumDisplay,
    TransferDisplay,
    _canvas,
)

mpl.use("Agg")
from matplotlib.colors import to_hex


def rows(n: int, seed: int) -> tuple[Any, Any, Any]:
    """Eight tasks that are hard: intervals are wide, and marks are everywhere."""
    rng = np.random.default_rng(seed)
    task, y = np.repeat(np.arange(8), n), np.tile([0, 1], 4 * n)
    X = rng.normal(size=(8 * n, 20))
    X[:, :2] += 0.8 * y[:, None]
    return X, y, task


@pytest.fixture(scope="module")
def clf() -> MultiTaskSPCA:
    X, y, task = rows(12, 3)
    return MultiTaskSPCA().fit(X, y, task=task)


TEST = rows(100, 4)
DRAWN: dict[str, Callable[[MultiTaskSPCA], Any]] = {
    "forecast": lambda e: ForecastDisplay.from_estimator(e, TEST[0], TEST[1], task=TEST[2]),
    "curves": lambda e: LearningCurveForecastDisplay.from_estimator(e, list(range(8))),
    "spectrum": SpectrumDisplay.from_estimator,
    "scores": lambda e: ScoreDistributionDisplay.from_estimator(e, TEST[0], TEST[1], task=0),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_legend_covers_no_part_of_the_axes_and_is_in_the_picture(
    name: str, clf: MultiTaskSPCA
) -> None:
    display = DRAWN[name](clf)
    display.figure_.canvas.draw()
    place = display.ax_.get_legend().get_window_extent()
    assert not place.padded(-1).overlaps(display.ax_.get_window_extent())
    whole = display.figure_.bbox
    assert whole.x0 <= place.x0 < place.x1 <= whole.x1
    assert whole.y0 <= place.y0 < place.y1 <= whole.y1


def test_no_interval_is_cut_off(clf: MultiTaskSPCA) -> None:
    display = DRAWN["forecast"](clf)
    low, high = display.ax_.get_xlim()
    assert low <= display.interval.min()
    assert display.interval.max() <= high
    assert max(display.alone.max(), display.actual.max()) <= high


def test_lines_of_many_tasks_differ(clf: MultiTaskSPCA) -> None:
    display = DRAWN["curves"](clf)
    looks = {(line.get_color(), line.get_linestyle()) for line in display.lines_}
    assert len(looks) == 8


def test_curves_of_several_models_differ_on_the_same_axes(clf: MultiTaskSPCA) -> None:
    first = LearningCurveForecastDisplay.from_estimator(clf, [0])
    second = LearningCurveForecastDisplay.from_estimator(clf, [0], ax=first.ax_)
    colours = [of.lines_[0].get_color() for of in (first, second)]
    assert colours == list(_canvas.KINDS[:2])


def test_what_helps_and_what_is_alike_have_the_colour_of_the_method(clf: MultiTaskSPCA) -> None:
    bars = TransferDisplay.from_estimator(clf, 0)
    for bar, gain in zip(bars.bars_, bars.explanation.gain[::-1], strict=True):
        assert to_hex(bar.get_facecolor()) == (_canvas.OURS if gain >= 0 else _canvas.HARM)
    ends = RelatednessDisplay.from_estimator(clf).image_.cmap([0.0, 1.0])
    assert [to_hex(end) for end in ends] == [_canvas.HARM, _canvas.OURS]


def test_the_report_page_has_the_same_colours() -> None:
    style = Path(kinspan.report.__file__).parent / "assets" / "style.css"
    light = dict(re.findall(r"--([\w-]+): (#\w{6});", style.read_text(encoding="utf-8"))[::-1])
    assert light["ours"] == light["map-high"] == _canvas.OURS
    assert light["warm"] == light["map-low"] == _canvas.HARM
    assert light["ink"] == _canvas.ACTUAL


def test_meanings_have_different_colours() -> None:
    names = ("OURS", "ALONE", "POOLED", "ACTUAL", "HARM", "PLAIN")
    colours = [getattr(_canvas, name) for name in names]
    assert len({*colours, *_canvas.KINDS}) == len(colours) + len(_canvas.KINDS)
