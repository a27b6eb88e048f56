"""`explain`, `plan` and `evaluate` say what the model says in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from kinspan import MultiTaskSPCA, task_report
from kinspan.datasets import load_digit_pairs
from tests.cli.running import refusal, succeed

DIGITS = load_digit_pairs(n_per_class=5)


def frame(X: Any, y: Any, task: Any) -> pd.DataFrame:
    names = [f"pixel{j}" for j in range(X.shape[1])]
    return pd.DataFrame(X, columns=names).assign(digit=np.where(y > 0, "b", "a"), pair=task)


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("digits")
    frame(DIGITS.X, DIGITS.y, DIGITS.task).to_parquet(folder / "known.parquet")
    options = ("--task", "pair", "--label", "digit", "--out", folder / "digits.kinspan")
    succeed("fit", folder / "known.parquet", *options)
    return folder / "digits.kinspan"


@pytest.fixture(scope="module")
def clf(digits: Path) -> MultiTaskSPCA:
    model: MultiTaskSPCA = kinspan.load(digits)
    return model


def test_explanations_are_those_of_python(digits: Path, clf: MultiTaskSPCA) -> None:
    expected = clf.explain_transfer("3 vs 8", most=3)
    found = succeed("explain", digits, "--task", "3 vs 8", "--most", 3, "--json").json
    assert found["task"] == "3 vs 8"
    assert found["forecast_error"] == pytest.approx(expected.forecast_error)
    assert found["single_task_error"] == pytest.approx(expected.single_task_error)
    assert [helper["task"] for helper in found["helpers"]] == expected.tasks
    assert [helper["gain"] for helper in found["helpers"]] == pytest.approx(expected.gain)
    shown = succeed("explain", digits, "--task", "3 vs 8", "--most", 3).out
    for line in repr(expected).splitlines()[2:5]:
        task, gain, cosine = line[:6], *line[6:].split()
        assert any(task in row and gain in row and cosine in row for row in shown.splitlines())


def test_a_single_task_has_no_helpers(tmp_path: Path) -> None:
    rows = DIGITS.task == "3 vs 8"
    frame(DIGITS.X[rows], DIGITS.y[rows], "only").to_csv(tmp_path / "a.csv", index=False)
    options = ("--task", "pair", "--label", "digit", "--out", tmp_path / "m")
    succeed("fit", tmp_path / "a.csv", *options)
    assert succeed("explain", tmp_path / "m", "--task", "only", "--json").json["helpers"] == []
    assert "alone" in succeed("explain", tmp_path / "m", "--task", "only").out


def test_plans_are_those_of_python(digits: Path, clf: MultiTaskSPCA) -> None:
    expected = clf.labels_needed("3 vs 8", 0.05)
    found = succeed("plan", digits, "--task", "3 vs 8", "--error", "0.05", "--json").json
    curve = found.pop("curve")
    assert found == {**expected._asdict(), "notes": []}
    more = [point["more_per_class"] for point in curve]
    assert expected.more_per_class in more
    errors = [point["error"] for point in curve]
    assert errors == pytest.approx(clf.learning_curve("3 vs 8", more))
    shown = succeed("plan", digits, "--task", "3 vs 8", "--error", "5%").out
    assert repr(expected) in shown


def test_a_plan_for_all_tasks(digits: Path, clf: MultiTaskSPCA) -> None:
    found = succeed("plan", digits, "--error", "2%", "--json").json
    assert found["error"] == 0.02
    assert len(found["tasks"]) == 45
    for entry in found["tasks"]:
        assert entry == clf.labels_needed(entry["task"], 0.02)._asdict()
    shown = succeed("plan", digits, "--error", "2%").out
    assert sum(" vs " in line for line in shown.splitlines()) == 30
    assert ("Cannot say: " in shown) == ("cannot say" in shown)
    rare = succeed("plan", digits, "--error", "0.0001", "--all").out
    assert "cannot say" in rare
    assert "Cannot say: what very many labels tend to is too uncertain" in rare


def test_a_score_is_planned_as_in_python(digits: Path, clf: MultiTaskSPCA) -> None:
    expected = clf.labels_needed("3 vs 8", 0.95, score="roc_auc")
    asked = ("plan", digits, "--score", "roc_auc", "--reach", "0.95")
    found = succeed(*asked, "--task", "3 vs 8", "--json").json
    assert found["present"] == expected.present
    assert [way["more"] for way in found["ways"]] == [way.more for way in expected.ways]
    lines = succeed(*asked, "--task", "3 vs 8").out.splitlines()
    for line in repr(expected).splitlines():
        assert any(line.split() == other.split() for other in lines)
    every = succeed(*asked, "--json").json
    assert [plan["task"] for plan in every["tasks"]] == clf.forecast(score="roc_auc").tasks
    shown = succeed(*asked).out
    assert sum(" vs " in line for line in shown.splitlines()) == 30
    assert "positives" in shown
    assert ("Cannot say: " in shown) == ("cannot say" in shown)
    assert f"{expected.ways[0].ends[0]:.3f} to {expected.ways[0].ends[1]:.3f}" in repr(expected)


def test_a_plan_needs_an_error_or_a_score(digits: Path) -> None:
    for asked in ([], ["--score", "f1"], ["--reach", "0.5"], ["--error", "0.1", "--score", "f1"]):
        assert "use --error 0.05, or --score" in refusal("plan", digits, *asked)
    assert "score='auc' is no score" in refusal("plan", digits, "--score", "auc", "--reach", "0.5")


@pytest.mark.parametrize("rate", ["0", "1", "-0.1", "500%", "five", "nan"])
def test_an_error_is_a_rate(rate: str, digits: Path) -> None:
    assert f"--error {rate}:" in refusal("plan", digits, "--task", "3 vs 8", "--error", rate)


def test_tasks_are_found_by_name_and_near_ones_suggested(digits: Path) -> None:
    for verb in (["explain"], ["plan", "--error", "0.1"]):
        message = refusal(*verb, digits, "--task", "3 vs8")
        assert "no such task; did you mean '3 vs 8'?" in message
        assert "there are '0 vs 1', " in refusal(*verb, digits, "--task", "zzz")


def test_tasks_that_are_numbers_are_found_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 100)
    table = pd.DataFrame({"x": rng.normal(size=200) + y, "z": rng.normal(size=200), "y": y})
    for kind, text in ((int, "7"), (float, "7.0"), (bool, "true")):
        table["shop"] = np.repeat([1, 7], 100)
        table["shop"] = table["shop"] > 1 if kind is bool else table["shop"].astype(kind)
        table.to_parquet(tmp_path / "a.parquet")
        options = ("--task", "shop", "--label", "y", "--out", tmp_path / "m")
        succeed("fit", tmp_path / "a.parquet", *options)
        names = (text,) if kind is bool else (text, "7")
        for name in names:
            done = succeed("plan", tmp_path / "m", "--task", name, "--error", "0.1")
            assert done.out.splitlines()[0].endswith("labels 0 / 1 50 / 50")


@pytest.mark.parametrize("priors", ["equal", "empirical"])
def test_the_actual_error_is_next_to_the_forecast(priors: str, tmp_path: Path) -> None:
    """With equal priors both are means over classes."""
    test = frame(DIGITS.X_test, DIGITS.y_test, DIGITS.task_test)
    keep = (test["digit"] == "a") | (np.arange(len(test)) % 3 == 0)
    test = test[keep]
    test.to_csv(tmp_path / "test.csv", index=False)
    known = frame(DIGITS.X, DIGITS.y, DIGITS.task)
    known = known[(known["digit"] == "a") | (np.arange(len(known)) % 3 > 0)]
    known.to_csv(tmp_path / "known.csv", index=False)
    options = ("--task", "pair", "--label", "digit", "--priors", priors)
    succeed("fit", tmp_path / "known.csv", *options, "--out", tmp_path / "m")
    found = succeed("evaluate", tmp_path / "m", tmp_path / "test.csv", "--json").json
    clf = kinspan.load(tmp_path / "m")
    predicted = clf.predict(test[clf.feature_names_in_], task=test["pair"].to_numpy())
    report = task_report(test["digit"], predicted, test["pair"])
    assert found["rows"] == len(test)
    assert found["wrong"] == pytest.approx(report.overall)
    by_task = {entry["task"]: entry for entry in found["tasks"]}
    for t, task in enumerate(report.tasks.tolist()):
        entry, wrong = by_task[task], (predicted != test["digit"])[test["pair"] == task]
        assert entry["rows"] == report.n_samples[t]
        assert entry["wrong"] == pytest.approx(report.error_rate[t])
        assert entry["forecast_error"] == pytest.approx(clf.forecast_error_[t])
        rates = wrong.groupby(test["digit"]).mean()
        counts = clf.moments_.counts[t]
        shares = counts / counts.sum() if priors == "empirical" else [0.5, 0.5]
        assert entry["actual_error"] == pytest.approx(float(rates @ shares))
    inside = [entry["inside"] for entry in found["tasks"]]
    assert found["inside"] == sum(inside)
    assert sum(inside) >= 35  # 90 % intervals, 45 tasks


def test_the_table_of_an_evaluation(digits: Path, tmp_path: Path) -> None:
    test = frame(DIGITS.X_test, DIGITS.y_test, DIGITS.task_test)
    test.to_feather(tmp_path / "test.feather")
    shown = succeed("evaluate", digits, tmp_path / "test.feather", "--all").out
    assert sum(" vs " in line for line in shown.splitlines()) == 45
    assert " of 45" in shown
    assert "±" in shown


def test_new_tasks_have_an_error_but_no_forecast(digits: Path, tmp_path: Path) -> None:
    test = frame(DIGITS.X_test, DIGITS.y_test, DIGITS.task_test)
    test["pair"] = test["pair"].replace("3 vs 8", "new")
    test.to_csv(tmp_path / "test.csv", index=False)
    options = ("evaluate", digits, tmp_path / "test.csv", "--unseen", "shared")
    entry = next(e for e in succeed(*options, "--json").json["tasks"] if e["task"] == "new")
    assert entry["forecast_error"] is None
    assert entry["inside"] is None
    assert 0 < entry["wrong"] < 1
    assert "no task 'new'" in refusal("evaluate", digits, tmp_path / "test.csv")


def test_labels_that_are_no_class_are_refused(digits: Path, tmp_path: Path) -> None:
    test = frame(DIGITS.X_test, DIGITS.y_test, DIGITS.task_test)
    test.loc[5, "digit"] = "c"
    test.to_csv(tmp_path / "test.csv", index=False)
    message = refusal("evaluate", digits, tmp_path / "test.csv")
    assert "label 'c' is not a class of the model" in message
    assert "'a', 'b'" in message
    test.rename(columns={"digit": "other"}).to_csv(tmp_path / "test.csv", index=False)
    message = refusal("evaluate", digits, tmp_path / "test.csv")
    assert "--label digit: no such column" in message


def test_scores_of_test_rows_are_those_of_python(digits: Path, tmp_path: Path) -> None:
    test = frame(DIGITS.X_test, DIGITS.y_test, DIGITS.task_test)
    test.to_csv(tmp_path / "test.csv", index=False)
    asked = "roc_auc,average_precision,recall_at_precision=0.9,cost=0 1; 5 0"
    command = ("evaluate", digits, tmp_path / "test.csv", "--metrics", asked, "--all")
    found, clf = succeed(*command, "--json").json, kinspan.load(digits)
    X, task = test[clf.feature_names_in_], test["pair"].to_numpy()
    report = task_report(
        test["digit"],
        clf.predict(X, task=task),
        task,
        y_proba=clf.predict_proba(X, task=task),
        scores=asked.split(","),
    )
    scores = report.to_frame()
    for entry in found["tasks"]:
        values = {name: of["value"] for name, of in entry["metrics"].items()}
        assert values == pytest.approx(scores.loc[entry["task"], list(values)].to_dict())
    assert report.scores is not None
    said = clf.forecast(score="average_precision")
    first = found["tasks"][0]
    forecast = first["metrics"]["average_precision"]["forecast"]
    assert forecast == pytest.approx(said.value[said.tasks.index(first["task"])])
    shown = succeed(*command[:3], "--metrics", "precision_at_budget=5")
    assert "a budget in rows has no forecast" in shown.err
    overall = [of["value"] for of in found["metrics"].values()]
    assert overall == pytest.approx(report.scores.overall[0, 2:])
    out = succeed(*command).out
    assert "Always the most frequent class of a task: AUC 0.500, average precision (b) 0.5" in out
    table = out.split("\nScores\n")[1]
    mean = next(line.split() for line in table.splitlines() if line.startswith(" mean"))
    assert mean[5] == f"{said.value.mean():.3f}"  # the forecast is beside its score
    assert table.split().count("forecast") == 4
    assert sum(" vs " in line for line in out.splitlines()) == 90
    message = refusal("evaluate", digits, tmp_path / "test.csv", "--metrics", "auc")
    assert "--metrics='auc' is no score" in message


def test_scores_are_forecast_as_in_python(digits: Path, clf: MultiTaskSPCA, tmp_path: Path) -> None:
    frame(DIGITS.X, DIGITS.y, DIGITS.task).to_parquet(tmp_path / "known.parquet")
    roles = ("--task", "pair", "--label", "digit", "--out", tmp_path / "m")
    command = ("fit", tmp_path / "known.parquet", *roles, "--score", "roc_auc,lift_at_budget=10%")
    found = succeed(*command, "--json").json["scores"]
    for of, score in zip(found, ("roc_auc", {"lift_at_budget": 0.1}), strict=True):
        expected = clf.forecast(score=score)
        assert of["score"] == expected.score
        assert [entry["task"] for entry in of["tasks"]] == expected.tasks
        assert [entry["value"] for entry in of["tasks"]] == pytest.approx(expected.value)
        assert [entry["interval"][1] for entry in of["tasks"]] == pytest.approx(expected.high)
    shown = succeed(*command).out
    assert "Forecast of lift at 10 % (b): 45 tasks; the 30 with the worst lift at 10 % (b)" in shown
    assert "Majority: always answering" in shown
    message = refusal(*command[:-1], "precision_at_budget=100")
    assert "name the budget as a share" in message


def test_a_threshold_is_chosen_as_in_python(tmp_path: Path) -> None:
    frame(DIGITS.X, DIGITS.y, DIGITS.task).to_parquet(tmp_path / "known.parquet")
    roles = ("--task", "pair", "--label", "digit", "--out", tmp_path / "m")
    command = ("fit", tmp_path / "known.parquet", *roles, "--threshold")
    succeed(*command, "budget=30%, tasks=all")
    found = kinspan.load(tmp_path / "m")
    assert found.threshold == {"budget": 0.3, "tasks": "all"}
    expected = MultiTaskSPCA(threshold={"budget": 0.3, "tasks": "all"})
    expected.fit(DIGITS.X, np.where(DIGITS.y > 0, "b", "a"), task=DIGITS.task)
    np.testing.assert_allclose(found.threshold_, expected.threshold_, atol=1e-6)
    assert "precision=0.8" in refusal(*command, "precision")


def test_errors_are_not_planned_for_a_threshold_for_something_else(tmp_path: Path) -> None:
    rng, y = np.random.default_rng(0), np.tile(np.repeat([0, 1], [45, 5]), 4)
    X = rng.normal(size=(200, 10)) + 0.3 * y[:, None]
    frame(X, y, np.repeat(["p", "q", "r", "s"], 50)).to_csv(tmp_path / "a.csv", index=False)
    options = ("--priors", "empirical", "--threshold", "cost=0 1; 30 0", "--out", tmp_path / "m")
    ran = succeed("fit", tmp_path / "a.csv", "--task", "pair", "--label", "digit", *options)
    assert "Answers are chosen for the least cost, not for few errors. Alone: " in ran.out
    shown = succeed("plan", tmp_path / "m", "--error", "20%").out
    assert "Other goal: the threshold is not for few errors" in shown
    lines = [line.split()[-3:] for line in shown.splitlines() if " 45 / 5 " in line]
    assert lines == [["other", "goal", "–"]] * 4
