"""The recipe of a table → its encoding and filling as ONNX operators and constants.

    numbers, texts → features with NaN where a value is missing → features

Numbers and texts that stand for a missing value, such as -999 and "?", are missing. A text is
looked up among the categories of its column; the place of a category picks a row of a table of
zeros and ones, that of a missing text a row of NaN. Missing values take the row of their task from
a table of fills, and what the other values of their row add to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan.export._steps import Step, Steps
from kinspan.selection.filling import Filling
from kinspan.selection.other_values import OtherValues
from kinspan.tables.dialect import Dialect, missing_numbers
from kinspan.tables.recipe import FeatureColumn, Recipe

WITH_HOLES = "with_holes"
COMPLETE = "complete"


class TableInputs(NamedTuple):
    """The columns that a graph takes, in their order."""

    numbers: list[str]  # of numbers; dates are days since 1970
    texts: list[str]  # of text; "" is missing


def table_inputs(recipe: Recipe) -> TableInputs:
    """The columns of a recipe."""
    numbers = [column.name for column in recipe.columns if column.categories is None]
    return TableInputs(numbers, list(recipe.categorical))


def encoded(recipe: Recipe) -> Steps:
    """numbers, texts → features in the order of the recipe, with holes."""
    inputs = table_inputs(recipe)
    steps, constants, parts = list[Step](), dict[str, Any](), list[str]()
    if inputs.numbers:
        added = _numbers(recipe.dialect)
        steps, constants = [*added.steps], {**added.constants}
        parts.append(added.steps[-1].output)
    columns = {column.name: column for column in recipe.columns}
    for j, name in enumerate(inputs.texts):
        added = _one_hot(j, columns[name], recipe.dialect)
        steps, constants = [*steps, *added.steps], {**constants, **added.constants}
        parts.append(f"hot_{j}")
    constants["order"] = _order(recipe)
    steps += [
        Step("Concat", tuple(parts), "parts", {"axis": 1}),
        Step("Gather", ("parts", "order"), WITH_HOLES, {"axis": 1}),
    ]
    return Steps(steps, constants)


def filled(filling: Filling | None) -> Steps:
    """Features with holes and rule → features; without a filling, holes stay and are refused."""
    if filling is None:
        return Steps([Step("Identity", (WITH_HOLES,), COMPLETE)], {})
    fills = Steps(
        [
            Step("Gather", ("fills", "rule"), "fills_of_rows"),
            Step("IsNaN", (WITH_HOLES,), "is_hole"),
        ],
        {"fills": filling.fills},
    )
    taken, others = "fills_of_rows", filling.others
    if others is not None:
        fills, taken = fills.then(_of_other_values(others)), "filled_in"
    return fills.then(Steps([Step("Where", ("is_hole", taken, WITH_HOLES), COMPLETE)], {}))


def _of_other_values(others: OtherValues) -> Steps:
    """What the other values of a row add to the fills of its holes."""
    steps = [
        Step("Sub", (WITH_HOLES, "fills_of_rows"), "deviations_with_holes"),
        Step("Where", ("is_hole", "nothing", "deviations_with_holes"), "expected_0"),
    ]
    steps += [
        Step("MatMul", (f"expected_{i}", f"others_{i}"), f"expected_{i + 1}")
        for i in range(len(others.steps))
    ]
    last = f"expected_{len(others.steps)}"
    steps += [
        Step("Add", ("fills_of_rows", "offset"), "fills_moved"),
        Step("Add", ("fills_moved", last), "filled_in"),
    ]
    constants = {f"others_{i}": step for i, step in enumerate(others.steps)}
    return Steps(steps, {**constants, "offset": others.offset, "nothing": np.array(0.0)})


def in_double() -> Steps:
    """features → features with holes, in the precision of the fills."""
    return Steps([Step("Cast", ("features",), WITH_HOLES, {"to": np.float64})], {})


def _numbers(dialect: Dialect) -> Steps:
    """numbers → the same with NaN in place of those that stand for a missing one."""
    steps = [Step("Cast", ("numbers",), "present_0", {"to": np.float64})]
    nothing = missing_numbers(dialect)
    constants = {f"missing_{i}": np.array(number) for i, number in enumerate(nothing)}
    if len(nothing):
        constants["no_number"] = np.array(np.nan)
    for i in range(len(nothing)):
        steps += [
            Step("Equal", (f"present_{i}", f"missing_{i}"), f"is_missing_{i}"),
            Step("Where", (f"is_missing_{i}", "no_number", f"present_{i}"), f"present_{i + 1}"),
        ]
    return Steps(steps, constants)


def _one_hot(j: int, column: FeatureColumn, dialect: Dialect) -> Steps:
    """Texts of a column → zeros and ones of its features."""
    categories = column.categories or ()
    other, missing = len(categories), len(categories) + 1
    nothing = sorted({"", *(dialect.missing_values or ())}.difference(categories))
    places = {
        "keys_strings": [*categories, *nothing],
        "values_int64s": [*range(other), *[missing] * len(nothing)],
        "default_int64": other,
    }
    rows = np.eye(other + 2, len(column.features))
    rows[missing] = np.nan
    return Steps(
        [
            Step("Gather", ("texts", f"column_{j}"), f"text_{j}", {"axis": 1}),
            Step("LabelEncoder", (f"text_{j}",), f"place_{j}", places),
            Step("Gather", (f"rows_{j}", f"place_{j}"), f"hot_{j}"),
        ],
        {f"column_{j}": np.array(j), f"rows_{j}": rows},
    )


def _order(recipe: Recipe) -> Any:
    """Places of the features among all numbers, followed by the features of all texts."""
    inputs = table_inputs(recipe)
    first = {name: i for i, name in enumerate(inputs.numbers)}
    start = len(first)
    for column in recipe.columns:
        if column.categories is not None:
            first[column.name] = start
            start += len(column.features)
    places = [first[c.name] + i for c in recipe.columns for i in range(len(c.features))]
    return np.array(places, dtype=np.int64)
