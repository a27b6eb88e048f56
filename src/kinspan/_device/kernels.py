"""Whether rows on a device can be read by kernels that are written for it."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any


def has_kernels(X: Any) -> bool:
    """Tensors of PyTorch on a CUDA device have them, where Triton is installed."""
    return bool(getattr(X, "is_cuda", False)) and _has_triton()


@cache
def _has_triton() -> bool:
    return find_spec("triton") is not None
