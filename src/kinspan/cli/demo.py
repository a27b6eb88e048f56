"""`kinspan demo`: built-in data → a table and a picture of forecast and actual errors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kinspan.cli import demonstration

EXAMPLES = """
Examples:

kinspan demo --out demo.png
"""


def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where to write the picture.")
    ] = Path("demo.png"),
) -> None:
    """Fit built-in data, print a table of all tasks, and draw it."""
    demonstration.run(out)
