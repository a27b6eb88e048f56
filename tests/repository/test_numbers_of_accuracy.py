"""Accuracies on real data, in the README and on all pages, are those of their file."""

from __future__ import annotations

from typing import Any

import pandas as pd

from tests.repository.test_numbers import RESULTS, table, text

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
