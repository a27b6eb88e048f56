"""`make release-check`: the wheel in clean environments of every supported Python.

Builds the wheel, installs it with its core dependencies only for each Python that is found, runs
`smoke.py` there, and compares the time to import kinspan, and its estimator, with that to import
scikit-learn (bar of the first: below 1.2 times). Writes benchmarks/results/release.csv.
"""

from __future__ import annotations

import csv
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.release.building import ROOT, build

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
REPEATS = 15
RESULT = ROOT / "benchmarks" / "results" / "release.csv"


def python_of(version: str) -> str | None:
    """The program of a version: on the path, or among those of pyenv."""
    found = shutil.which(f"python{version}")
    if found and subprocess.run([found, "-V"], capture_output=True, check=False).returncode == 0:
        return found
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    programs = sorted(pyenv.glob(f"{version}.*/bin/python{version}"))
    return str(programs[-1]) if programs else None


def seconds(python: Path, code: str) -> float:
    """The least processor time of a few runs."""
    least = float("inf")
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([python, "-I", "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        least = min(least, used)
    return least


def check(version: str, wheel: Path, folder: Path) -> dict[str, str] | None:
    """What came out for one version of Python."""
    program = python_of(version)
    if program is None:
        print(f"Python {version} was not found: not checked")
        return None
    subprocess.run([program, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    install: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*install, "--constraint", ROOT / "constraints.txt", wheel], check=True)
    smoke = Path(__file__).with_name("smoke.py")
    ran = subprocess.run(
        [python, "-I", smoke], cwd=folder, capture_output=True, text=True, check=True
    )
    print(ran.stdout.strip())
    imports = ("import sklearn", "import kinspan", "from kinspan import MultiTaskSPCA")
    sklearn, *ours = (seconds(python, code) for code in imports)
    package, estimator = (time / sklearn for time in ours)
    print(f"  in units of import sklearn, {sklearn:.2f} s: kinspan {package:.2f} (below 1.2)")
    print(f"  and its estimator {estimator:.2f}")
    ratios = {"import_ratio": f"{package:.3f}", "estimator_ratio": f"{estimator:.3f}"}
    return {"python": version, "smoke": "passed", **ratios}


def main() -> None:
    """All versions; what fails is raised, and what is not found here keeps its row."""
    with RESULT.open(newline="") as file:
        rows = {row["python"]: row for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (wheel,) = (path for path in build(folder / "built") if path.suffix == ".whl")
        checked = [check(version, wheel, folder / version) for version in PYTHONS]
    found = [row for row in checked if row is not None]
    rows |= {row["python"]: row for row in found}
    with RESULT.open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(rows[version] for version in PYTHONS if version in rows)
    sys.exit(len(found) < len(PYTHONS) or any(float(row["import_ratio"]) > 1.2 for row in found))


if __name__ == "__main__":
    main()
