"""`kinspan predict` says what Python says, row by row and in their order."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.tables import reader
from tests.cli.running import ROLES, WORLD, refusal, succeed, written
from tests.cli.running import kinspan as run
from tests.engines.stored_worlds import in_memory, stored_world

NEW = stored_world(7, n=300)


def expected() -> tuple[Any, Any]:
    model = in_memory(WORLD)
    return model.predict(NEW.X, task=NEW.task), model.predict_proba(NEW.X, task=NEW.task)


def read(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    if path.suffix == ".feather":
        return pd.read_feather(path)
    return pd.read_csv(path, sep="\t" if path.suffix == ".tsv" else ",")


@pytest.mark.parametrize("source", ["csv", "tsv", "parquet", "feather"])
@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_answers_are_those_of_python_in_order(
    source: str, target: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BATCH_ROWS", 41)
    data, out = written(NEW.table(), tmp_path / f"new.{source}"), tmp_path / f"scored.{target}"
    ran = succeed("predict", model, data, "--out", out)
    assert "300 rows scored" in ran.out
    found = read(out)
    labels, shares = expected()
    assert found.columns.tolist() == [
        *NEW.table().column_names,
        "predicted",
        "p_ja",
        "p_nein",
        "p_無",
    ]
    assert found["predicted"].tolist() == labels.tolist()
    np.testing.assert_allclose(found.iloc[:, -3:].to_numpy(), shares, rtol=1e-9)
    np.testing.assert_array_equal(found[NEW.names].to_numpy(), NEW.X)
    assert found["clinic"].tolist() == NEW.task.tolist()


@pytest.mark.parametrize("ending", ["tsv", "csv.gz", "feather", "arrow"])
def test_other_formats_are_written(ending: str, model: Path, tmp_path: Path) -> None:
    data, out = written(NEW.table(), tmp_path / "new.csv"), tmp_path / f"scored.{ending}"
    succeed("predict", model, data, "--out", out)
    found = pd.read_feather(out) if ending == "arrow" else read(out)
    assert found["predicted"].tolist() == expected()[0].tolist()


def test_rows_flow_from_standard_input_to_standard_output(model: Path, tmp_path: Path) -> None:
    data = written(NEW.table(), tmp_path / "new.csv").read_bytes()
    ran = succeed("predict", model, "-", stdin=data)
    assert ran.err == ""
    assert pd.read_csv(io.StringIO(ran.out))["predicted"].tolist() == expected()[0].tolist()


def test_several_files_are_one_answer(model: Path, tmp_path: Path) -> None:
    parts = np.array_split(np.arange(len(NEW.X)), 2)
    written(NEW.table(parts[0]), tmp_path / "a.csv")
    turned = NEW.table(parts[1])
    written(turned.select(turned.column_names[::-1]), tmp_path / "b.csv")
    out = tmp_path / "scored" / "all.csv"
    out.parent.mkdir()
    succeed("predict", model, tmp_path / "*.csv", "--out", out)
    assert read(out)["predicted"].tolist() == expected()[0].tolist()
    np.testing.assert_array_equal(read(out)[NEW.names].to_numpy(), NEW.X)
    written(turned.append_column("more", turned["clinic"]), tmp_path / "b.csv")
    assert "b.csv: column 'more'" in refusal("predict", model, tmp_path / "*.csv", "--out", out)


def test_cells_of_text_files_are_kept_as_they_are(model: Path, tmp_path: Path) -> None:
    """Ids keep their zeros, numbers their digits, and text with commas, quotes and line ends."""
    plain = NEW.table([0, 1]).to_pandas()
    plain["id"], plain["price"] = ["007", "08"], ["1.50", "2,00"]
    plain["note"] = ['he said "no"', "two\nlines; 無"]
    plain.to_csv(tmp_path / "new.csv", index=False)
    succeed("predict", model, tmp_path / "new.csv", "--out", tmp_path / "s.csv")
    found = pd.read_csv(tmp_path / "s.csv", dtype=str, keep_default_na=False)
    before = pd.read_csv(tmp_path / "new.csv", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(found[before.columns.tolist()], before)
    assert '"007"' not in (tmp_path / "s.csv").read_text()


def test_only_answers_are_the_task_and_the_answers(model: Path, tmp_path: Path) -> None:
    data = written(NEW.table(), tmp_path / "new.csv")
    ran = succeed("predict", model, data, "--only-answers")
    found = pd.read_csv(io.StringIO(ran.out))
    assert found.columns.tolist() == ["clinic", "predicted", "p_ja", "p_nein", "p_無"]
    assert found["clinic"].tolist() == NEW.task.tolist()


def test_formats_with_types_have_those_of_the_recipe(model: Path, tmp_path: Path) -> None:
    plain = NEW.table([0, 1]).to_pandas().assign(id=["007", "08"])
    plain.to_csv(tmp_path / "new.csv", index=False)
    succeed("predict", model, tmp_path / "new.csv", "--out", tmp_path / "s.parquet")
    types = {field.name: field.type for field in pa.parquet.read_schema(tmp_path / "s.parquet")}
    assert types["x1"] == types["p_ja"] == pa.float64()
    assert types["id"] == types["clinic"] == types["predicted"] == pa.string()


def test_columns_that_are_there_already_are_not_replaced(model: Path, tmp_path: Path) -> None:
    data, out = written(NEW.table(), tmp_path / "new.csv"), tmp_path / "scored.csv"
    succeed("predict", model, data, "--out", out)
    message = refusal("predict", model, out, "--out", tmp_path / "twice.csv")
    assert "column 'predicted' already" in message
    assert "--only-answers" in message


def test_unknown_tasks_are_named_or_get_what_all_agree_on(model: Path, tmp_path: Path) -> None:
    table = NEW.table().to_pandas()
    table.loc[250, "clinic"] = "elsewhere"
    table.to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / "scored.csv"
    message = refusal("predict", model, tmp_path / "new.csv", "--out", out)
    assert "no task 'elsewhere'" in message
    assert "--unseen shared" in message
    assert not out.exists()
    succeed("predict", model, tmp_path / "new.csv", "--out", out, "--unseen", "shared")
    shared = in_memory(WORLD, unseen="shared")
    answer = shared.predict_proba(NEW.X[250:251], task="elsewhere")
    np.testing.assert_allclose(read(out).iloc[250, -3:].to_numpy(float), answer[0], rtol=1e-9)


def test_a_failure_leaves_no_half_file(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BATCH_ROWS", 41)
    table = NEW.table().to_pandas().astype({"x1": object})
    table.loc[250, "x1"] = "?"
    for ending in ("csv", "parquet", "feather"):
        table.to_csv(tmp_path / "new.csv", index=False)
        (tmp_path / f"s.{ending}").write_text("before")
        refusal("predict", model, tmp_path / "new.csv", "--out", tmp_path / f"s.{ending}")
        assert (tmp_path / f"s.{ending}").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 4


def test_no_rows_are_no_answers(model: Path, tmp_path: Path) -> None:
    names = NEW.table().column_names
    (tmp_path / "new.csv").write_text(",".join(names) + "\n", encoding="utf-8")
    ran = succeed("predict", model, tmp_path / "new.csv", "--only-answers")
    assert ran.out == "clinic,predicted,p_ja,p_nein,p_無\n"
    ran = succeed("predict", model, tmp_path / "new.csv")
    assert ran.out == ",".join([*names, "predicted", "p_ja", "p_nein", "p_無"]) + "\n"


def test_json_counts(model: Path, tmp_path: Path) -> None:
    data, out = written(NEW.table(), tmp_path / "new.csv"), tmp_path / "s.csv"
    found = succeed("predict", model, data, "--out", out, "--json").json
    assert found == {"out": str(out), "rows": 300, "unanswered": 0, "notes": []}
    assert "--out" in run("predict", model, data, "--json").json["error"]


def test_integers_are_the_same_tasks_in_every_format(tmp_path: Path) -> None:
    """A column of integers in one file is one of floats in another where a value is missing."""
    place = {name: i for i, name in enumerate(np.unique(WORLD.task))}
    table = WORLD.table().to_pandas()
    table["clinic"] = [place[name] for name in table["clinic"]]
    table["ill"] = (table["ill"] == "ja").astype(int)
    table.to_csv(tmp_path / "a.csv", index=False)
    succeed("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    answers = []
    for kind in (int, float):
        typed = table.astype({"clinic": kind})
        typed.to_parquet(tmp_path / f"{kind.__name__}.parquet")
        typed.to_csv(tmp_path / f"{kind.__name__}.csv")
    for name in ("int.parquet", "float.parquet", "int.csv", "float.csv"):
        data = tmp_path / name
        succeed("predict", tmp_path / "m", data, "--out", tmp_path / "s.parquet")
        found = pa.parquet.read_table(tmp_path / "s.parquet")
        assert found.schema.field("predicted").type == pa.int64()
        answers.append(found["predicted"].to_pylist())
    assert all(found == answers[0] for found in answers)
    table.astype({"clinic": float}).replace({"clinic": {1.0: 1.5}}).to_csv(tmp_path / "c.csv")
    said = "task column 'clinic' holds numbers, but in the model it holds integers"
    assert said in refusal("predict", tmp_path / "m", tmp_path / "c.csv")


def test_classes_that_are_true_or_false(tmp_path: Path) -> None:
    table = WORLD.table().to_pandas()
    table["ill"] = table["ill"] == "ja"
    table.to_csv(tmp_path / "a.csv", index=False)
    succeed("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    found = pd.read_csv(io.StringIO(succeed("predict", tmp_path / "m", tmp_path / "a.csv").out))
    assert found.columns.tolist()[-3:] == ["predicted", "p_false", "p_true"]
    expected = MultiTaskSPCA().fit(WORLD.X, WORLD.y == "ja", task=WORLD.task)
    assert found["predicted"].tolist() == expected.predict(WORLD.X, task=WORLD.task).tolist()


def test_columns_that_a_format_cannot_hold(model: Path, tmp_path: Path) -> None:
    table = NEW.table()
    lists = table.append_column("more", pa.array([[1, 2]] * len(NEW.X)))
    data = written(lists, tmp_path / "a.parquet")
    assert "list<" in refusal("predict", model, data, "--out", tmp_path / "s.csv")
    succeed("predict", model, data, "--out", tmp_path / "s.parquet")
    text = table.append_column("more", pa.array(["many"] * len(NEW.X)))
    files = (data, written(text, tmp_path / "b.parquet"))
    message = refusal("predict", model, *files, "--out", tmp_path / "two.parquet")
    assert "column 'more' is list<" in message
    assert not (tmp_path / "two.parquet").exists()
    succeed("predict", model, *files, "--only-answers", "--out", tmp_path / "two.parquet")


def test_a_model_saved_from_python_says_what_it_knows(tmp_path: Path) -> None:
    frame = pd.DataFrame(WORLD.X, columns=WORLD.names)
    clf = MultiTaskSPCA().fit(frame, WORLD.y, task=WORLD.task)
    kinspan.save(clf, tmp_path / "m")
    data = written(NEW.table(), tmp_path / "new.csv")
    assert "--task" in refusal("predict", tmp_path / "m", data)
    ran = succeed("predict", tmp_path / "m", data, "--task", "clinic")
    assert pd.read_csv(io.StringIO(ran.out))["predicted"].tolist() == expected()[0].tolist()
    assert "--label" in refusal("evaluate", tmp_path / "m", data, "--task", "clinic")
    succeed("evaluate", tmp_path / "m", data, "--task", "clinic", "--label", "ill")
    by_column = MultiTaskSPCA(task_column="clinic")
    by_column.fit(frame.assign(clinic=WORLD.task), WORLD.y)
    kinspan.save(by_column, tmp_path / "m")
    ran = succeed("predict", tmp_path / "m", data)
    assert pd.read_csv(io.StringIO(ran.out))["predicted"].tolist() == expected()[0].tolist()
    kinspan.save(MultiTaskSPCA().fit(WORLD.X, WORLD.y, task=WORLD.task), tmp_path / "m")
    assert "no names of features" in refusal("predict", tmp_path / "m", data, "--task", "clinic")


def test_interruption_is_quiet_and_leaves_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(reader.Reader, "chunks", interrupted)
    data = written(NEW.table(), tmp_path / "new.csv")
    ran = run("predict", model, data, "--out", tmp_path / "s.csv")
    assert (ran.code, ran.out, ran.err) == (130, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


def test_names_of_classes_are_no_formulas_in_a_spreadsheet(tmp_path: Path) -> None:
    """They come with a model, which may come from anywhere."""
    rng = np.random.default_rng(0)
    names = ["=1+1", "+x", "@y", "-z", "-1.5", "+2", "a=b"]
    y = np.repeat(names, 30)
    frame = pd.DataFrame(rng.normal(size=(len(y), 7)) + 9 * np.eye(7)[np.repeat(range(7), 30)])
    frame.columns = pd.Index([f"x{i}" for i in range(7)])
    frame["y"], frame["note"] = y, "=HYPERLINK(1)"
    frame.to_csv(tmp_path / "a.csv", index=False)
    options = ("--label", "y", "--exclude", "note", "--out", tmp_path / "m")
    succeed("fit", tmp_path / "a.csv", *options)
    out = tmp_path / "s.csv"
    succeed("predict", tmp_path / "m", tmp_path / "a.csv", "--out", out)
    scored = pd.read_csv(out, dtype=str)
    expected = ["'=1+1", "'+x", "'@y", "'-z", "-1.5", "+2", "a=b"]
    assert list(dict.fromkeys(scored["predicted"])) == expected
    assert set(scored["note"]) == {"=HYPERLINK(1)"}  # cells of the user stay what they are
    succeed("predict", tmp_path / "m", tmp_path / "a.csv", "--out", tmp_path / "s.parquet")
    assert set(pd.read_parquet(tmp_path / "s.parquet")["predicted"]) == set(names)
