"""The command line: `python -m kinspan demo`."""

from __future__ import annotations

import argparse
from pathlib import Path


def main(arguments: list[str] | None = None) -> None:
    """Run one of the verbs."""
    parser = argparse.ArgumentParser(prog="python -m kinspan", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    demo = verbs.add_parser("demo", help="fit on embedded data, print a table per task, draw it")
    demo.add_argument("--out", type=Path, default=Path("demo.png"), help="where the picture goes")
    options = parser.parse_args(arguments)

    from kinspan import _demo  # noqa: PLC0415  # --help need not wait for scikit-learn

    _demo.run(options.out)


if __name__ == "__main__":
    main()
