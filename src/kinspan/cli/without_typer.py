"""The command line without typer: it runs the demo, and says what to install for the rest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

VERBS = {  # and what they do, so that the help need not import them
    "fit": "Fit all tasks at once, and forecast the error of each.",
    "predict": "Predict new rows, in their order: the class, and the probability of every class.",
    "explain": "Say which tasks help a task, and by how much.",
    "plan": "Say how many more labels a task needs to reach an error, or that no number suffices.",
    "evaluate": "Compare the forecast of every task with its error on rows that were not fitted.",
    "moments": "Count, average and square the rows of a site: no row leaves unless requested.",
    "merge": "Add the moments of several sites: fitting the sum is like fitting all their rows.",
    "export": "Write predict and predict_proba of a model as one ONNX graph.",
    "report": "Write a page about a model: forecasts, who helps whom, and the value of more "
    "labels.",
    "demo": "Fit built-in data, print a table of all tasks, and draw it.",
}


def run(arguments: Sequence[str]) -> int:
    """Run the demo, or say how to install the rest; the exit code."""
    if list(arguments[:1]) != ["demo"]:
        sys.stderr.write(
            f"kinspan: error: {_wanted(arguments)} needs typer, which is not installed; run "
            "pip install 'kinspan[cli]' (kinspan demo runs without)\n"
        )
        return 2
    from kinspan.cli import demonstration  # noqa: PLC0415  # takes longer than the message above

    parser = argparse.ArgumentParser(prog="kinspan demo", description=demonstration.__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo.png"), help="where the picture goes")
    demonstration.run(parser.parse_args(arguments[1:]).out)
    return 0


def _wanted(arguments: Sequence[str]) -> str:
    verb = next(iter(arguments), "")
    return f"kinspan {verb}" if verb in VERBS else "the command line"
