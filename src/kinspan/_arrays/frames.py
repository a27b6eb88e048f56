"""Data frames of any library as X, and pandas for answers that are asked for as one."""

from __future__ import annotations

from typing import Any

import narwhals as nw
from narwhals.exceptions import DuplicateError


def frame_of(X: Any) -> nw.DataFrame[Any] | None:
    """X as a data frame of narwhals, if it is a data frame; its columns have different names."""
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError:
        names = [str(name) for name in X.columns]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise ValueError(
            f"X has {names.count(twice)} columns called {twice!r}; rename them, or leave all but "
            "one out"
        ) from None
    return frame if isinstance(frame, nw.DataFrame) else None


def pandas() -> Any:
    """The library, or an error that says that it is not installed."""
    try:
        import pandas as pd  # noqa: PLC0415  (optional)
    except ImportError as error:
        raise ImportError(
            "to_frame() needs pandas, which is not installed: pip install pandas"
        ) from error
    return pd
