"""The program as a shell sees it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinspan
from kinspan.cli import demonstration, program
from kinspan.cli.overview import VERBS
from tests.cli.running import ROLES, WORLD, refusal, succeed, written
from tests.cli.running import kinspan as run

PROGRAM = [sys.executable, "-m", "kinspan"]


def test_help_shows_every_verb_and_examples() -> None:
    shown = succeed("--help").out
    assert all(verb in shown for verb in VERBS)
    assert "kinspan fit data.parquet --task tenant" in shown
    for verb in VERBS:
        shown = succeed(verb, "--help").out
        assert "Examples:" in shown
        assert "bool" not in shown  # options without a value have no type
        assert f"kinspan {verb} " in shown.split("Examples:")[1]


def test_summaries_are_what_the_verbs_say_of_themselves() -> None:
    for verb, summary in VERBS.items():
        function = getattr(import_module(f"kinspan.cli.{verb}"), verb)
        assert function.__doc__.splitlines()[0] == summary


@pytest.mark.parametrize("argument", ["--help", "--version", "-h"])
def test_nothing_large_is_imported_for_a_few_words(argument: str) -> None:
    code = (
        "import sys; from kinspan.__main__ import main; main([sys.argv[1]]); "
        "print({'sklearn', 'scipy', 'numpy', 'pandas', 'pyarrow', 'typer', 'rich'} "
        "& set(sys.modules))"
    )
    command = [sys.executable, "-c", code, argument]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("\nset()\n")
    assert "kinspan" in ran.stdout


def test_defaults_in_the_help_are_those_of_the_verb() -> None:
    def of_unseen(verb: str) -> str:
        return succeed(verb, "--help").out.partition("--unseen")[2].partition("--")[0]

    assert "default: error" in of_unseen("fit")
    assert "as the model was fitted" in " ".join(of_unseen("predict").replace("│", "").split())


def closed_output(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = 'exec "$@" >&-'
    whole = ["sh", "-c", command, "sh", *PROGRAM, *map(str, arguments)]
    return subprocess.run(whole, stderr=subprocess.PIPE, text=True, check=False)


def test_output_that_is_closed(tmp_path: Path) -> None:
    data, model = written(WORLD.table(), tmp_path / "a.csv"), tmp_path / "m"
    for more in ((), ("--json",)):
        ran = closed_output("fit", data, *ROLES, "--out", model, *more)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert kinspan.load(model).tasks_.tolist() == sorted(set(WORLD.task))
    ran = closed_output("predict", model, data)
    assert ran.returncode == 2
    assert ran.stderr == ("kinspan: error: standard output is closed; name a file with --out\n")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["fit", "none.csv", "--label", "y", "--json"]]
)
def test_output_that_nobody_takes(arguments: list[str]) -> None:
    """A reader that is gone is told nothing, and a full disk is one line."""
    reader, pipe = os.pipe()
    os.close(reader)
    with open(pipe, "wb") as gone, open("/dev/full", "wb") as full:
        for stream, code, said in (
            (gone, 1, ""),
            (full, 2, "kinspan: error: no space left on device\n"),
        ):
            command = [*PROGRAM, *arguments]
            ran = subprocess.run(
                command, stdout=stream, stderr=subprocess.PIPE, text=True, check=False
            )
            assert (ran.returncode, ran.stderr) == (code, said)


def test_an_interruption_while_libraries_are_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "import_module", interrupted)
    ran = run("fit", "a.csv", "--label", "y")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_an_interruption_while_a_verb_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(demonstration, "run", interrupted)
    ran = run("demo")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_no_arguments_show_the_help() -> None:
    ran = run()
    assert ran.code == 2
    assert "predict" in ran.out + ran.err


def test_a_verb_that_does_not_exist_is_answered_with_those_that_do() -> None:
    message = refusal("fot", "data.csv")
    assert "No such command 'fot'" in message
    assert all(verb in message for verb in VERBS)
    assert refusal("fitt").startswith("No such command 'fitt'. Did you mean 'fit'? The verbs are ")
    assert refusal("--fit", "data.csv").startswith("No such option: --fit")


def test_forecasts_have_no_verb_of_their_own() -> None:
    assert "kinspan fit and kinspan report forecast the error" in refusal("forecast", "m.kinspan")


def test_paragraphs_of_a_help_are_filled() -> None:
    lines = succeed("moments", "--help").out.splitlines()
    assert any("every task the number of rows" in line for line in lines)


def test_version() -> None:
    assert succeed("--version").out == f"kinspan {kinspan.__version__}\n"


def test_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration, "DRAWS", 1)
    ran = succeed("demo", "--out", tmp_path / "demo.png")
    assert "3 vs 8" in ran.out
    assert (tmp_path / "demo.png").stat().st_size > 10_000


def test_export(model: Path, tmp_path: Path) -> None:
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415

    ran = succeed("export", model, "--onnx", tmp_path / "m.onnx")
    assert "inputs features and task" in ran.out
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    clf = kinspan.load(model)
    del clf.feature_names_in_
    label, shares = session.run(None, {"features": WORLD.X, "task": WORLD.task})
    assert label.tolist() == clf.predict(WORLD.X, task=WORLD.task).tolist()
    np.testing.assert_allclose(shares, clf.predict_proba(WORLD.X, task=WORLD.task), rtol=1e-9)
    options = ("export", model, "--onnx", tmp_path / "m.onnx", "--float32", "--unseen", "shared")
    found = succeed(*options, "--json").json
    assert found["features"] == WORLD.names
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    assert session.get_inputs()[0].type == "tensor(float)"
    rows = {"features": WORLD.X[:1].astype(np.float32), "task": np.array(["new"], dtype=object)}
    clf.unseen = "shared"
    np.testing.assert_allclose(
        session.run(None, rows)[1], clf.predict_proba(WORLD.X[:1], task="new"), rtol=1e-4
    )


def test_warnings_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def warned(*_: Any) -> None:
        import warnings  # noqa: PLC0415

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("two\nlines", UserWarning, stacklevel=1)

    monkeypatch.setattr(demonstration, "run", warned)
    assert succeed("demo").err == "kinspan: warning: two lines\n"


def test_without_typer_the_demo_runs_and_others_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.setattr(demonstration, "run", lambda path: print("demo", path))
    assert succeed("demo").out == "demo demo.png\n"
    assert succeed("demo", "--out", "x.png").out == "demo x.png\n"
    for verb in list(VERBS)[:-1]:
        message = refusal(verb, "--help")
        assert message.startswith(f"kinspan {verb} needs typer, which is not installed")
        assert "pip install 'kinspan[cli]'" in message
    assert "the command line needs typer" in refusal("fot")
    assert "predict" in succeed("--help").out


@pytest.mark.long
def test_the_reader_of_the_output_may_close_it(model: Path, tmp_path: Path) -> None:
    data = written(WORLD.table(np.tile(np.arange(500), 40)), tmp_path / "new.csv")
    command = [*PROGRAM, "predict", str(model), str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("größe".encode())
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


def test_a_terminal_has_progress_and_style_unless_they_are_declined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a terminal escape codes move the cursor; NO_COLOR leaves out colours."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.delenv("NO_COLOR", raising=False)
    data = written(WORLD.table(), tmp_path / "a.csv")
    command = ("fit", data, *ROLES, "--out", tmp_path / "m")
    shown = run(*command, terminal=True)
    assert "reading" in shown.err
    assert "\x1b[3" in shown.err
    assert "\x1b[1m" in shown.out
    assert "500 rows" in shown.out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in run(*command, terminal=True).err
    quiet = run(*command)
    assert "\x1b" not in quiet.out
    assert quiet.err == ""
    assert run(*command, "--json", terminal=True).err == ""


def test_names_that_look_like_markup_are_names(tmp_path: Path) -> None:
    table = WORLD.table().to_pandas()
    table["clinic"] = "[bold]" + table["clinic"] + "[/]"
    table.to_csv(tmp_path / "a.csv", index=False)
    ran = succeed("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    assert "[bold]Nº 0[/]" in ran.out
    assert "[bold]x" in refusal("explain", tmp_path / "m", "--task", "[bold]x")


def test_colours_that_are_asked_for_bring_no_bars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notebooks set FORCE_COLOR for all programs that they start."""
    data = written(WORLD.table(), tmp_path / "rows.csv")
    wanted = "moments", data, *ROLES, "--out", tmp_path / "rows.moments"
    plain = succeed(*wanted)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert succeed(*wanted) == plain
