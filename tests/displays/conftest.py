"""No window, and no figure that stays open."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest

mpl.use("Agg")
from matplotlib import pyplot as plt  # after the backend is chosen


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")
