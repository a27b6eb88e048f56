"""How safe and how robust: the tables and sentences of the page are those of their files."""

from __future__ import annotations

from typing import Any

import pandas as pd

from tests.repository.test_numbers import RESULTS, table, text

PAGE = "docs/measured.md"
SETTINGS = {
    "random similarities, target with 5 labels per class (Fig. 3)": "figure 3",
    "four clusters of tasks, random signs, 5–80 labels": "clusters",
    "identical tasks, 10 labels": "identical",
    "one direction, random signs, 20 labels": "opposite",
    "nothing in common, 50 labels": "orthogonal",
}
KINDS = (
    *("label noise", "heavy tails", "covariate shift", "permuted labels", "copies"),
    *("giant noise", "other units", "minority"),
)


def numbers(cells: list[str]) -> list[float]:
    return [float(cell.strip("* ").replace("−", "-")) for cell in cells]


def test_the_table_of_relatedness_is_its_file() -> None:
    found: Any = pd.read_csv(RESULTS / "relatedness.csv")
    filed = found.set_index(["setting", "tasks"])
    rows = table(PAGE, "| setting | tasks | alone |")[1:]
    assert {row[0] for row in rows} == set(SETTINGS)
    for name, tasks, *cells in rows:
        of = filed.loc[(SETTINGS[name], int(tasks))]
        expected = of[["single", "naive", "plugin", "spectral", "oracle"]]
        assert (abs(expected - numbers(cells)) <= 5.1e-4).all(), name
    worst = found.loc[found.over_single.idxmax()]
    assert 0.0055 <= worst.over_single <= 0.0065  # "0.6 points"
    assert (worst.setting, worst.tasks) == ("orthogonal", 16)
    behind = filed.spectral - filed.naive
    assert (behind["identical", 8].round(3), behind["identical", 32].round(3)) == (0.013, 0.002)


def test_the_table_of_hostile_worlds_is_its_file() -> None:
    found: Any = pd.read_csv(RESULTS / "hostile_worlds.csv")
    rows = table(PAGE, "| | mean | 95th percentile |")[1:]
    assert len(rows) == len(KINDS)
    for kind, (_, *cells) in zip(KINDS, rows, strict=True):
        of: Any = found[found.kind == kind]
        lost = of.ours - of.alone
        expected = [lost.mean(), lost.quantile(0.95), lost.max(), of.worst.max()]
        assert len(of) == 80
        shown = zip(numbers(cells), expected, strict=True)
        assert all(abs(number - value) <= 5.1e-4 for number, value in shown), kind


def test_files_and_laws_that_were_tried() -> None:
    page = text(PAGE)
    files: Any = pd.read_csv(RESULTS / "fuzz_files.csv", skiprows=1).iloc[0]
    refused, used = (
        f"{int(files[n]):,}".replace(",", " ") for n in ("refused", "accepted_and_used")
    )
    assert f"{refused} refused, {used} read and used" in page
    assert files.breaking_the_law == 0
    laws: Any = pd.read_csv(RESULTS / "fuzz.csv")
    cases = f"{laws.cases.sum():,}".replace(",", " ")
    assert f"{cases} cases of {len(laws)} properties" in page


def test_a_day_of_traffic() -> None:
    found: Any = pd.read_csv(RESULTS / "load.csv")
    page, memory = text(PAGE), found.megabytes[len(found) // 2 :]
    assert f"{found.predictions.sum()} predictions in between" in page
    assert f"memory {memory.min()} to {memory.max()} MB in the second half" in page


def test_very_many_tasks() -> None:
    found: Any = pd.read_csv(RESULTS / "fleets.csv", skiprows=1)
    rows = table(PAGE, "| | time | memory |")[-3:]
    for (_, time, memory), of in zip(rows, found.itertuples(), strict=True):
        assert abs(float(time.removesuffix(" s")) - of.seconds) <= 0.51
        assert abs(float(memory.removesuffix(" GB")) - of.peak_megabytes / 1000) <= 0.051
    growth: Any = (
        pd.read_csv(RESULTS / "growth.csv", skiprows=1).set_index(["what", "axis"]).exponent
    )
    tasks, classes = (growth["from moments", axis] for axis in ("tasks", "classes"))
    page = text(PAGE)
    assert f"with the power {tasks:.1f} of the number of tasks and the power {classes:.1f}" in page
