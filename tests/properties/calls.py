"""A public call with good arguments, and the promise that every call keeps.

It returns finite numbers, or raises a ValueError or TypeError (an ImportError names what to
install; paths may fail as files do) whose message names an argument.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

_BROKEN = (np.linalg.LinAlgError, UnicodeError)  # are ValueErrors, but not ours
_FITTED = ("coef_", "intercept_", "forecast_error_", "forecast_interval_", "metric_")
_MOST = 50  # of what a generator yields


class Call(NamedTuple):
    """Something public, called with words."""

    of: Callable[..., Any]
    good: dict[str, Any]
    may_be_infinite: bool = False
    is_costly: bool = False
    also_named: tuple[str, ...] = ()  # what messages may name besides the arguments
    as_given: tuple[str, ...] = ()  # arguments that stay good

    def outcome(self, arguments: dict[str, Any]) -> str:
        """What is wrong with what came out; nothing, if it is as promised."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            try:
                result = self.of(**arguments)
                bad = None if self.may_be_infinite else not_finite(result)
            except Exception as error:
                return self._judged(error, arguments)
        return "" if bad is None else f"returned {bad}, which is not finite"

    def _judged(self, error: Exception, arguments: dict[str, Any]) -> str:
        shown = f"{type(error).__name__}: {str(error)[:300]}"
        if isinstance(error, OSError) and arguments.keys() & {"path", "paths", "data"}:
            return ""
        if isinstance(error, ImportError) and "pip install" in str(error):
            return ""
        if isinstance(error, _BROKEN) or not isinstance(error, (ValueError, TypeError)):
            return f"escaped: {shown}"
        names = {*self.good, *self.also_named}
        words = set(re.findall(r"\w+", str(error)))
        return "" if words & names else f"names no argument: {shown}"


def not_finite(result: Any) -> Any:
    """The first numbers within a result that are not finite, or None."""
    for array in numbers_in(result):
        if not np.isfinite(array).all():
            return array
    return None


def numbers_in(result: Any) -> Iterator[np.ndarray[Any, Any]]:
    """All arrays of numbers in a result."""
    if sp.issparse(result):
        yield result.data  # type: ignore[attr-defined]
    elif isinstance(result, (np.ndarray, float, complex, np.number)):
        array = np.asarray(result)
        if array.dtype.kind in "fc":
            yield array
    elif isinstance(result, BaseEstimator):
        for name in _FITTED:
            if hasattr(result, name):
                yield from numbers_in(getattr(result, name))
    elif is_dataclass(result) and not isinstance(result, type):
        for field in fields(result):
            yield from numbers_in(getattr(result, field.name))
    elif isinstance(result, (list, tuple)):
        for part in result:
            yield from numbers_in(part)
    elif isinstance(result, Iterator):
        for _, part in zip(range(_MOST), result, strict=False):
            yield from numbers_in(part)
