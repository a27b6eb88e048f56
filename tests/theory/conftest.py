"""Matrices are small here: one BLAS thread, so that test processes do not wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield
