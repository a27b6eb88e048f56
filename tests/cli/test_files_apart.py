"""Files that are read are never overwritten: inputs and results survive every command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import kinspan
from tests.cli.running import ROLES, WORLD, refusal, succeed, written


def assert_untouched(message: str, *command: object, folder: Path) -> None:
    """A command is refused, and no file has changed."""
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert message in refusal(*command)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.fixture
def folder(model: Path, tmp_path: Path) -> Path:
    written(WORLD.table(), tmp_path / "d.csv")
    (tmp_path / "m.kinspan").write_bytes(model.read_bytes())
    succeed("moments", tmp_path / "d.csv", *ROLES, "--out", tmp_path / "z")
    return tmp_path


def test_no_verb_overwrites_what_it_reads(folder: Path) -> None:
    data, model, moments = folder / "d.csv", folder / "m.kinspan", folder / "z"
    for command in (
        ("fit", data, *ROLES, "--out", data),
        ("fit", folder / "*.csv", *ROLES, "--out", data),
        ("fit", "--moments", moments, "--out", moments),
        ("moments", data, *ROLES, "--out", data),
        ("moments", data, "--like", moments, "--out", moments),
        ("merge", moments, "--out", moments),
        ("predict", model, data, "--out", data),
        ("predict", model, data, "--only-answers", "--out", data),
        ("report", model, "--out", model),
        ("export", model, "--onnx", model),
        ("fit", data, *ROLES, "--checkpoint", data, "--out", folder / "new"),
    ):
        assert_untouched("is among the files to read", *command, folder=folder)


def test_a_file_has_many_names(folder: Path) -> None:
    data = folder / "d.csv"
    (folder / "link.csv").symlink_to(data)
    os.link(data, folder / "twin.csv")
    for name in ("link.csv", "twin.csv", f"../{folder.name}/d.csv"):
        command = ("fit", data, *ROLES, "--out", folder / name)
        assert_untouched("is among the files to read", *command, folder=folder)


def test_a_model_in_the_place_of_a_table_is_not_overwritten(folder: Path) -> None:
    model = folder / "m.csv"
    model.write_bytes((folder / "m.kinspan").read_bytes())
    command = ("predict", model, folder / "d.csv", "--out", model)
    assert_untouched("is among the files to read", *command, folder=folder)


@pytest.mark.parametrize("verb", ["fit", "moments"])
def test_a_checkpoint_is_not_the_result(verb: str, folder: Path) -> None:
    command = (verb, folder / "d.csv", *ROLES, "--checkpoint", folder / "x")
    for out in (folder / "x", f"{folder}/../{folder.name}/x"):
        assert_untouched("--out and --checkpoint are both", *command, "--out", out, folder=folder)
    succeed(*command, "--out", folder / "y")
    kinspan.load(folder / "y")
    assert not (folder / "x").exists()
