"""The libraries of the machine; if one is missing, as much as possible is still measured."""

from __future__ import annotations

import importlib
import platform
import sys
import types
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_NAMES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "narwhals",
    "array-api-compat",
    "torch",
    "triton",
    "cupy",
)


def versions() -> str:
    """Names and versions in one line."""
    return ", ".join([f"Python {platform.python_version()}", *map(_version, _NAMES)])


def _version(name: str) -> str:
    for package in (name, f"{name}-cuda13x", f"{name}-cuda12x"):
        try:
            return f"{name} {version(package)}"
        except PackageNotFoundError:
            continue
    return f"no {name}"


def complete() -> bool:
    """Whether all of kinspan can be imported; if not, its kernels still can."""
    try:
        importlib.import_module("array_api_compat")
    except ImportError:
        _borrow_array_api_compat()
    try:
        importlib.import_module("kinspan")
    except ImportError as error:
        print(f"kinspan cannot be imported ({error}): only kernels are measured")
        for name in [name for name in sys.modules if name.startswith("kinspan")]:
            del sys.modules[name]
        shell = types.ModuleType("kinspan")
        shell.__path__ = [str(Path(__file__).parents[2] / "src" / "kinspan")]
        sys.modules["kinspan"] = shell
        return False
    return True


def _borrow_array_api_compat() -> None:
    for place in ("sklearn.externals.array_api_compat", "scipy._lib.array_api_compat"):
        try:
            sys.modules["array_api_compat"] = importlib.import_module(place)
        except ImportError:
            continue
        print(f"array_api_compat is not installed; the copy in {place} is used")
        return
