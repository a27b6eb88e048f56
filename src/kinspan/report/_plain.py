"""Numbers and ids → values that JSON can hold."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from kinspan._rows.types import Ids


def rounded(values: Any, digits: int = 8) -> Any:
    """A number or lists of numbers; unknown ones become None, whole ones have no decimal point.

    The page rounds to tenths of a per cent: with far fewer digits here it would round twice.
    """
    if isinstance(values, np.ndarray):
        return [rounded(value, digits) for value in values]
    value = float(values)
    if not np.isfinite(value):
        return None
    return int(value) if value == int(value) else round(value, digits)


def named(ids: Ids) -> list[str]:
    """Ids as distinct text: 1 and "1" would otherwise look the same."""
    values = ids.tolist()
    count = Counter(map(str, values))
    return [repr(value) if count[str(value)] > 1 else str(value) for value in values]
