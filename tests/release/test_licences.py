"""Every dependency's licence is known, listed, and lets anyone use kinspan."""

from __future__ import annotations

from tests.release import licences

PERMISSIVE = (
    "MIT",
    "BSD",
    "Apache",
    "PSF",
    "Python Software",
    "ISC",
    "0BSD",
    "Zlib",
    "MPL",
    "Mozilla",
)


def test_what_the_core_needs_may_be_used_by_anyone() -> None:
    for extras in (licences.GROUPS["core"], licences.GROUPS["extras"]):
        for name, package in licences.required(extras).items():
            assert any(kind in licences.licence(package) for kind in PERMISSIVE), name


def test_the_page_lists_what_is_installed() -> None:
    """It may list more: what other versions of Python or `make docs` need."""
    listed = licences.PAGE.read_text(encoding="utf-8")
    for extras in licences.GROUPS.values():
        for name, package in licences.required(extras).items():
            assert f"| {name} | {licences.licence(package)} |" in listed
