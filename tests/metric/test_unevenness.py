"""How uneven the noise of new rows is, from eigenvalues alone: that of the true covariance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.metric.unevenness import unevenness

WHITE = np.eye(200)
NEIGHBOURS = 0.9 ** np.abs(np.subtract.outer(np.arange(200), np.arange(200)))
SLOWLY_FALLING = np.diag(np.arange(1.0, 401.0) ** -0.7)


def true_unevenness(true: Any, found: Any, share: float) -> float:
    """Of rows with the true covariance, in a metric with a share of the one that was found."""
    metric = (1.0 - share) * np.eye(len(true)) + share * found
    sizes = np.linalg.eigvals(np.linalg.solve(metric, true)).real
    return float(sizes.sum() * (sizes**3).sum() / (sizes**2).sum() ** 2)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4, 0.8])
@pytest.mark.parametrize(
    ("true", "n"),
    [(WHITE, 1000), (WHITE, 400), (WHITE, 150), (NEIGHBOURS, 400), (SLOWLY_FALLING, 300)],
    ids=["white", "fewer rows", "fewer rows than features", "neighbours", "slowly falling"],
)
def test_it_is_that_of_new_rows(true: Any, n: int, share: float) -> None:
    rng = np.random.default_rng([1000, n])  # the same draws in any order of the tests
    X = rng.normal(size=(n, len(true))) @ np.linalg.cholesky(true).T
    found = X.T @ X / n
    found *= len(found) / np.trace(found)
    values = np.maximum(np.linalg.eigvalsh(found), 0.0)
    expected = true_unevenness(true, found, share)
    # Without a share, the few large eigenvalues of slowly falling ones scatter by 4.5 %.
    within = 0.15 if true is SLOWLY_FALLING and share == 0.0 else 0.05
    assert unevenness(values, share, n) == pytest.approx(expected, rel=within)


def test_equal_eigenvalues_of_many_rows_are_white() -> None:
    for share in (0.0, 0.3, 0.9, 1.0):
        assert unevenness(np.ones(50), share, 1e9) == pytest.approx(1.0)


def test_next_to_nothing_says_nothing() -> None:
    assert unevenness(np.zeros(5), 0.4, 3.0) == 1.0
    assert unevenness(np.array([1.0, 0.0]), 0.8, 1.0) == 1.0
