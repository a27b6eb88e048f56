"""What verbs print with --json follows the schema of the documentation, errors too."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from kinspan.cli import fit as fitting
from tests.cli.running import ROLES, WORLD, kinspan, succeed, written

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/_static/kinspan-json.schema.json").read_text(encoding="utf-8"))


def check(kind: str, found: Any) -> None:
    """Of its own kind and of no other."""
    of_kind = {key: value for key, value in SCHEMA.items() if key != "anyOf"}
    for name in [part["$ref"].rpartition("/")[2] for part in SCHEMA["anyOf"]]:
        schema = {**of_kind, "$ref": f"#/$defs/{name}"}
        assert jsonschema.Draft202012Validator(schema).is_valid(found) == (name == kind), name


def test_every_verb_prints_what_the_schema_says(model: Path, tmp_path: Path) -> None:
    data, first = written(WORLD.table(), tmp_path / "rows.csv"), WORLD.task[0]
    out, moments = tmp_path / "m.kinspan", tmp_path / "a.moments"
    commands = {
        "fit": ("fit", data, *ROLES, "--out", out),
        "predict": ("predict", model, data, "--out", tmp_path / "scored.csv"),
        "explain": ("explain", model, "--task", first),
        "plan": ("plan", model, "--task", first, "--error", "0.1"),
        "plan_all": ("plan", model, "--error", "0.1"),
        "evaluate": ("evaluate", model, data, "--metrics", "roc_auc,log_loss"),
        "audit": ("audit", model, data),
        "moments": ("moments", data, *ROLES, "--out", moments),
        "merge": ("merge", moments, "--out", tmp_path / "all.moments"),
        "export": ("export", model, "--onnx", tmp_path / "m.onnx"),
        "report": ("report", model, "--out", tmp_path / "report.html"),
    }
    for kind, command in commands.items():
        check(kind, succeed(*command, "--json").json)


def test_unknown_numbers_and_other_ids_follow_the_schema_too(tmp_path: Path) -> None:
    """Every task has labels of one class: nothing is known of its error."""
    (tmp_path / "a.csv").write_text("x,t,y\n" + "".join(f"{i},{i % 2},{i % 2}\n" for i in range(8)))
    command = ("fit", tmp_path / "a.csv", "--task", "t", "--label", "y", "--out", tmp_path / "m")
    found = succeed(*command, "--json").json
    check("fit", found)
    assert [task["forecast_error"] for task in found["tasks"]] == [None, None]
    ran = succeed(*command)
    assert "unknown" in ran.out
    assert "no task has labels of two classes" in ran.err
    assert found["notes"] == [ran.err.strip().removeprefix("kinspan: ")]
    check("plan_all", succeed("plan", tmp_path / "m", "--error", "0.1", "--json").json)


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "nowhere.csv", "--label", "y"),
        ("fit", "a.csv", "--lable", "y"),
        ("explain", "nowhere.kinspan", "--task", "a"),
        ("nonsense",),
        ("predict", "nowhere.kinspan", "a.csv"),
    ],
)
def test_errors_are_json_where_a_result_would_have_been(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain, ran = kinspan(*command), kinspan(*command, "--json")
    assert ran.code == plain.code == 2
    check("error", ran.json)
    if "--json" not in plain.err and command[0] != "predict":
        assert plain.err == f"kinspan: error: {ran.json['error']}\n"


def test_warnings_are_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = fitting._show

    def with_warning(*arguments: Any) -> None:
        warnings.warn("strange numbers", UserWarning, stacklevel=2)
        shown(*arguments)

    monkeypatch.setattr(fitting, "_show", with_warning)
    data = written(WORLD.table(), tmp_path / "rows.csv")
    command = ("fit", data, *ROLES, "--out", tmp_path / "m")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert succeed(*command, "--json").json["notes"] == ["strange numbers"]
        assert succeed(*command).err == "kinspan: warning: strange numbers\n"
