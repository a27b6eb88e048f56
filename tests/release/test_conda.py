"""The conda recipe makes the same package, as far as one sees without conda."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.release.building import ROOT, build

yaml: Any = pytest.importorskip("yaml", reason="comes with dask")
TEXT = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def rendered() -> Any:
    """The recipe with its one variable filled in."""
    return yaml.safe_load(TEXT.replace("${{ version }}", PROJECT["version"]))


def spaced(requirement: str) -> str:
    """A requirement as conda writes it."""
    return re.sub(r"(?<=\w)(?=[><=])", " ", requirement)


def test_it_says_what_pyproject_says() -> None:
    recipe = rendered()
    python = spaced(f"python{PROJECT['requires-python']}")
    assert recipe["context"]["version"] == recipe["package"]["version"] == PROJECT["version"]
    assert recipe["package"]["name"] == PROJECT["name"]
    needed = [python, *map(spaced, PROJECT["dependencies"])]
    assert recipe["requirements"]["run"] == needed
    building = [python, "pip", *map(spaced, PYPROJECT["build-system"]["requires"])]
    assert recipe["requirements"]["host"] == building
    programs = [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == programs
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]


@pytest.mark.long
def test_its_script_builds_the_source_archive_and_its_tests_pass(tmp_path: Path) -> None:
    """The script installs into a folder; packages that it needs are those of this environment."""
    recipe = rendered()
    (archive,) = (path for path in build(tmp_path) if path.suffix == ".gz")
    assert Path(recipe["source"]["path"]) == Path("../dist") / archive.name
    with tarfile.open(archive) as files:
        files.extractall(tmp_path, filter="data")
    source, target = tmp_path / archive.name.removesuffix(".tar.gz"), tmp_path / "installed"
    assert (source / recipe["about"]["license_file"]).is_file()
    assert (source / "conda" / "recipe.yaml").is_file()

    def run(command: list[str], **environment: str) -> str:
        ran = subprocess.run(
            [sys.executable, *command],
            cwd=source if "install" in command else tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    python, *arguments = shlex.split(recipe["build"]["script"])
    assert python == "python"
    run([*arguments, "--quiet", "--target", str(target)])
    imports, commands = recipe["tests"]
    code = "; ".join(
        f"import {name} as m; print(m.__file__)" for name in imports["python"]["imports"]
    )
    places = run(["-c", code], PYTHONPATH=str(target)).splitlines()
    assert all(Path(place).is_relative_to(target) for place in places)
    for command in commands["script"]:
        words = shlex.split(command.replace("python -m ", ""))
        assert words[0] == "kinspan"
        assert run(["-m", *words], PYTHONPATH=str(target))
