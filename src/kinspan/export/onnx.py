"""A fitted model → an ONNX graph."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import kinspan
from kinspan.answers.summary import feature_names
from kinspan.export import _checks, _steps, _table_steps
from kinspan.export._steps import Step, Steps
from kinspan.selection.filling import Filling
from kinspan.spca import MultiTaskSPCA
from kinspan.tables.recipe import Recipe

if TYPE_CHECKING:
    import onnx

_ML = "ai.onnx.ml"


def to_onnx(
    model: MultiTaskSPCA, *, opset: int = 17, dtype: DTypeLike = "float64"
) -> onnx.ModelProto:
    """`predict` and `predict_proba` of a fitted model as one ONNX graph.

    Parameters
    ----------
    model : MultiTaskSPCA
        Fitted. Task ids and classes must be all text or all integers; booleans and whole floats
        count as integers.
    opset : int, default=17
        The version of the ONNX operators, at least 13; 17 runs in onnxruntime 1.15 and later. The
        only operator from another set is LabelEncoder, of version 2 of ai.onnx.ml.
    dtype : {"float64", "float32"}, default="float64"
        The type of features and probabilities. The graph always computes in double precision;
        `"float32"` is for rows in single precision: others are rounded before they enter the graph.

    Returns
    -------
    onnx.ModelProto
        Its `SerializeToString()` is the content of an ONNX file.

        Inputs are `features` of shape (rows, n_features), in the order of fit and without the task
        column, and `task` of shape (rows,), text or int64. A model of one task that refuses others
        (`unseen="error"`) has no input `task`.

        Outputs are `label` of shape (rows,), text or int64, and `probabilities` of shape
        (rows, n_classes), in the order of `classes_`.

        A graph cannot raise an error. Rows that `predict` would refuse, because of infinity or a
        task that was not fitted, have probabilities NaN and the label `""` or −2⁶³. With
        `unseen="shared"` new tasks are predicted. Rows with NaN are filled as by `predict` if the
        model has learnt from rows with NaN, and refused like the others if it has not.

        The graph of a model of `kinspan fit` with text, dates or filled-in values contains their
        treatment. Its inputs are `numbers` of shape (rows, columns of numbers), NaN where a value
        is missing, `texts` of shape (rows, columns of text), "" where one is missing, and `task`;
        the metadata name the columns (`numbers_columns`, `texts_columns`). Dates are numbers there,
        days since 1970 (`dates_columns`).

        The metadata hold the label of such rows (`no_label`), the `classes`, `feature_names`, the
        number of tasks (`n_tasks`), `unseen` and `kinspan_version`.

    Notes
    -----
    In addition to its input a call needs a few megabytes and a few times its output: coefficients
    are gathered for a block of rows at a time. The file holds all coefficients in double precision,
    8 (n_tasks + 1) n_features (1 or n_classes) bytes, at most 2 GB.

    Examples
    --------
    >>> import onnxruntime
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.export import to_onnx
    >>> digits = load_digit_pairs(n_per_class=3)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> session = onnxruntime.InferenceSession(to_onnx(clf).SerializeToString())
    >>> rows = {"features": digits.X_test, "task": digits.task_test}
    >>> label, probabilities = session.run(None, rows)
    >>> bool((label == clf.predict(digits.X_test, task=digits.task_test)).all())
    True
    """
    library = _checks.check_library()
    _checks.check_model(model)
    opset = _checks.check_opset(opset, library.defs.onnx_opset_version())
    number = _checks.check_dtype(dtype)
    recipe = _checks.check_table(model)
    labels, no_label = _checks.check_classes(model.classes_)
    has_task = len(model.tasks_) > 1 or model.unseen == "shared"
    tasks = _checks.check_ids(model.tasks_, "tasks_") if has_task else None
    answers = _answers(model, labels, no_label, number)
    inputs = _inputs(model, recipe, tasks, number)
    graph = _assembled(
        _scores(model, recipe, tasks).then(answers), model, inputs, labels, number, opset
    )
    library.helper.set_model_props(graph, _metadata(model, recipe, labels, no_label))
    return graph


def _scores(model: MultiTaskSPCA, recipe: Recipe | None, tasks: NDArray[Any] | None) -> Steps:
    """The steps from features, or columns of a table, and task to scores."""
    rules = model._rules
    filling = _filling(model, recipe)
    is_plain = recipe is None and filling is None
    rows = "features" if is_plain else _table_steps.WITH_HOLES
    rule = _steps.one_rule() if tasks is None else _steps.rule_of_task(tasks, rows)
    if not is_plain:
        first = _table_steps.in_double() if recipe is None else _table_steps.encoded(recipe)
        rule, rows = first.then(rule).then(_table_steps.filled(filling)), _table_steps.COMPLETE
    sums = _steps.sums_by_one_rule if tasks is None else _steps.sums_by_rule
    scores = _steps.scores_of_sums(rules, model.unseen == "error")
    return rule.then(sums(rules.coef, rows)).then(scores)


def _answers(
    model: MultiTaskSPCA, labels: NDArray[Any], no_label: Any, number: np.dtype[Any]
) -> Steps:
    """The steps from scores to probabilities and labels."""
    threshold = model._rules.threshold
    if threshold is None:
        return _steps.answers_of_scores(labels, no_label, number)
    answers = _steps.answers_of_scores(labels, no_label, number, "decided")
    return _steps.scores_above_threshold(threshold).then(answers)


def _filling(model: MultiTaskSPCA, recipe: Recipe | None) -> Filling | None:
    """What holes take: of tables, as their recipe says; else if the model has met holes."""
    if recipe is None:
        fills = model.missing == "impute" and model.moments_.observed is not None
    else:
        fills = recipe.missing == "mean"
    return model._learnt.filling if fills else None


def _inputs(
    model: MultiTaskSPCA,
    recipe: Recipe | None,
    tasks: NDArray[Any] | None,
    number: np.dtype[Any],
) -> list[onnx.ValueInfoProto]:
    if recipe is None:
        inputs = [_value("features", number, ["rows", model.moments_.n_features])]
    else:
        table = _table_steps.table_inputs(recipe)
        given = {"numbers": (number, table.numbers), "texts": (np.dtype(object), table.texts)}
        inputs = [
            _value(name, kind, ["rows", len(columns)])
            for name, (kind, columns) in given.items()
            if columns
        ]
    return inputs if tasks is None else [*inputs, _value("task", tasks.dtype, ["rows"])]


def _assembled(
    steps: Steps,
    model: MultiTaskSPCA,
    inputs: list[onnx.ValueInfoProto],
    labels: NDArray[Any],
    number: np.dtype[Any],
    opset: int,
) -> onnx.ModelProto:
    """The graph of the steps, in the oldest file format that has the opset."""
    from onnx import helper, numpy_helper  # noqa: PLC0415

    n_rules, n_sums, _ = model._rules.coef.shape
    graph = helper.make_graph(
        [_node(step, n_sums) for step in steps.steps],
        "kinspan",
        inputs,
        [
            _value("label", labels.dtype, ["rows"]),
            _value("probabilities", number, ["rows", len(labels)]),
        ],
        [numpy_helper.from_array(value, name) for name, value in steps.constants.items()],
        doc_string=f"Linear rules of {n_rules - 1} related tasks, and the one that they agree on",
    )
    versions = [helper.make_opsetid("", opset), helper.make_opsetid(_ML, 2)]
    return helper.make_model(
        graph,
        opset_imports=versions,
        ir_version=helper.find_min_ir_version_for(versions),
        producer_name="kinspan",
        producer_version=kinspan.__version__,
    )


def _node(step: Step, n_sums: int) -> onnx.NodeProto:
    from onnx import helper  # noqa: PLC0415

    attributes = dict(step.attributes)
    if "to" in attributes:
        attributes["to"] = helper.np_dtype_to_tensor_dtype(np.dtype(attributes["to"]))
    if step.body:
        attributes["body"] = _body(step.body, n_sums)
    domain = _ML if step.operator == "LabelEncoder" else None
    return helper.make_node(
        step.operator, step.inputs, [step.output], name=step.output, domain=domain, **attributes
    )


def _body(steps: tuple[Step, ...], n_sums: int) -> onnx.GraphProto:
    """One iteration of the loop over blocks; ONNX requires a condition to continue."""
    from onnx import helper  # noqa: PLC0415

    go_on = helper.make_node("Identity", ["may_go_on"], ["goes_on"], name="goes_on")
    return helper.make_graph(
        [*(_node(step, n_sums) for step in steps), go_on],
        "sums_of_one_block",
        [_value("block", np.dtype(np.int64), []), _value("may_go_on", np.dtype(bool), [])],
        [
            _value("goes_on", np.dtype(bool), []),
            _value(steps[-1].output, np.dtype(np.float64), ["rows_of_block", n_sums]),
        ],
    )


def _value(name: str, dtype: np.dtype[Any], shape: list[str | int]) -> onnx.ValueInfoProto:
    from onnx import helper  # noqa: PLC0415

    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)


def _metadata(
    model: MultiTaskSPCA, recipe: Recipe | None, labels: NDArray[Any], no_label: Any
) -> dict[str, str]:
    described = {
        "kinspan_version": kinspan.__version__,
        "classes": json.dumps(labels.tolist()),
        "no_label": json.dumps(no_label),
        "n_tasks": str(len(model.tasks_)),
        "unseen": model.unseen,
    }
    if recipe is not None:
        table = _table_steps.table_inputs(recipe)
        columns = {**table._asdict(), "dates": recipe.dates}
        described |= {f"{name}_columns": json.dumps(list(n)) for name, n in columns.items()}
    names = feature_names(model)
    return described if names is None else {**described, "feature_names": json.dumps(names)}
