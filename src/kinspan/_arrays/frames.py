"""pandas, for answers that are asked for as a data frame."""

from __future__ import annotations

from typing import Any


def pandas() -> Any:
    """The library, or an error that says that it is not installed."""
    try:
        import pandas as pd  # noqa: PLC0415  (optional)
    except ImportError as error:
        raise ImportError(
            "to_frame() needs pandas, which is not installed: pip install pandas"
        ) from error
    return pd
