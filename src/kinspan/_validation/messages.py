"""Parts of error messages."""

from __future__ import annotations

from typing import Any


def some(values: list[Any], at_most: int = 5) -> str:
    """The first few values, and how many there are."""
    shown = ", ".join(map(repr, values[:at_most]))
    return shown if len(values) <= at_most else f"{shown}, … ({len(values)} in all)"
