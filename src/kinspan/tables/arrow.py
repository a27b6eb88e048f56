"""pyarrow, imported only where it is needed, and what its types mean for features and ids."""

from __future__ import annotations

from importlib import import_module
from typing import Any

INTEGERS, NUMBERS, TEXT = "integers", "numbers", "text"
BOOLEANS, TIMES, NOTHING = "true or false", "times", "no values"


def pyarrow(name: str = "pyarrow") -> Any:
    """Import a module of pyarrow."""
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            "Parquet, Arrow, Feather and CSV files are read with pyarrow, which is not installed; "
            "run `pip install 'kinspan[files]'` (.npy and .npz files need nothing more)"
        ) from None


def is_number(kind: Any) -> bool:
    """Whether a column of this type can be a feature."""
    types = pyarrow().types
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return any(test(kind) for test in tests)


def is_string(kind: Any) -> bool:
    """Whether a column of this type holds text, and not a choice of categories."""
    types = pyarrow().types
    return any(
        test(kind) for test in (types.is_string, types.is_large_string, types.is_string_view)
    )


def has_categories(kind: Any) -> bool:
    """Whether a column of this type holds text, or a choice of categories."""
    is_choice = pyarrow().types.is_dictionary(kind) and kind_of_type(kind) is not None
    return is_choice or is_string(kind)


def is_vector(kind: Any) -> bool:
    """Whether every entry of a column is a list of numbers."""
    types = pyarrow().types
    tests = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    return any(test(kind) for test in tests) and is_number(kind.value_type)


def kind_of_type(kind: Any) -> str | None:
    """The kind of ids that a column of this type holds; None where it cannot hold ids."""
    types = pyarrow().types
    if types.is_dictionary(kind):
        return kind_of_type(kind.value_type)
    known = {
        INTEGERS: (types.is_integer,),
        NUMBERS: (types.is_floating,),
        TEXT: (is_string,),
        BOOLEANS: (types.is_boolean,),
        TIMES: (types.is_date, types.is_timestamp),
        NOTHING: (types.is_null,),
    }
    return next((name for name, tests in known.items() if any(t(kind) for t in tests)), None)
