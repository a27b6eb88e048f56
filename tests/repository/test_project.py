"""What the files around the source say of it is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import kinspan
from tests.release.check import PYTHONS

yaml: Any = pytest.importorskip("yaml", reason="comes with dask")
ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere() -> None:
    cited = yaml.safe_load(read("CITATION.cff"))
    assert PROJECT["version"] == kinspan.__version__ == cited["version"]


def test_supported_pythons_are_classified_checked_and_tested() -> None:
    classified = [
        name.rpartition(" ")[2]
        for name in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    workflow = yaml.safe_load(read(".github/workflows/ci.yml"))
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert tuple(classified) == PYTHONS
    assert set(PYTHONS) <= set(tested)
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert f"Python {PYTHONS[0]} to {PYTHONS[-1]}" in read("README.md")


def test_the_workflow_runs_what_the_makefile_has() -> None:
    workflow = yaml.safe_load(read(".github/workflows/ci.yml"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands = [step["run"].split() for step in steps if "run" in step]
    assert [".ci/run"] in commands
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), flags=re.MULTILINE))
    assert {command[1] for command in commands if command[0] == "make"} <= targets


def test_the_checklist_names_targets_that_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), flags=re.MULTILINE))
    named = re.findall(r"`make ([\w\s-]+)`", read("RELEASING.md"))
    assert named
    assert {target for line in named for target in line.split()} <= targets


def test_large_libraries_are_extras_of_their_own() -> None:
    """The program reads tables and prints; graphs and pages are asked for by name."""
    extras = PROJECT["optional-dependencies"]
    assert extras["cli"][0] == "kinspan[files]"
    assert not [line for line in extras["cli"] if re.match(r"onnx|plotly", line)]


def test_addresses_are_named_in_one_place() -> None:
    """Where the repository is, once it is somewhere public, stands in the metadata alone."""
    for name, address in PROJECT.get("urls", {}).items():
        assert re.fullmatch(r"https://\S+", address), name


@pytest.mark.parametrize("template", ["wrong.md", "wish.md"])
def test_templates_of_issues_have_a_name(template: str) -> None:
    head = read(f".github/ISSUE_TEMPLATE/{template}").split("---\n")[1]
    assert set(yaml.safe_load(head)) == {"name", "about"}


def test_the_page_about_installing_lists_every_extra_and_its_packages() -> None:
    page = read("docs/install.md")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| .* \| (.*) \|$", page, flags=re.MULTILINE))
    extras = {k: v for k, v in PROJECT["optional-dependencies"].items() if k not in {"dev", "docs"}}
    assert set(rows) == set(extras)
    for name, lines in extras.items():
        packages = {re.split(r"[\[><=;]", line)[0] for line in lines} - {"kinspan"}
        assert packages <= {package.strip() for package in rows[name].split(",")}
    assert f"Python {PYTHONS[0]} to {PYTHONS[-1]}" in page
    for line in PROJECT["dependencies"]:
        assert re.split(r"[><=]", line)[0] in page
