"""Numbers of the README and of the page of measurements are those of the files that they name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

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
    readme, page = text("README.md"), text("docs/measured.md")
    most = points(alone.quantile(0.95))
    assert f"95 % [lost at most {most} points](docs/measured.md#how-safe) compared with" in readme
    assert f"({points(alone.max())} points in the worst world)" in readme
    lost = f"{(itself > 0.01).sum()} of the {len(worlds)} worlds lost more than a point"
    assert lost in readme
    assert lost in page
    assert f"the worst {100 * itself.max():.0f} points" in readme
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
    ) in text("README.md")


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


SETS = {
    "Amazon reviews, 20 labels per class": "Amazon 400, 20 per class",
    "Amazon reviews, 50 labels": "Amazon 400, 50 per class",
    "Amazon reviews, 5 000 counts, 50 labels": "Amazon 5000 counts, 50 per class",
    "MNIST pairs, 10 labels": "MNIST pairs, 10 per class",
    "Office-Caltech, SURF, 3 labels": "Office-Caltech SURF, 3 per class",
    "Office-Caltech, a quarter labelled": "Office-Caltech deep, a quarter",
    "Office-31, a quarter": "Office-31 deep, a quarter",
    "Office-Home, a quarter": "Office-Home deep, a quarter",
}
COLUMNS = {
    "**kinspan**": "kinspan",
    "alone": "single task",
    "adapt, balanced weighting": "adapt balanced weighting",
    "logistic, target weighted": "logistic, target weighted",
    "logistic, pooled": "logistic pooled",
    "feature augmentation": "feature augmentation",
    "LDA, pooled": "LDA pooled",
    "LDA, alone": "LDA per task",
}
OURS = {"kinspan", "single task", "naive", "plug-in", "one-vs-all"}  # with or without a metric
IN_README = {
    "photographs, SURF features": "Office-Caltech SURF, 3 per class",
    "Amazon reviews, 5 000 counts": "Amazon 5000 counts, 50 per class",
    "Amazon reviews, 400 frequencies": "Amazon 400, 20 per class",
    "pairs of MNIST digits": "MNIST pairs, 10 per class",
    "Office-Home, deep features": "Office-Home deep, a quarter",
}


def table(page: str, head: str) -> list[list[str]]:
    """The cells of a table, without bold: its head, then its rows."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(head))
    rows = lines[start : start + 2 + lines[start + 2 :].index("")]
    return [
        [cell.strip(" *") for cell in row.strip("|").split("|")] for row in rows if "--" not in row
    ]


def accuracies() -> Any:
    """Per cent right: the mean over the targets of a set, one column per method."""
    found = pd.read_csv(RESULTS / "accuracy.csv", skiprows=1)
    return 100 * found.pivot_table(index="set", columns="method", values="accuracy")


def test_the_table_of_accuracies_is_its_file() -> None:
    head, *rows = table("docs/measured.md", "| | draws |")
    filed = accuracies()
    methods = [COLUMNS.get(name, COLUMNS.get(f"**{name}**", "")) for name in head[2:]]
    assert [row[0] for row in rows[:-1]] == list(SETS)
    for name, _, *cells in rows[:-1]:
        for method, cell in zip(methods, cells, strict=True):
            value = filed.loc[SETS[name], method]
            assert (cell == "–") == bool(pd.isna(value)), (name, method)
            assert cell == "–" or abs(float(cell) - value) <= 0.0501, (name, method)


def test_the_table_of_the_readme_is_its_files() -> None:
    head, *rows = table("README.md", "| | tasks |")
    filed = 100 - accuracies()
    shown = {row[0]: dict(zip(head[4:], row[4:], strict=True)) for row in rows}
    assert set(IN_README) <= set(shown)
    for name, set_name in IN_README.items():
        errors, cells = filed.loc[set_name], shown[name]
        others = errors[[m for m in errors.index if m.split(",")[0] not in OURS]].min()
        expected = [errors["logistic per task"], errors["logistic pooled"], others]
        for value, cell in zip([*expected, errors["kinspan"]], cells.values(), strict=True):
            assert abs(float(cell.split()[0].strip("*")) - value) <= 0.0501, name


def test_pages_that_quote_accuracies_quote_the_file() -> None:
    filed = accuracies()
    reviews, surf = (
        filed.loc["Amazon 400, 20 per class"],
        filed.loc["Office-Caltech SURF, 3 per class"],
    )
    digits, tutorial = filed.loc["MNIST pairs, 10 per class"], text("docs/tutorials/reviews.md")
    pooled, ours = digits["logistic pooled"], digits["kinspan"]
    assert f"{pooled:.1f} % right compared with {ours:.1f} %" in tutorial
    problem, limits = text("docs/which-problem.md"), text("docs/limits.md")
    said = f"rises from {reviews['single task']:.1f} % alone to {reviews['kinspan']:.1f} %"
    assert said in problem
    assert f"logistic regression reaches {reviews['logistic pooled']:.1f} %" in problem
    assert f"it rises from {surf['single task']:.1f} % to {surf['kinspan']:.1f} %" in problem
    assert f"pooling reaches {surf['logistic pooled']:.1f} %" in problem
    assert f"right for {reviews['logistic pooled']:.1f} % of the rows" in limits
    assert f"kinspan for {reviews['kinspan']:.1f} %" in limits


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


def test_what_is_said_of_single_targets_is_in_the_file() -> None:
    found = pd.read_csv(RESULTS / "accuracy.csv", skiprows=1)
    by_target: Any = 100 * found.pivot_table(
        index=["set", "target"], columns="method", values="accuracy"
    )
    ahead = by_target.sub(by_target["kinspan"], axis=0)
    others = ahead[[m for m in ahead.columns if m.split(",")[0] not in OURS]].max(axis=1)
    page, readme = text("docs/measured.md"), text("README.md")
    assert f"Over the {len(others)} targets" in page
    assert (
        f"is {others.mean():.1f} points ahead of kinspan on average, and {others.max():.1f}" in page
    )
    assert f"on a single target, at most {others.max():.1f}" in readme
    assert f"nowhere more than {ahead['single task'].max():.1f} points ahead" in page
    weighted = ahead["logistic, target weighted"]
    home = weighted["Office-Home deep, a quarter"]
    few = weighted["Office-31 deep, a quarter", "amazon"]
    assert f"{few:.1f}, {home['Clipart']:.1f} and {home['Product']:.1f} points ahead" in page
    assert f"{home['Clipart']:.1f} and {home['Product']:.1f} points better" in text(
        "docs/limits.md"
    )
    sets = accuracies()
    best = sets[[m for m in sets.columns if m.split(",")[0] not in OURS]].max(axis=1)
    assert (
        f"is at most {(best - sets['kinspan']).max():.1f} points behind the best method" in readme
    )
