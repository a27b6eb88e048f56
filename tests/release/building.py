"""The wheel and the source archive, built from a copy of what the repository tracks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = (
    *("src", "tests", "benchmarks", "experiments", "docs", "Makefile", "constraints.txt"),
    *("README.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "RELEASING.md"),
    *("SECURITY.md", "CITATION.cff", "LICENSE", "pyproject.toml", ".gitignore", ".github", "conda"),
)
LEFT_OUT = shutil.ignore_patterns("__pycache__", "generated", "_build", "*.nbc", "*.nbi")


def build(folder: Path) -> list[Path]:
    """Wheel and source archive, by name, from a copy of the project in a folder."""
    copy = folder / "project"
    copy.mkdir(parents=True)
    for part in PARTS:
        source, target = ROOT / part, copy / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=LEFT_OUT)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(copy)]
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError(ran.stdout + ran.stderr)
    shutil.rmtree(copy)
    return sorted(path for path in folder.iterdir() if path.suffix in {".whl", ".gz"})
