"""Doctests of modules whose libraries are not installed are not looked for."""

from importlib.util import find_spec

_NEEDS = {
    "src/kinspan/_device/triton_*.py": ("torch", "triton"),
    "src/kinspan/_rows/compiled_sums.py": ("numba",),
    "src/kinspan/cli/*": ("typer", "rich"),
    "src/kinspan/engines/*dask*.py": ("dask",),
}
collect_ignore_glob = [
    pattern for pattern, names in _NEEDS.items() if any(find_spec(name) is None for name in names)
]
