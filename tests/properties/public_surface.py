"""What is public: every function, class and method that a user can reach without an underscore."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

MODULES = (
    "kinspan",
    "kinspan.answers",
    "kinspan.baselines",
    "kinspan.datasets",
    "kinspan.displays",
    "kinspan.engines.dask",
    "kinspan.engines.files",
    "kinspan.exceptions",
    "kinspan.export",
    "kinspan.model_selection",
    "kinspan.report",
    "kinspan.tables",
    "kinspan.theory",
)


def public_names() -> set[str]:
    """`function`, `Class` and `Class.method` of all public modules, without their packages."""
    return {name for module in MODULES for name in _names_in(importlib.import_module(module))}


def _names_in(module: Any) -> Iterator[str]:
    place = module.__name__.removeprefix("kinspan").lstrip(".")
    prefix = f"{place}." if place.startswith("engines.") else ""  # both have fit and predict
    for name in getattr(module, "__all__", None) or _own_functions(module):
        found = getattr(module, name)
        if inspect.isclass(found) and issubclass(found, BaseException):
            continue  # raised, not called
        yield prefix + name
        if inspect.isclass(found):
            yield from (f"{prefix}{name}.{method}" for method in methods_of(found))


def _own_functions(module: Any) -> list[str]:
    """Of a module without `__all__`, the functions that it defines."""
    return [
        name
        for name, found in vars(module).items()
        if not name.startswith("_")
        and inspect.isfunction(found)
        and found.__module__ == module.__name__
    ]


def methods_of(found: type) -> Iterator[str]:
    """Our methods, not those of scikit-learn or of tuples."""
    for name in dir(found):
        method = getattr(found, name)
        if not name.startswith("_") and callable(method) and _is_ours(method):
            yield name


def _is_ours(method: Callable[..., Any]) -> bool:
    return str(getattr(method, "__module__", "")).startswith("kinspan")
