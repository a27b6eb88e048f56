"""`kinspan demo`: forecast and actual errors on data that come with the library."""

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
        Path, typer.Option("--out", metavar="FILE", help="Where the picture goes.")
    ] = Path("demo.png"),
) -> None:
    """Fit on embedded data, print a table of every task, and draw it."""
    demonstration.run(out)
