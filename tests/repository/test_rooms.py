"""The rooms: what the listing of the source says is true of its files and of their imports.

Files are parsed, not imported: an import for the type checker alone counts like any other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE, TESTS = ROOT / "src" / "kinspan", ROOT / "tests"
STEPS = ("class_moments", "row_sample", "metric", "gram", "labels", "scores", "risk")
JOINED = ("selection", "spca")  # the fit, and the estimator around it
# Every room imports only from rooms of earlier lines, and from itself.
ORDER: tuple[tuple[str, ...], ...] = (
    ("exceptions",),
    ("_rows.types",),
    ("_arrays",),
    ("_rows",),
    ("_meta_analysis",),
    ("_storage",),
    ("metrics",),
    ("_validation",),
    ("_progress",),
    ("_device",),
    STEPS,
    ("selection",),
    ("_memory",),
    ("answers",),
    ("spca",),
    ("tables",),
    ("_saving",),
    ("theory",),
    ("datasets",),
    ("baselines",),
    ("model_selection",),
    ("",),  # the package: its public names
    ("export",),
    ("displays",),
    ("report",),
    ("engines",),
    ("cli",),
    ("__main__",),
)
NOT_MIRRORED = {"", "__main__", "_rows.types"}  # tests/repository and tests/cli; names alone
ABOUT_THE_WHOLE = {
    *("repository", "properties", "torture", "faults", "hostile_files", "release"),
    *("experiments", "benchmarks", "browser", "stored"),
}


@cache
def modules() -> dict[str, Path]:
    """Every module by its name below kinspan; a package is named by its folder."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of kinspan that a module names in an import, wherever it stands."""
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    named = (name for node in ast.walk(tree) for name in _named(node))
    return frozenset(name for name in named if name != module)


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        candidates = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        candidates = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        return
    for candidate in candidates:
        if candidate.split(".")[0] == "kinspan":
            name = candidate.removeprefix("kinspan").removeprefix(".")
            yield name if name in modules() else name.rpartition(".")[0]


def room(module: str) -> str:
    """The name of the room that a module is in."""
    return module if module == "_rows.types" else module.split(".", maxsplit=1)[0]


def level(module: str) -> int:
    """How high in the order the room of a module is."""
    return next(i for i, rooms in enumerate(ORDER) if room(module) in rooms)


def test_every_room_has_its_place_in_the_order() -> None:
    ordered = [name for rooms in ORDER for name in rooms]
    assert sorted({room(module) for module in modules()}) == sorted(ordered)


def test_no_private_file_is_in_the_root() -> None:
    files = {path.name for path in SOURCE.glob("_*.py")}
    assert files == {"__init__.py", "__main__.py"}


def test_plain_files_of_the_root_are_steps_and_the_errors() -> None:
    files = {path.stem for path in SOURCE.glob("[!_]*.py")}
    assert files <= {*STEPS, *JOINED, "exceptions"}


def test_the_tests_mirror_the_source() -> None:
    """A room has a folder of tests, or a file where it is one file."""
    rooms = {room(module) for module in modules()} - NOT_MIRRORED
    folders = {path.name for path in TESTS.iterdir() if path.is_dir() and path.name[:2] != "__"}
    files = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert sorted(rooms - folders - files) == []
    assert sorted((folders | files) - rooms - ABOUT_THE_WHOLE) == []


def test_no_module_imports_itself_through_others() -> None:
    order = TopologicalSorter({name: imports(name) for name in modules()}).static_order()
    assert set(order) >= set(modules())  # a cycle is an error that names it


@pytest.mark.parametrize("step", STEPS)
def test_a_step_imports_no_other_step(step: str) -> None:
    named = {room(name) for module in modules() if room(module) == step for name in imports(module)}
    assert sorted(named & {*STEPS, *JOINED} - {step}) == []


def test_rooms_import_only_from_below() -> None:
    upwards = [
        f"{module} imports {name}"
        for module in sorted(modules())
        for name in sorted(imports(module))
        if room(name) != room(module) and level(name) >= level(module)
    ]
    assert upwards == []


def test_the_listing_of_the_docs_is_that_of_the_root() -> None:
    table = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d\w? \| `(\w+)(\.py|/)` \|", table, flags=re.MULTILINE)
    assert [name for name, _ in rows] == [*STEPS, *JOINED]
    for name, ending in rows:
        assert (SOURCE / f"{name}{ending}").exists(), name


def test_the_docstring_of_the_package_lists_the_same() -> None:
    docstring = ast.get_docstring(ast.parse(modules()[""].read_text(encoding="utf-8"))) or ""
    assert re.findall(r"^ *→ (\w+) +\d", docstring, flags=re.MULTILINE) == [*STEPS, *JOINED]


def test_the_guide_for_contributors_lists_every_room_in_the_order_of_imports() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \|", text, flags=re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+(?:\.py|/))`", row)]
    assert [name for name in named if not (SOURCE / name).exists()] == []
    ordered = [name for rooms in ORDER for name in rooms if name not in NOT_MIRRORED]
    assert [name.removesuffix(".py").removesuffix("/") for name in named] == ordered
