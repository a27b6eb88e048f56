"""Rows that scikit-learn need not check again are those that it would return unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.utils.validation import validate_data

from kinspan import MultiTaskSPCA
from kinspan._validation.rows import _FEATURES, _is_plain

X = np.random.default_rng(0).normal(size=(40, 3))
CLF = MultiTaskSPCA().fit(X, np.tile([0, 1], 20))
WITH_NAN = np.where(np.arange(6).reshape(2, 3) == 1, np.nan, X[:2])


@pytest.mark.parametrize(
    "rows", [X[:1], X[::-2], np.asfortranarray(X), X.astype("f4"), X.astype(int), WITH_NAN]
)
def test_plain_rows_would_pass_unchanged(rows: Any) -> None:
    assert _is_plain(CLF, rows)
    assert validate_data(CLF, rows, reset=False, **_FEATURES) is rows


@pytest.mark.parametrize(
    "rows",
    [X[:0], X[0], X[:, :2], X[None], X > 0, X.astype(complex), X.astype(object), X.tolist()],
)
def test_other_rows_are_left_to_scikit_learn(rows: Any) -> None:
    assert not _is_plain(CLF, rows)
