"""The command line: `kinspan` and `python -m kinspan` are the same program."""

from __future__ import annotations

import sys
from importlib.util import find_spec

_INTERRUPTED = 130  # as shells say it


def main(arguments: list[str] | None = None) -> None:
    """Run one of the verbs; whatever goes wrong is one line and exit code 2."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if find_spec("typer") is None:
            from kinspan.cli.without_typer import run  # noqa: PLC0415
        else:
            from kinspan.cli.program import run  # noqa: PLC0415
        code = run(given)
    except KeyboardInterrupt:  # libraries may still be on their way in
        code = _INTERRUPTED
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    main()
