"""The licences of everything that an extra installs, as the packages state them.

`python -m tests.release.licences` writes docs/licences.md anew.
"""

from __future__ import annotations

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

from tests.release.building import ROOT

PAGE = ROOT / "docs" / "licences.md"
GROUPS = {
    "core": [""],
    "extras": ["array-api", "cli", "dask", "fast", "files", "onnx", "plot", "progress", "report"],
    "development and documentation": ["dev", "docs"],
}
UNSAID = {"skops": "MIT"}  # its file; its metadata say no more than "OSI Approved"
HEAD = """# Licences

kinspan is under the BSD 3-Clause licence and contains no third-party code. A report page that you
write contains the drawing library plotly.js (MIT). The tables list the packages that an
installation adds, directly or as dependencies, with the licences that their own metadata state. The
extra `gpu` adds PyTorch (BSD-3-Clause) and Triton (MIT), with their dependencies on your machine.
"""


def normal(name: str) -> str:
    """A package's name as the registry compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(extras: list[str]) -> dict[str, Distribution]:
    """All packages that kinspan with these extras needs, by name."""
    found: dict[str, Distribution] = {}
    open_, seen = [("kinspan", tuple(extras))], set()
    while open_:
        name, wanted = open_.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # for another system
        for line in found[name].requires or []:
            needed = Requirement(line)
            marker = needed.marker
            if marker is None or any(marker.evaluate({"extra": e}) for e in ("", *wanted)):
                open_.append((normal(needed.name), tuple(sorted(needed.extras))))
    return {name: found[name] for name in sorted(found) if name != "kinspan"}


def licence(package: Distribution) -> str:
    """The expression, the classifiers or the first line of the field, whichever is there."""
    metadata = package.metadata.json
    said = [
        entry.rsplit(" :: ", 1)[-1]
        for entry in metadata.get("classifier", [])
        if entry.startswith("License :: ") and not entry.endswith("OSI Approved")
    ]
    field = str(metadata.get("license", "")).strip().split("\n")[0]
    expression = str(metadata.get("license_expression", ""))
    return expression or "; ".join(said) or UNSAID.get(normal(package.name)) or field


def page() -> str:
    """One table a group, each package in the first that needs it."""
    text, shown = HEAD, set[str]()
    for group, extras in GROUPS.items():
        packages = {n: p for n, p in required(extras).items() if n not in shown}
        shown |= set(packages)
        rows = "\n".join(f"| {name} | {licence(package)} |" for name, package in packages.items())
        text += f"\n## {group.capitalize()}\n\n| package | licence |\n|---|---|\n{rows}\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
