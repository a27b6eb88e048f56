"""Numbers of the README and of the page of measurements are those of the files that they name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import unlabelled_bound

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"


def text(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def points(rate: float) -> str:
    """An error in points, as it is written."""
    return f"{100 * rate:.1f}"


def test_random_worlds() -> None:
    worlds = pd.read_csv(RESULTS / "worlds.csv")
    loss = worlds.ours - worlds.alone
    for page in map(text, ("README.md", "docs/measured.md")):
        assert f"[{len(worlds)} random worlds]" in page
        assert f"on average {points(-loss.mean())} points lower" in page
        assert f"in {100 * (loss <= 0).mean():.0f} % of the worlds it is not higher" in page
        assert f"in 95 % at most {points(float(loss.quantile(0.95)))} points" in page
        assert f"in the worst world it is {points(loss.max())} points higher" in page
        assert f"more than five points, at most {100 * worlds.worst.max():.0f}" in page
    assert f"In {(worlds.worst > 0.05).sum()} of the {len(worlds)} worlds" in text("README.md")


def test_limits_of_borrowing() -> None:
    page, worlds = text("docs/limits.md"), pd.read_csv(RESULTS / "worlds.csv")
    many = worlds[(worlds.classes == 2) & (worlds.tasks >= 20)]
    assert f"Among the {len(many)} worlds with two classes and at least twenty tasks" in page
    everywhere = worlds.ours - worlds.alone
    assert f"on average {points(-everywhere.mean())} points lower" in page
    assert f"{points(everywhere.max())} points higher in the worst world" in page
    single = (
        f"in {(worlds.worst > 0.05).sum()} of the worlds one of them lost more than five points"
    )
    assert f"{single}, at most {100 * worlds.worst.max():.0f}." in page
    loss = points((many.ours - many.alone).max())
    assert f"no world lost more than {loss} points, and no task more than " in page
    assert f"no task more than {points(many.worst.max())}." in page
    found = pd.read_csv(RESULTS / "accuracy.csv", skiprows=1)
    table = found.pivot_table(index=["set", "target"], columns="method", values="accuracy")
    loss_of_targets = table["single task"] - table["kinspan"]
    assert f"single targets lost up to {points(loss_of_targets.max())} points" in page
    assert loss_of_targets.groupby("set").mean().max() < 0
    assert "every set gained in the mean over its targets" in page


def test_hostile_worlds_name_what_they_are_compared_with() -> None:
    worlds: Any = pd.read_csv(RESULTS / "hostile_worlds.csv")
    alone, itself = worlds.ours - worlds.alone, worlds.ours - worlds.by_itself
    page = text("docs/measured.md")
    most = f'lost at most {points(alone.quantile(0.95))} points compared with `labels="single"`'
    assert f"Of all {len(worlds)} worlds, 95 % {most}" in page
    assert f"({points(alone.max())} points in the worst world)" in page
    lost = f"{(itself > 0.01).sum()} of the {len(worlds)} worlds lost more than a point"
    assert f"{lost}, the worst {100 * itself.max():.0f} points" in page
    for kind, words in (
        ("giant noise", "huge tasks in other units"),
        ("covariate shift", "other units among tasks of all sizes"),
        ("heavy tails", "contaminated rows"),
    ):
        worst = f"{itself[worlds.kind == kind].max():.2f}".lstrip("0")
        assert f"with {words} {worst}" in page


def test_the_table_of_forecasts_is_its_file() -> None:
    """The last column, of the forecasts before, has no file any more."""
    found = pd.read_csv(RESULTS / "forecast.csv")
    lines = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| regime |"))
    shown = [line.strip("| ").split(" | ") for line in lines[start + 2 : start + 2 + len(found)]]
    numbers = {
        cells[0]: [float(cells[i].replace("−", "-").removesuffix(" %")) for i in range(1, 7)]
        for cells in shown
    }
    columns = ["true", "announced", "bias", "gap", "gap_of_mean", "cover"]
    filed = found.set_index("regime")[columns] * [1, 1, 1, 1, 1, 100]
    assert set(numbers) == set(filed.index)
    for regime, values in filed.iterrows():
        within = [5.1e-4] * 5 + [0.51]  # half a unit of the last digit
        assert (abs(values - numbers[str(regime)]) <= within).all(), regime
    assert f"measures it in {len(found)} regimes" in text("docs/limits.md")


def test_planning_says_how_large_the_errors_are() -> None:
    drawn = pd.read_csv(RESULTS / "planning.csv").groupby("data")
    gap, error = drawn["gap"].mean(), drawn["error at 40"].mean()

    def short(rate: float, digits: int) -> str:
        return f"{rate:.{digits}f}".lstrip("0")

    assert (
        f"to within {short(gap['Amazon'], 3)} on Amazon reviews, where it is "
        f"{short(error['Amazon'], 2)}, and {short(gap['digits'], 3)} on digits, where it is "
        f"{short(error['digits'], 3)}"
    ) in text("docs/tour.md")


def test_the_tables_of_rare_classes_are_their_files() -> None:
    lines = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8").splitlines()
    found = pd.read_csv(RESULTS / "decisions.csv").set_index(["world", "score"])
    names = {"AUC": "roc_auc", "average precision": "average_precision"}
    start = lines.index(
        "| world | score | true | announced | bias | mean gap | of the mean | cover |"
    )
    shown = [line.strip("| ").split(" | ") for line in lines[start + 2 : start + 18]]
    columns = ["true", "forecast", "bias", "gap", "gap_of_mean", "cover"]
    assert len(shown) == 2 * len(found.index.unique("world"))
    for world, name, *cells in shown:
        numbers = [float(cell.replace("−", "-").removesuffix(" %")) for cell in cells]
        filed = found.loc[(world, names[name]), columns] * [1, 1, 1, 1, 1, 100]
        assert (abs(filed - numbers) <= [5.6e-4] * 5 + [0.51]).all(), world
    logistic: Any = pd.read_csv(RESULTS / "decisions_logistic.csv")
    rows = logistic[logistic.score == "calibration_error"]
    assert rows.ours.max() <= 0.03  # "within .03 of shares"


def test_the_table_of_more_labels_is_its_file() -> None:
    lines = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8").splitlines()
    found = pd.read_csv(RESULTS / "decisions_more_labels.csv")
    filed: Any = found.set_index(["world", "label", "score"])
    start = next(i for i, line in enumerate(lines) if line.startswith("| world | labels of |"))
    kinds = filed.index.droplevel("score").unique()
    shown = [line.strip("| ").split(" | ") for line in lines[start + 2 : start + 2 + len(kinds)]]
    assert [tuple(cells[:2]) for cells in shown] == kinds.to_list()
    for world, label, *cells in shown:
        scores = [filed.loc[(world, label, name)] for name in ("roc_auc", "average_precision")]
        expected = [of[part] for of in scores for part in ("before", "after", "promised")]
        assert (abs(pd.Series(cells).astype(float) - expected) <= 5.6e-4).all(), (world, label)


def table_after(beginning: str) -> list[list[str]]:
    """The cells of the table in docs/measured.md whose head begins like this."""
    lines = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(beginning)) + 2
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end]]


def as_number(cell: str) -> float:
    return float(cell.replace("−", "-").removesuffix(" %"))


def test_the_table_of_thresholds_is_its_file() -> None:
    found: Any = pd.read_csv(RESULTS / "decisions_thresholds.csv")
    shown = table_after("| world | a missed positive costs |")
    assert len(shown) == len(found)
    for (world, _, *cells), row in zip(shown, found.itertuples(), strict=True):
        assert world == row.world
        one_for_all = 100 * (row.one_for_all / row.best - 1)
        filed = [row.ours, row.at_zero, row.best, 100 * row.excess, one_for_all]
        for cell, value in zip(cells, filed, strict=False):
            assert abs(as_number(cell) - value) <= (0.051 if "%" in cell else 5.1e-4), (world, cell)
        assert (cells[5] == "") == pd.isna(row.tuned)
        if cells[5]:
            assert abs(as_number(cells[5]) - row.tuned) <= 5.1e-4


def test_the_table_of_logistic_regression_is_its_file() -> None:
    found: Any = pd.read_csv(RESULTS / "decisions_logistic.csv")
    both = found.set_index(["world", "score"])
    scores = list(dict.fromkeys(found.score))
    for world, *cells in table_after("| world | AUC | average precision | log loss |"):
        for score, cell in zip(scores, cells, strict=True):
            shown = [float(part) for part in cell.split("/")]
            assert (abs(both.loc[(world, score)] - shown) <= 5.1e-4).all(), (world, score)


def test_the_table_of_wrong_labels_is_its_file() -> None:
    found: Any = pd.read_csv(RESULTS / "wrong_labels.csv")
    shown = table_after("| | wrong labels | accuracy")
    assert len(shown) == len(found.groupby(["data", "wrong"]))
    for data, wrong, *cells in shown:
        draws = found[(found.data == data) & (found.wrong == wrong)]
        means = draws.mean(numeric_only=True)
        names = ["accuracy", "gain", "", "gain_without_wrong", "bias", "auto_bias", ""]
        names += ["rate", "found", "class_error"]
        names += ["ranking", "own_regression", "pooled_regression"]
        for name, cell in zip(names, cells, strict=True):
            if name and cell:
                limit = 0.051 if "." in cell and len(cell.split(".")[1]) == 1 else 5.1e-3
                shown_as = as_number(cell.split(" ± ")[0])
                assert abs(shown_as - means[name]) <= limit, (data, wrong, name)
        assert abs(as_number(cells[2]) - draws.gain.min()) <= 0.051
        assert cells[6] == f"{(draws.evidence >= 0.9).sum()} of {len(draws)}"


def test_the_tables_of_rows_without_labels_are_their_file() -> None:
    found: Any = pd.read_csv(RESULTS / "unlabelled.csv", dtype={"labels": str})
    lines = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("## What rows without labels are worth")
    end = next(i for i in range(start + 1, len(lines)) if lines[i].startswith("## "))
    shown = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines[start:end]
        if line.startswith("| ") and not line.startswith("| |")
    ]
    settings = found.groupby(["data", "labels", "rows"]).ngroups
    assert len(shown) == settings
    for data, kind, *cells in shown:
        labels, rows = (kind, "of the task") if kind.isdigit() else ("3", kind)
        of = found[(found.data == data) & (found.labels == labels) & (found.rows == rows)]
        by_way = {way: part.set_index("draw") for way, part in of.groupby("way")}
        used, alone = by_way["with unlabelled"], by_way["labels alone"]
        gain = used.accuracy - alone.accuracy
        bias = (used.forecast - used["true error"]).mean()
        errors = [
            100 * of["errors of tasks"].str.split(expand=True).astype(float).mean()
            for of in (alone, used)
        ]
        expected = [alone.accuracy.mean(), gain.mean(), gain.min(), used["worst loss"].max()]
        expected += [(errors[1] - errors[0]).max(), used.weight.mean(), bias, used.covered.mean()]
        if rows == "of the task":
            expected += [used.seconds.mean() / by_way["all labelled"].seconds.mean()]
            expected += [
                by_way[way].accuracy.mean() for way in ("self-training", "label spreading")
            ]
        numbers = [float(cell.replace("−", "-")) for cell in cells]
        within = [0.051] * 5 + [0.0051, 0.00051, 0.0051] + [0.051] * 3
        for number, value, off in zip(numbers, expected, within, strict=False):
            assert abs(number - value) <= off, (data, kind, number, value)
        assert len(numbers) == len(expected)


def test_what_is_said_of_rows_without_labels() -> None:
    """In the overview, and next to the picture of what is possible."""
    found: Any = pd.read_csv(RESULTS / "unlabelled.csv", dtype={"labels": str})
    of = found[(found.labels == "1") & (found.rows == "of the task")]
    accuracy = of.pivot_table("accuracy", "data", "way")
    gain = accuracy["with unlabelled"] - accuracy["labels alone"]
    said = f"{np.floor(gain.min()):.0f} to {np.ceil(gain.max()):.0f} points on digits and images"
    assert said in text("docs/measured.md")
    drawn = pd.read_csv(RESULTS / "unlabelled_bound.csv").groupby("labels")["all rows"].mean()
    off = [drawn[n] - unlabelled_bound.taught_once(n) for n in unlabelled_bound.LABELS if n > 1]
    assert max(map(abs, off)) < 0.02
    assert "From two labels on, kinspan is within .02" in text("docs/measured.md")


def table(page: str, head: str) -> list[list[str]]:
    """The cells of a table, without bold: its head, then its rows."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(head))
    rows = lines[start : start + 2 + lines[start + 2 :].index("")]
    return [
        [cell.strip(" *") for cell in row.strip("|").split("|")] for row in rows if "--" not in row
    ]


def test_the_limits_of_rare_classes_are_those_of_the_table() -> None:
    found = pd.read_csv(RESULTS / "decisions.csv")
    few: Any = found[found.world.str.contains("4 positives|:4$")].set_index("score")
    auc, precision = few.loc["roc_auc"], few.loc["average_precision"]
    both = pd.concat([auc, precision]).cover
    low, high = (f"{most:.2f}".lstrip("0") for most in (-auc.bias.min(), precision.bias.max()))
    said = (
        f"AUC is announced up to {low} too low, average precision up to {high} too high, and "
        f"intervals cover "
        f"{100 * both.min():.0f} to {100 * both.max():.0f} %"
    )
    assert said in text("docs/limits.md")
