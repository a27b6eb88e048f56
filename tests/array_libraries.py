"""From NumPy to other libraries of arrays and back, for several test files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kinspan._arrays.libraries import copied_to_numpy
from tests.worlds import World

Convert = Callable[[Any], Any]


def strict(device: str | None) -> Convert:
    """To array-api-strict, on the CPU or on a device whose memory NumPy cannot see."""
    xp: Any = pytest.importorskip("array_api_strict")
    pytest.importorskip("array_api_compat")
    place = None if device is None else xp.Device(device)
    return lambda values: xp.asarray(values, device=place)


def torch_cpu() -> Convert:
    torch: Any = pytest.importorskip("torch")
    return lambda values: torch.from_numpy(np.array(values))


CONVERTS = {
    "strict": lambda: strict(None),
    "strict on a device": lambda: strict("device1"),
    "torch": torch_cpu,
}


def home(values: Any) -> Any:
    return values if isinstance(values, np.ndarray) else copied_to_numpy(values)


def placed(world: World, convert: Convert) -> World:
    return World(*map(convert, world))
