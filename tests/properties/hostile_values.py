"""Arguments that nobody should pass, and that somebody will: any type, any shape, any number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

Value = Callable[[], Any]  # made anew for every call, so that no call sees what another one did

ANYTHING: dict[str, Value] = {
    "None": lambda: None,
    "True": lambda: True,
    "zero": lambda: 0,
    "minus one": lambda: -1,
    "two": lambda: 2,
    "a third": lambda: 1 / 3,
    "two and a half": lambda: 2.5,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "minus infinity": lambda: -float("inf"),
    "huge integer": lambda: 10**30,
    "huge number": lambda: 1e300,
    "tiny number": lambda: 1e-300,
    "numpy NaN": lambda: np.float64("nan"),
    "numpy integer": lambda: np.int8(-3),
    "numpy boolean": lambda: np.bool_(True),
    "complex": lambda: 1 + 2j,
    "empty text": lambda: "",
    "text": lambda: "nonsense",
    "bytes": lambda: b"nonsense",
    "object": object,
    "type": lambda: int,
    "function": lambda: len,
    "empty list": list,
    "empty tuple": tuple,
    "empty dict": dict,
    "dict": lambda: {"nonsense": -1.0},
    "set": lambda: {1, 2},
    "generator": lambda: (i for i in range(3)),
    "ragged list": lambda: [[1.0], [1.0, 2.0]],
    "mixed list": lambda: ["a", 1, None],
    "list of lists": lambda: [[1, 2], [3, 4]],
    "unhashable ids": lambda: [{}, {}],
    "0-d array": lambda: np.array(3.0),
    "0-d text": lambda: np.array("nonsense"),
    "empty array": lambda: np.empty(0),
    "empty matrix": lambda: np.empty((0, 3)),
    "no columns": lambda: np.empty((3, 0)),
    "vector": lambda: np.arange(3.0),
    "matrix": lambda: np.ones((3, 2)),
    "4-d array": lambda: np.ones((2, 2, 2, 2)),
    "complex array": lambda: np.ones(4) * (1 + 2j),
    "objects": lambda: np.array([object(), object()]),
    "texts": lambda: np.array(["a", "b"]),
    "dates": lambda: np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    "durations": lambda: np.array([1, 2], dtype="timedelta64[s]"),
    "structured array": lambda: np.zeros(3, dtype=[("a", float), ("b", int)]),
    "masked array": lambda: np.ma.masked_array([1.0, 2.0, 3.0], mask=[True, False, True]),
    "sparse": lambda: sp.csr_array(np.eye(3)),
    "series": lambda: pd.Series([1.0, None, 3.0]),
    "frame": lambda: pd.DataFrame({"a": [1.0, 2.0], "b": ["x", None]}),
    "missing value": lambda: pd.NA,
}


def _with(value: Any, array: Any) -> Any:
    changed = np.array(array, dtype=np.result_type(np.asarray(array).dtype, np.float64))
    changed.flat[:1] = value
    return changed


CHANGED: dict[str, Callable[[Any], Any]] = {  # a good array, changed in one way
    "one NaN": lambda a: _with(np.nan, a),
    "one infinity": lambda a: _with(np.inf, a),
    "one negative": lambda a: _with(-7.0, a),
    "one huge": lambda a: _with(1e300, a),
    "all NaN": lambda a: np.full(a.shape, np.nan),
    "all zero": np.zeros_like,
    "all the same": np.ones_like,
    "negated": lambda a: -(a.astype(float)),
    "one row less": lambda a: a[:-1],
    "one row": lambda a: a[:1],
    "no rows": lambda a: a[:0],
    "one dimension more": lambda a: a[..., None],
    "one dimension less": np.ravel,
    "first of the last": lambda a: a[..., 0] if a.ndim else a,
    "transposed": lambda a: a.T,
    "complex": lambda a: a.astype(complex) + 1j,
    "objects": lambda a: a.astype(object),
    "objects and None": lambda a: np.where(np.arange(a.size).reshape(a.shape) == 0, None, a),
    "texts": lambda a: a.astype(str),
    "bytes": lambda a: a.astype("S"),
    "booleans": lambda a: a.astype(bool),
    "half precision": lambda a: a.astype(np.float16),
    "small integers": lambda a: a.astype(np.int8),
    "nested list": lambda a: a.tolist(),
    "masked": lambda a: np.ma.masked_array(a, mask=np.arange(a.size).reshape(a.shape) % 2 == 0),
    "read only": lambda a: np.lib.stride_tricks.as_strided(a, writeable=False),
    "backwards": lambda a: a[::-1],
    "swapped bytes": lambda a: a.astype(a.dtype.newbyteorder()),
    "sparse": lambda a: sp.coo_array(a) if a.ndim == 2 else a,
    "frame": lambda a: pd.DataFrame(a) if a.ndim == 2 else pd.Series(a.ravel()),
}


def hostile(good: Any) -> dict[str, Value]:
    """Everything to put in the place of a good value, by name."""
    values = dict(ANYTHING)
    is_plain = isinstance(good, (np.ndarray, float)) or (
        isinstance(good, list) and all(isinstance(value, (int, float)) for value in good)
    )
    array = np.atleast_1d(np.asarray(good)) if is_plain else None
    if array is None or array.dtype.kind not in "biuf":
        return values
    return values | {
        f"{name} in the good value": lambda change=change: change(array.copy())
        for name, change in CHANGED.items()
    }
