"""Fitted rules → the steps of `predict` and `predict_proba` as ONNX operators and constants.

    task → rule → sums (a block of rows at a time) → scores → probabilities → label

A class that a task never predicts has the intercept −∞, and a task that is refused has NaN, so that
neither needs a step of its own. Two classes have the mirrored scores −s/2 and s/2, so that the same
steps serve two and more classes, and infinite sums become NaN in both cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinspan._rows.types import Floats
from kinspan.selection.outcome import FittedRules

_BLOCK_BYTES = 1 << 21  # coefficients gathered at once, so that they fit into a cache
_MIRRORED = np.array([[-0.5, 0.5]])
_NO_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({})


class Step(NamedTuple):
    """One operator. A loop has a body of steps; it collects the output of the last of them."""

    operator: str
    inputs: tuple[str, ...]
    output: str
    attributes: Mapping[str, Any] = _NO_ATTRIBUTES
    body: tuple[Step, ...] = ()


class Steps(NamedTuple):
    """Steps in order, and the constants that they use."""

    steps: list[Step]
    constants: dict[str, NDArray[Any]]

    def then(self, following: Steps) -> Steps:
        """These steps followed by others."""
        return Steps(self.steps + following.steps, {**self.constants, **following.constants})


def one_rule() -> Steps:
    """Nothing → the first rule, for all rows."""
    return Steps([], {"rule": np.array([0])})


def sums_by_one_rule(coef: Floats, rows: str) -> Steps:
    """Rows of features → sums if all rows have the first rule."""
    return Steps(
        [
            Step("Cast", (rows,), "in_double", {"to": np.float64}),
            Step("MatMul", ("in_double", "coef"), "sums"),
        ],
        {"coef": np.ascontiguousarray(coef[0].T)},
    )


def rule_of_task(tasks: NDArray[Any], rows: str = "features") -> Steps:
    """task → rule: the position of the task among the fitted ones, or the last rule."""
    kind = "strings" if tasks.dtype == object else "int64s"
    position = {
        f"keys_{kind}": tasks.tolist(),
        "values_int64s": list(range(len(tasks))),
        "default_int64": len(tasks),
    }
    return Steps(
        [
            Step("Shape", (rows,), "shape"),
            Step("Gather", ("shape", "first"), "n_rows"),
            Step("LabelEncoder", ("task",), "rule_of_id", position),
            Step(
                "Reshape", ("rule_of_id", "n_rows"), "rule"
            ),  # fails unless there is one id per row
        ],
        {"first": np.array([0])},
    )


def sums_by_rule(coef: Floats, rows: str) -> Steps:
    """Rows of features, rule → sums, (rows, 1 or classes), in double precision.

    Gathering the coefficients of all rows would take rows × features × classes numbers. A block of
    rows takes as many as fit into a cache; the last block is filled up with copies of the last row.
    """
    block = max(1, _BLOCK_BYTES // coef[0].nbytes)
    steps = [
        Step("Squeeze", ("n_rows",), "n"),
        Step("Min", ("n", "largest_block"), "at_most"),
        Step("Max", ("at_most", "one"), "block_size"),
        Step("Range", ("zero", "block_size", "one"), "within_block"),
        Step("Sub", ("n", "one"), "last_row"),
        Step("Add", ("last_row", "block_size"), "end_of_last_block"),
        Step("Div", ("end_of_last_block", "block_size"), "n_blocks"),
        Step("Loop", ("n_blocks", "always"), "blocks", body=_sums_of_block(rows)),
        Step("Reshape", ("blocks", "as_rows"), "filled_up"),
        Step("Slice", ("filled_up", "first", "n_rows"), "sums"),
    ]
    scalars = {"zero": 0, "one": 1, "largest_block": block, "always": True}
    shapes = {"as_rows": [-1, coef.shape[1]], "last_axis": [2]}
    small = {name: np.array(value) for name, value in (scalars | shapes).items()}
    return Steps(steps, {"coef": coef, **small})


def _sums_of_block(rows: str) -> tuple[Step, ...]:
    """block → the sums of its rows."""
    return (
        Step("Mul", ("block", "block_size"), "start"),
        Step("Add", ("start", "within_block"), "places"),
        Step("Min", ("places", "last_row"), "rows"),
        Step("Gather", (rows, "rows"), "taken"),
        Step("Cast", ("taken",), "in_double", {"to": np.float64}),
        Step("Unsqueeze", ("in_double", "last_axis"), "columns"),
        Step("Gather", ("rule", "rows"), "rules"),
        Step("Gather", ("coef", "rules"), "weights"),
        Step("MatMul", ("weights", "columns"), "products"),
        Step("Squeeze", ("products", "last_axis"), "sums_of_block"),
    )


def scores_of_sums(rules: FittedRules, refuses_unseen: bool) -> Steps:
    """sums, rule → scores, (rows, classes)."""
    is_mirrored = rules.intercept.shape[1] == 1
    sums = "both_sums" if is_mirrored else "sums"
    steps = [
        Step("Gather", ("intercepts", "rule"), "intercept"),
        Step("Add", (sums, "intercept"), "scores"),
    ]
    constants = {"intercepts": _intercepts(rules, refuses_unseen)}
    if not is_mirrored:
        return Steps(steps, constants)
    mirror = Step("Mul", ("sums", "mirrored"), "both_sums")
    return Steps([mirror, *steps], {**constants, "mirrored": _MIRRORED})


def _intercepts(rules: FittedRules, refuses_unseen: bool) -> Floats:
    """(rules, classes)."""
    both = rules.intercept * _MIRRORED if rules.intercept.shape[1] == 1 else rules.intercept
    intercepts = np.where(rules.absent, -np.inf, both)
    if refuses_unseen:
        intercepts[-1] = np.nan
    return intercepts


def scores_above_threshold(threshold: Floats) -> Steps:
    """scores, rule → scores of which that of the answer is the larger one."""
    return Steps(
        [
            Step("Gather", ("thresholds", "rule"), "threshold"),
            Step("Sub", ("scores", "threshold"), "decided"),
        ],
        {"thresholds": threshold[:, None] * _MIRRORED},
    )


def answers_of_scores(
    labels: NDArray[Any], no_label: Any, dtype: DTypeLike, decided: str = "scores"
) -> Steps:
    """scores → probabilities and label; no label where probabilities are NaN."""
    return Steps(
        [
            Step("Softmax", ("scores",), "chances", {"axis": 1}),
            Step("Cast", ("chances",), "probabilities", {"to": dtype}),
            Step("ArgMax", (decided,), "best", {"axis": 1, "keepdims": 0}),
            Step("Gather", ("chances", "first_class"), "chance", {"axis": 1}),
            Step("IsNaN", ("chance",), "is_refused"),
            Step("Where", ("is_refused", "after_classes", "best"), "place"),
            Step("Gather", ("labels", "place"), "label"),
        ],
        {
            "first_class": np.array(0),
            "after_classes": np.array(len(labels)),
            "labels": np.array([*labels.tolist(), no_label], dtype=labels.dtype),
        },
    )
