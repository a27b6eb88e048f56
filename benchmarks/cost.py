"""How the time of fit grows with samples and features: `python -m benchmarks.cost`.

Two tasks with two classes, three quarters of the rows in the first. One core. Every method is
measured along three ways of growing, until a fit takes too long; exponents are slopes on log–log
axes over the largest sizes. They are shown next to the exponents of the number of operations (of
one iteration if a method iterates). "Moments only" is `row_sample=0`, the rule of the paper without
a metric.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._measure import RESULTS, machine, seconds
from kinspan import MultiTaskSPCA
from kinspan.baselines import (
    CDLS,
    MMDT,
    FeatureAugmentation,
    MultiTaskLSSVM,
    NaiveSPCA,
    PCAClassifier,
)
from kinspan.datasets import GaussianTasks, gaussian_mixture, related_means

LONGEST = 2.0  # seconds of a fit after which a method is not measured at larger sizes
LARGEST = 3  # sizes that an exponent is fitted to


class Size(NamedTuple):
    """The size of a data set."""

    n: int
    p: int


class Sweep(NamedTuple):
    """One way of growing."""

    name: str
    axis: str  # the field of Size that it is drawn against
    sizes: list[Size]


class Method(NamedTuple):
    """A method and the exponents of its operations."""

    name: str
    estimator: Any
    theory: tuple[int, int, int]  # in n, in p, and in both together
    colour: str


class Timing(NamedTuple):
    """One line of the table."""

    sweep: str
    method: str
    n: int
    p: int
    seconds: float


SWEEPS = [
    Sweep("p = 100, n grows", "n", [Size(400 * 2**i, 100) for i in range(9)]),
    Sweep("n = 400, p grows", "p", [Size(400, 100 * 2**i) for i in range(9)]),
    Sweep("n = 2p, both grow", "p", [Size(2**i * 128, 2**i * 64) for i in range(7)]),
]

# Operations: MTL-SPCA and naive SPCA np; PCA np per step; LS-SVM the lesser of n²p + n³ and
# np² + kp³; CDLS the same and np per step of its selection; MMDT n²p for the target's Gram matrix.
METHODS = [
    Method("MTL-SPCA", MultiTaskSPCA(), (1, 1, 2), "#0b5394"),
    Method("MTL-SPCA, moments only", MultiTaskSPCA(row_sample=0), (1, 1, 2), "#45a0e6"),
    Method("naive SPCA", NaiveSPCA(), (1, 1, 2), "#8e8e8e"),
    Method("PCA", PCAClassifier(), (1, 1, 2), "#7a5195"),
    Method("feature augmentation", FeatureAugmentation(), (1, 1, 2), "#2e8b57"),
    Method(
        "MTL-LSSVM",
        MultiTaskLSSVM(shared_strength=1.0, task_strengths=1.0),
        (1, 1, 3),
        "#c0392b",
    ),
    Method("CDLS", CDLS(target=1), (1, 1, 3), "#e67e22"),
    Method("MMDT", MMDT(target=1), (2, 1, 3), "#b8860b"),
]


def samples(size: Size) -> GaussianTasks:
    counts = np.array([[3, 3], [1, 1]]) * (size.n // 8)
    return gaussian_mixture(3 * related_means([1, 0.7], size.p), counts, random_state=0)


def fitting(method: Method, data: GaussianTasks) -> Callable[[], Any]:
    fit = partial(method.estimator.fit, data.X, data.y, task=data.task)
    if method.name == "CDLS":
        return partial(fit, unlabelled=data.sample([[0, 0], [50, 50]], random_state=0).X)
    return fit


def fastest(work: Callable[[], Any]) -> float:
    """The fastest of up to five repetitions, as long as they take at most one second together."""
    times = [seconds(work)]
    while len(times) < 5 and sum(times) < 1.0:
        times.append(seconds(work))
    return min(times)


def measure(sweep: Sweep) -> Iterator[Timing]:
    active = list(METHODS)
    fitting(METHODS[0], samples(sweep.sizes[0]))()
    for size in sweep.sizes:
        data = samples(size)
        for method in list(active):
            taken = fastest(fitting(method, data))
            yield Timing(sweep.name, method.name, *size, taken)
            if taken > LONGEST:
                active.remove(method)


def curve(rows: list[Timing], sweep: Sweep, method: str) -> tuple[Any, Any]:
    """Sizes and seconds of one line."""
    mine = [row for row in rows if (row.sweep, row.method) == (sweep.name, method)]
    return (
        np.array([getattr(row, sweep.axis) for row in mine]),
        np.array([row.seconds for row in mine]),
    )


def exponent(rows: list[Timing], sweep: Sweep, method: str) -> float:
    """Slope on log–log axes over the largest sizes."""
    x, y = (np.log(values[-LARGEST:]) for values in curve(rows, sweep, method))
    return float(np.polyfit(x, y, 1)[0])


def write(rows: list[Timing]) -> None:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "cost.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"# {machine()}, one core used"])
        writer.writerow(Timing._fields)
        writer.writerows([*row[:-1], f"{row.seconds:.4g}"] for row in rows)


def show(rows: list[Timing]) -> None:
    print(f"{'exponents, measured (operations)':<34}" + "".join(f"{s.name:>22}" for s in SWEEPS))
    for method in METHODS:
        found = [exponent(rows, sweep, method.name) for sweep in SWEEPS]
        cells = [f"{e:.2f} ({t})" for e, t in zip(found, method.theory, strict=True)]
        print(f"{method.name:<34}" + "".join(f"{cell:>22}" for cell in cells))


def draw(rows: list[Timing]) -> Any:
    from matplotlib import pyplot as plt  # noqa: PLC0415  # drawing is optional

    figure, panels = plt.subplots(1, 3, figsize=(16, 5.4), sharey=True, layout="constrained")
    for place, (sweep, panel) in enumerate(zip(SWEEPS, panels, strict=True)):
        panel.set(xscale="log", yscale="log", title=sweep.name, xlabel=sweep.axis)
        place_labels(panel, [draw_line(panel, rows, sweep, m, place) for m in METHODS])
        panel.grid(which="major", color="0.92")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("seconds to fit, one core")
    figure.suptitle(
        "Time of a fit of two tasks: measured, and the slope of the number of operations (dashed). "
        "Labels: measured exponent (exponent of the operations)"
    )
    return figure


def keep(figure: Any) -> None:
    """The same rows give the same files: no date, no random ids."""
    from matplotlib import rc_context  # noqa: PLC0415  # drawing is optional

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "cost"}):
        figure.savefig(RESULTS / "cost.svg", metadata={"Date": None})
    figure.savefig(RESULTS / "cost.png", dpi=130)


def draw_line(panel: Any, rows: list[Timing], sweep: Sweep, method: Method, place: int) -> Any:
    """The points, the theoretical slope through the last of them, and their label."""
    x, y = curve(rows, sweep, method.name)
    panel.plot(x, y, "o-", color=method.colour, markersize=3.5, linewidth=1.5)
    far = x[-LARGEST:]
    guide = y[-1] * (far / far[-1]) ** method.theory[place]
    panel.plot(far, guide, "--", color=method.colour, linewidth=1.1, alpha=0.8)
    text = f"{method.name}  {exponent(rows, sweep, method.name):.1f} ({method.theory[place]})"
    return x[-1], y[-1], text, method.colour


def place_labels(panel: Any, ends: list[Any]) -> None:
    """Labels to the right of the panel, as close to the ends of their lines as possible."""
    ends = sorted(ends, key=lambda end: end[1])
    heights = spread(np.log10([end[1] for end in ends]), 0.27)
    for (x, y, text, colour), height in zip(ends, heights, strict=True):
        panel.annotate(
            text,
            (x, y),
            (1.03, 10**height),
            textcoords=("axes fraction", "data"),
            va="center",
            color=colour,
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "alpha": 0.5},
        )


def spread(heights: Any, gap: float) -> Any:
    """Sorted heights, moved apart to a smallest gap without changing their mean."""
    moved = heights.copy()
    for _ in range(200):
        short = np.maximum(gap - np.diff(moved), 0.0) / 2
        moved[:-1] -= short
        moved[1:] += short
    return moved


def main() -> None:
    if hasattr(os, "sched_setaffinity"):  # on Linux: the threads of the moments share the core too
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with threadpool_limits(1):
        rows = [row for sweep in SWEEPS for row in measure(sweep)]
    write(rows)
    show(rows)
    keep(draw(rows))


if __name__ == "__main__":
    main()
