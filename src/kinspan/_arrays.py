"""Where array libraries differ."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array of SciPy."""
    return bool(sp.issparse(X))
