"""What the README and the tour claim besides its table of accuracies is in the files of results."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from benchmarks.speed_tables import PAGE, measured
from benchmarks.speed_tables import table as speed_table

from tests.repository.test_numbers import RESULTS, ROOT, table, text


def test_the_table_of_times_is_its_file() -> None:
    lines = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8").splitlines()
    expected = speed_table(PAGE)
    start = lines.index(expected[0])
    assert lines[start : start + len(expected)] == expected


def test_times_in_sentences_are_their_files() -> None:
    found, page = measured(), text("docs/measured.md")
    predict = found["MultiTaskSPCA.predict, mixed tasks"][0]
    assert f"takes {predict:.1f} × as long as the product `X @ W`" in page
    targets = found["1 000 targets from ready moments"][0]
    assert f"take {targets:.1f} × as long as one eigendecomposition" in page
    default, compiled, logistic = (
        found[name][0]
        for name in (
            "fit, default",
            "fit, moments only, compiled",
            "scikit-learn LogisticRegression.fit, pooled",
        )
    )
    assert (
        f"a fit takes {default:.0f} times as long as reading the numbers once, a fit to class "
        f"moments alone {compiled:.1f} times (with numba), and one logistic regression of "
        f"scikit-learn {logistic:.0f} times"
    ) in text("README.md")


def test_times_of_the_limits_are_their_files() -> None:
    found, page = measured(), text("docs/limits.md")
    compiled, plain = (found[f"fit, moments only{more}"][0] for more in (", compiled", ""))
    ratios: Any = pd.read_csv(RESULTS / "everyday.csv", skiprows=1)
    usual = ratios[ratios.reference == "LogisticRegression.fit"].ratio
    assert f"about {found['fit, default'][0]:.0f} times as long as `X.sum(axis=0)`" in page
    assert f"it takes {compiled:.1f} times as long, and {plain:.1f} times without numba" in page
    assert (usual.min(), usual.max()) == pytest.approx((5, 40), rel=0.2)
    assert "and 5 to 40 times as long as one untuned" in page
    assert "5 to 40 times one untuned logistic regression" in text("docs/measured.md")
    fleet = ratios.set_index("what").loc["fit, 10 000 × 20 × 256"]
    found_of_fleet = fleet.seconds, fleet.peak_megabytes / 1000, fleet.ratio
    assert found_of_fleet == pytest.approx((8, 1.4, 15), rel=0.1)
    assert "took about 8 s of processor time and 1.4 GB, 15 times as long" in page


def test_forecasts_whose_assumptions_are_broken() -> None:
    found: Any = pd.read_csv(RESULTS / "forecast_broken.csv").set_index("regime")
    page = text("docs/limits.md")
    drift = found[found.index.str.startswith("forget")]
    assert f"was {-100 * drift.bias.mean():.1f} points higher than the forecast" in page
    low, high = 100 * drift.cover.min(), 100 * drift.cover.max()
    assert f"contained it in {low:.0f} to {high:.0f} % of the simulations" in page
    several, same = (
        100 * found.loc[regime, ["announced", "true"]]
        for regime in ("eight labels of the same rows", "one task eight times")
    )
    assert "{:.1f} % were forecast instead of {:.1f} %".format(*several) in page
    assert "the forecast says nothing: {:.1f} % instead of {:.1f} %".format(*same) in page
    stranger = 100 * found.cover["a stranger with two labels"]
    assert f"contain its error in {stranger:.0f} % of the simulations" in page
    gaps = (
        f"{gap:.3f}".lstrip("0") for gap in found.gap[["60 % copies up to .001", "60 % copies"]]
    )
    assert (
        "forecasts were {} off on average, and {} where the copies were exact".format(*gaps) in page
    )


def test_times_of_everyday_sizes_are_their_file() -> None:
    found: Any = pd.read_csv(RESULTS / "everyday.csv", skiprows=1).set_index("what").ratio
    _, *rows = table("docs/measured.md", "| tasks × rows × features | default fit |")
    shown = {name: time for row in rows for name, time in (row[:2], row[3:5]) if name}
    assert len(shown) == 9
    for name, time in shown.items():
        ratio = found[f"fit, {name}"]
        assert time == (f"{ratio:.1f} ×" if ratio < 10 else f"{ratio:.0f} ×"), name


def test_what_is_said_of_forecasts_on_reviews() -> None:
    found = pd.read_csv(RESULTS / "forecast.csv").set_index("regime")
    rows = found.loc[[f"Amazon, {n}, others 100" for n in (10, 20, 50)]]
    gaps, covers = (100 * rows[name] for name in ("gap", "cover"))
    readme = text("README.md")
    assert "off by {:.1f}, {:.1f} or {:.1f} points on average".format(*gaps) in readme
    assert "{:.0f}, {:.0f} or {:.0f} % of the 90 % intervals".format(*covers) in readme


def test_the_first_rows_of_the_table_are_those_of_the_comparison() -> None:
    found = pd.read_csv(RESULTS / "comparison.csv", skiprows=1)
    errors: Any = 100 * found.pivot_table(index="situation", columns="method", values="error")
    shown = {row[0]: row[4:] for row in table("README.md", "| | tasks |")[1:]}
    for name, situation in (
        ("pairs of digits", "digit pairs"),
        ("simulated, four clusters, random signs", "clusters"),
    ):
        of = errors.loc[situation]
        others = of[[m for m in of.index if not m.startswith("kinspan")]].min()
        expected = [of["logistic, per task"], of["logistic, pooled"], others, of["kinspan"]]
        for value, cell in zip(expected, shown[name], strict=True):
            assert abs(float(cell.split()[0].strip("*")) - value) <= 0.0501, name


def few(kind: str) -> list[list[str]]:
    """A table of the page about few labels everywhere."""
    return table("benchmarks/results/accuracy_few.md", f"| {kind} |")[1:]


def test_few_labels_everywhere() -> None:
    """No method is better in the mean, and how much better one model for all can be."""
    differences = [float(row[4].split()[0]) for row in few("method")]
    assert max(differences) < 0
    readme = text("README.md")
    assert f"each of {len(differences)} other methods" in readme
    pooled = [row for row in few("set") if "pooled," in row[5]]
    behind = {
        many: max(float(row[7].split()[0]) for row in pooled if (int(row[1]) > 10) == many)
        for many in (False, True)
    }
    assert behind[True] <= 1.0
    assert 2.5 < behind[False] <= 3.0
    assert "one model for all is as good or up to one point better" in readme
    assert "up to three points better with ten labels per class or fewer" in readme


def test_files_larger_than_memory_and_gpus() -> None:
    page = text("docs/tour.md")
    disk = pd.read_csv(RESULTS / "out_of_core.csv", skiprows=1)
    assert disk[disk.gigabytes > 20].resident_megabytes.max() < 400
    assert "[less than 400 MB](../benchmarks/results/out_of_core.csv)" in page
    device = pd.read_csv(RESULTS / "gpu.csv", skiprows=1)
    moments = device[(device.what == "ClassMoments.from_samples") & (device.kind == "float32")]
    low, high = (100 * np.array([moments.share_of_copy.min(), moments.share_of_copy.max()])).round()
    assert f"[{low:.0f} to {high:.0f} %](../benchmarks/results/gpu.csv)" in page


def test_the_releases_that_were_tried_are_those_that_are_said() -> None:
    with Path(RESULTS / "release.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    *first, last = (row["python"] for row in rows)
    page = text("docs/measured.md")
    assert f"[Python {', '.join(first)} and {last}](../benchmarks/results/release.csv)" in page
    most = np.ceil(100 * max(float(row["estimator_ratio"]) for row in rows)) / 100
    assert f"at most {most:.2f} times as long as `import sklearn`" in page
