"""Calls of the encoder of tables."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kinspan.tables import TableEncoder
from tests.properties.calls import Call

FRAME = pd.DataFrame(
    {"shop": list("aabb"), "plan": ["x", "y", "x", None], "n": [1.0, 2.0, None, 4.0]}
)


def table_calls() -> dict[str, Call]:
    """The constructor, whose parameters `fit` looks at, and both methods."""
    parameters: dict[str, Any] = {
        "task_column": "shop",
        "features": ["plan", "n"],
        "exclude": ["shop"],
        "as_text": ["n"],
        "missing": "mean",
        "missing_values": ["?"],
        "rare": 2,
    }

    def constructed(**given: Any) -> Any:
        return TableEncoder(**given).fit_transform(FRAME)

    encoder = TableEncoder(missing="mean", task_column="shop").fit(FRAME)
    named = ("column", "columns", "X", "task")
    return {
        "TableEncoder": Call(constructed, parameters, may_be_infinite=True, also_named=named),
        "TableEncoder.fit": Call(TableEncoder(missing="mean").fit, {"X": FRAME}, also_named=named),
        "TableEncoder.transform": Call(encoder.transform, {"X": FRAME}, also_named=named),
    }
