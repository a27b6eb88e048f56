"""Facts from the metadata of installed libraries: version, licence, status and size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement

from benchmarks.comparison.rows import Fact

LIBRARIES = ("kinspan", "scikit-learn", "lightgbm", "scikit-lego", "skada", "adapt", "tabpfn")


def facts() -> Iterator[Fact]:
    """The facts of every library that is installed."""
    known = brought("scikit-learn")
    for name in LIBRARIES:
        found = installed(name)
        if found is not None:
            more = brought(name) - (known if name != "scikit-learn" else set())
            size = sum(megabytes(d) for d in map(installed, more) if d is not None)
            yield Fact(name, found.version, status(found), licence(found), len(more) - 1, size)


def brought(name: str) -> set[str]:
    """A distribution and everything it depends on, as far as it is installed here."""
    found, waiting = set[str](), [name]
    while waiting:
        current = normalised(waiting.pop())
        here = installed(current)
        if current in found or here is None:
            continue
        found.add(current)
        needed = (Requirement(line) for line in here.requires or [])
        waiting += [r.name for r in needed if r.marker is None or r.marker.evaluate({"extra": ""})]
    return found


def installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def megabytes(found: Distribution) -> float:
    """Size on disk without compiled Python; for an editable install, that of the package."""
    paths: Iterable[Path] = (Path(str(found.locate_file(file))) for file in found.files or [])
    if normalised(found.metadata["Name"]) == "kinspan":
        spec = find_spec("kinspan")
        assert spec is not None
        assert spec.origin is not None
        paths = Path(spec.origin).parent.rglob("*")
    kept = (path for path in paths if path.suffix != ".pyc" and path.is_file())
    return sum(path.stat().st_size for path in kept) / 1e6


def status(found: Distribution) -> str:
    """The development status that the library states."""
    return _classifier(found, "Development Status :: ")


def licence(found: Distribution) -> str:
    """A short name of the licence; the full text of a licence is not one."""
    said = found.metadata.json
    named = str(said.get("license_expression") or said.get("license") or "")
    short = named if named and "\n" not in named and len(named) < 40 else ""
    return short or _classifier(found, "License :: OSI Approved :: ")


def _classifier(found: Distribution, start: str) -> str:
    lines = found.metadata.get_all("Classifier") or []
    return next((line.removeprefix(start) for line in lines if line.startswith(start)), "")


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
