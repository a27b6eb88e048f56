"""What the program says of itself; it imports nothing, so that it answers at once."""

from __future__ import annotations

from collections.abc import Sequence

from kinspan import __version__

VERBS = {
    "fit": "Fit all tasks at once, and forecast the error of each.",
    "predict": "Predict new rows, in their order: the class, and the probability of every class.",
    "explain": "Say which tasks help a task, and by how much.",
    "plan": "Say how many more labels a task needs to reach an error, or that no number suffices.",
    "evaluate": "Compare the forecast of every task with its error on rows that were not fitted.",
    "audit": "List the labels that are probably wrong, the least likely first, and how many "
    "there are.",
    "moments": "Count, average and square the rows of a site: no row leaves unless requested.",
    "merge": "Add the moments of several sites: fitting the sum is like fitting all their rows.",
    "export": "Write predict and predict_proba of a model as one ONNX graph.",
    "report": "Write a page about a model: forecasts, who helps whom, and the value of more "
    "labels.",
    "demo": "Fit built-in data, print a table of all tasks, and draw it.",
}

_HELP = """\
Usage: kinspan VERB [OPTIONS] …

Many small, related classification tasks: one closed-form fit, nothing to tune.

Verbs:
{verbs}

Options:
  --help, -h  Show this text; kinspan fit --help shows the options of a verb.
  --version   Show the version.
  --debug     Show the traceback of an error, with any verb.

Examples:
  kinspan fit data.parquet --task tenant --label churned --out model.kinspan
  kinspan predict model.kinspan new.csv --out scored.csv
  kinspan explain model.kinspan --task acme
  kinspan plan model.kinspan --task acme --error 0.05
  kinspan evaluate model.kinspan test.csv
"""


def overview(arguments: Sequence[str]) -> str | None:
    """The help or the version, if the arguments ask for one of them rather than for a verb."""
    first = next((text for text in arguments if text != "--debug"), "--help")
    if first == "--version":
        return f"kinspan {__version__}\n"
    if first in {"--help", "-h"}:
        return _HELP.format(verbs="\n".join(f"  {verb:<10}{VERBS[verb]}" for verb in VERBS))
    return None
