"""The tutorial of the command line does what it says, in a shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
END = "---- end of block ----"


def python_blocks() -> list[tuple[str, str]]:
    """Lines of Python, and what is shown below them."""
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, flags=re.DOTALL)
    assert len(found) == text.count("```python\n")
    return found


def blocks() -> list[tuple[str, str]]:
    """Commands, and what is shown below them."""
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    found = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", text, flags=re.DOTALL)
    assert len(found) == text.count("```sh\n")
    return found


@pytest.mark.long
@pytest.mark.skipif(shutil.which("bash") is None, reason="the tutorial is for a shell")
def test_the_tutorial_runs_and_prints_what_is_shown(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, command in (
        ("kinspan", f'"{sys.executable}" -m kinspan'),
        ("python", f'"{sys.executable}"'),
    ):
        (programs / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (programs / name).chmod(0o755)
    work = tmp_path / "work"
    (work / "docs").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "tenants.py", work / "docs")
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
    }
    script = "".join(f"{commands}echo '{END}'\n" for commands, _ in blocks())
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    printed = ran.stdout.split(f"{END}\n")[:-1]
    expected = [shown for _, shown in blocks()]
    assert len(printed) == len(expected)
    for found, shown in zip(printed, expected, strict=True):
        lines = [line.rstrip() for line in found.splitlines()]
        assert lines == shown.splitlines()
    program = "".join(f"{code}print('{END}')\n" for code, _ in python_blocks())
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=work, capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert ran.stdout.split(f"{END}\n")[:-1] == [shown for _, shown in python_blocks()]


def test_python_is_ten_lines_and_has_the_numbers_of_the_program() -> None:
    (code, shown), (_, again) = python_blocks()
    assert len([line for line in code.splitlines() if line]) <= 10
    fitted = next(text for command, text in blocks() if "--missing mean" in command)
    forecast, alone = re.findall(r"([\d.]+) %", fitted.partition(" all ")[2])[:2]
    assert shown.startswith(f"forecast {forecast}%, alone {alone}%\n")
    scored = next(text for command, text in blocks() if "kinspan predict churn" in command)
    shares = [float(line.rpartition(",")[2]) for line in scored.splitlines()[2:]]
    for text in (shown, again):
        rounded = [float(number) for number in re.findall(r"0\.\d+", text)]
        assert all(min(abs(share - r) for r in rounded) < 0.0011 for share in shares)
