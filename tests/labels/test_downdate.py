"""Eigenpairs of a diagonal matrix minus the square of a row, against full decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.labels import downdate


def world(kind: str) -> tuple[Any, Any]:
    """Squared singular values of (tasks, size) rows, and the rows in the right vectors."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 7)) * np.linspace(4.0, 1.0, 7)
    diagonal = np.sort((rows**2).sum(axis=0))[::-1] * np.ones((30, 1))
    if kind == "equal values":
        diagonal[:, 1:3] = diagonal[:, :1]
    if kind == "zeros":
        rows[:, 2], rows[5] = 0.0, 0.0
    if kind == "nothing left":  # of the others: the root is at the lowest pole, of no weight
        diagonal, rows = diagonal * 0.0, rows * 0.0
        diagonal[:, 0], rows[::2, 0] = 1.07835674, np.sqrt(1.07835674)
    if kind == "nearly zeros":
        rows[:, :3] *= 1e-9
    unit = 1e-20 if kind == "small" else 1.0
    return diagonal * unit**2, rows * unit


@pytest.mark.parametrize(
    "kind", ["usual", "equal values", "zeros", "nearly zeros", "nothing left", "small"]
)
@pytest.mark.parametrize("n", [2, 7])
@pytest.mark.parametrize(("at_once", "many"), [(1, 0), (1 << 16, 0), (1, 100)])
def test_eigenpairs_are_those_of_a_decomposition(
    kind: str, n: int, at_once: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downdate, "_BLOCK_NUMBERS", at_once)
    monkeypatch.setattr(downdate, "_MANY", many)
    diagonal, rows = world(kind)
    matrix = diagonal[:, :, None] * np.eye(7) - rows[:, :, None] * rows[:, None]
    expected = np.linalg.eigvalsh(matrix)[:, ::-1]
    least = 0.0 if n == 7 else float(expected[:, 2].max())
    values, vectors = downdate.largest_eigenpairs(diagonal, rows, least)
    kept, size = values.shape[1], diagonal.max()
    assert (expected > least).sum(axis=1).max() <= kept <= 7
    np.testing.assert_allclose(values / size, expected[:, :kept] / size, atol=1e-12)
    np.testing.assert_allclose(
        matrix / size @ vectors, vectors * (values / size)[:, None], atol=1e-12
    )
    products = vectors.transpose(0, 2, 1) @ vectors
    np.testing.assert_allclose(products, np.tile(np.eye(kept), (30, 1, 1)), atol=1e-9)


def test_without_values_above_the_least_there_is_nothing() -> None:
    values, vectors = downdate.largest_eigenpairs(*world("usual"), 1e9)
    assert values.shape == (30, 0)
    assert vectors.shape == (30, 7, 0)
