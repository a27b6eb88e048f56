"""`kinspan export`: a model → an ONNX graph."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from kinspan import load
from kinspan._storage.atomic_files import write_atomically
from kinspan.cli import options, stored
from kinspan.cli.output import Output
from kinspan.cli.places import check_place
from kinspan.export import to_onnx
from kinspan.tables.tally import number

EXAMPLES = """
Examples:

kinspan export model.kinspan --onnx model.onnx
kinspan export model.kinspan --onnx model.onnx --float32 --unseen shared
"""


def export(
    model: options.ModelFile,
    onnx: Annotated[str, typer.Option("--onnx", metavar="FILE", help="Where to write the graph.")],
    unseen: options.Unseen = None,
    float32: Annotated[
        bool,
        typer.Option(
            "--float32",
            metavar=options.NO_VALUE,
            help="Features and probabilities in single precision.",
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Write predict and predict_proba of a model as one ONNX graph."""
    output = Output(as_json)
    check_place(onnx, model)
    fitted = load(model)
    recipe = stored.read_model(model).recipe
    fitted.unseen = fitted.unseen if unseen is None else unseen
    number_type: Literal["float32", "float64"] = "float32" if float32 else "float64"
    graph = to_onnx(fitted, dtype=number_type)
    write_atomically(onnx, graph.SerializeToString())
    inputs = [value.name for value in graph.graph.input]
    if recipe is not None and recipe.dates:
        output.note(
            f"the graph takes dates as days since 1970: {', '.join(recipe.dates)}; their texts are "
            "not read in it"
        )
    named = " and ".join(filter(None, [", ".join(inputs[:-1]), inputs[-1]]))
    output.say(
        f"{number(len(fitted.tasks_), 'task')}, "
        f"{number(fitted.moments_.n_features, 'feature')}; inputs {named}: {onnx}"
    )
    output.result(onnx=onnx, inputs=inputs, features=list(recipe.feature_names if recipe else ()))
