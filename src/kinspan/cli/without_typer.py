"""The command line without typer: it runs the demo, and says what to install for the rest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kinspan.cli.overview import VERBS


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
