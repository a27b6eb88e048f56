"""What is released: the same bytes from any folder, with everything in it that is used."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.release.building import ROOT, build


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return build(tmp_path_factory.mktemp("first"))


@pytest.mark.long
def test_building_again_elsewhere_gives_the_same_bytes(built: list[Path], tmp_path: Path) -> None:
    for first, second in zip(built, build(tmp_path), strict=True):
        assert first.name == second.name
        assert first.read_bytes() == second.read_bytes()


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(built: list[Path]) -> None:
    (wheel,) = (path for path in built if path.suffix == ".whl")
    names = zipfile.ZipFile(wheel).namelist()
    package = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "kinspan").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if not name.split("/")[0].endswith(".dist-info")} == package
    assert "kinspan/py.typed" in package
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_source_archive_has_the_tests_and_no_results_of_builds(built: list[Path]) -> None:
    (archive,) = (path for path in built if path.suffix == ".gz")
    with tarfile.open(archive) as files:
        names = {name.split("/", 1)[-1] for name in files.getnames()}
    assert {"tests/release/test_build.py", "docs/index.md", "constraints.txt", "LICENSE"} <= names
    assert {"SECURITY.md", "RELEASING.md", ".github/workflows/ci.yml"} <= names
    assert not [name for name in names if "__pycache__" in name or "generated/" in name]
