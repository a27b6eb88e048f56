"""Checks of the arguments of the exports."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinspan._rows.types import Ids
from kinspan._validation.fitted import check_fitted_model
from kinspan.spca import MultiTaskSPCA
from kinspan.tables.model import TableModel
from kinspan.tables.recipe import Recipe

OLDEST_OPSET = 13
_LARGEST_FILE = 2**31 - 2**20  # the limit of protobuf, with room for ids and names
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def check_library() -> ModuleType:
    """The library onnx, or an error that says how to install it."""
    try:
        import onnx  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "to_onnx needs the library onnx, which is not installed; run "
            "`pip install 'kinspan[onnx]'`"
        ) from error
    return onnx


def check_model(model: Any) -> None:
    """A fitted model whose rules fit into one file."""
    way_out = "of a pipeline, its last step: the graph then takes the output of the earlier steps"
    check_fitted_model(model, MultiTaskSPCA, way_out)
    rules = model._rules
    if rules.coef.nbytes > _LARGEST_FILE:
        raise ValueError(
            f"the rules of {len(rules.coef) - 1} tasks take {rules.coef.nbytes / 1e9:.1f} GB, but "
            "an ONNX file holds 2 GB; fit on fewer features, or spread the tasks over several "
            "models"
        )


def check_table(model: Any) -> Recipe | None:
    """The recipe of a table that a graph should contain; None where it takes features."""
    recipe = model._recipe if isinstance(model, TableModel) else None
    if recipe is None or not (recipe.read_as_text or recipe.missing == "mean"):
        return None
    empty = next((c.name for c in recipe.columns if "" in (c.categories or ())), None)
    if empty is not None:
        raise ValueError(
            f"column {empty!r} has the category '', which is a missing text in the graph; fit with "
            "another name for it"
        )
    return recipe


def check_opset(opset: Any, newest: int) -> int:
    """A version of the ONNX operators that has all operators of the graph."""
    if not isinstance(opset, (int, np.integer)) or not OLDEST_OPSET <= opset <= newest:
        raise ValueError(
            f"opset={opset!r}; use a whole number from {OLDEST_OPSET} to {newest}, the newest that "
            "the installed onnx knows"
        )
    return int(opset)


def check_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """The type of the features: double or single precision."""
    for accepted in (np.dtype(np.float64), np.dtype(np.float32)):
        if isinstance(dtype, (str, type, np.dtype)) and accepted == dtype:
            return accepted
    raise ValueError(f"dtype={dtype!r}; use 'float64' or 'float32'")


def check_ids(ids: Ids, name: str) -> NDArray[Any]:
    """Ids as text (an object array) or as int64, the two types that ONNX can look up.

    Whole floats and booleans are equal to integers and are converted to them.
    """
    values = ids.tolist() if ids.dtype.kind in "biufUO" else list(ids)
    is_text = [isinstance(value, str) for value in values]
    if all(is_text):
        return np.array([str(value) for value in values], dtype=object)
    for value, text in zip(values, is_text, strict=True):
        if text is not is_text[0] or not (text or _is_integer(value)):
            raise ValueError(
                f"{name} contains {value!r} of type {type(value).__name__}; ONNX only has ids "
                "that are all text or all 64-bit integers. Fit with such ids, for instance their "
                "text, or their positions in a list"
            )
    return np.array([int(value) for value in values], dtype=np.int64)


def check_classes(ids: Ids) -> tuple[NDArray[Any], Any]:
    """Labels as text or int64, and the value that means none of them."""
    labels = check_ids(ids, "classes_")
    no_label: Any = "" if labels.dtype == object else _SMALLEST
    if no_label in labels.tolist():
        raise ValueError(
            f"classes_ contains {no_label!r}, which is the label of rows that predict would "
            "refuse; fit with another name for this class"
        )
    return labels, no_label


def _is_integer(value: Any) -> bool:
    is_float = isinstance(value, (float, np.floating)) and float(value).is_integer()
    is_whole = is_float or isinstance(value, (int, np.integer, np.bool))
    return is_whole and _SMALLEST <= int(value) <= _LARGEST
