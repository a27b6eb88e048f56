"""Numbers and names as JSON has them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from kinspan._rows.types import Ids


def rounded(values: Any, digits: int = 5) -> Any:
    """Numbers, or lists of them; what is not known is None, and whole numbers have no point."""
    if isinstance(values, np.ndarray):
        return [rounded(value, digits) for value in values]
    value = float(values)
    if not np.isfinite(value):
        return None
    return int(value) if value == int(value) else round(value, digits)


def named(ids: Ids) -> list[str]:
    """Ids as text, told apart: 1 and "1" would look the same."""
    values = ids.tolist()
    texts = [str(value) for value in values]
    often = Counter(texts)
    return [
        repr(value) if often[text] > 1 else text for value, text in zip(values, texts, strict=True)
    ]
