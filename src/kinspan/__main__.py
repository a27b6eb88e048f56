"""The command line: `kinspan` and `python -m kinspan` are the same program."""

from __future__ import annotations

import sys
from importlib.util import find_spec

_MISUSED, _INTERRUPTED = 2, 130  # as shells say it


def main(arguments: list[str] | None = None) -> None:
    """Run one of the verbs; whatever goes wrong is one line and exit code 2."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        from kinspan.cli.overview import overview  # noqa: PLC0415

        said = overview(given)
        if said is not None:
            print(said, end="")
            code = 0 if given else _MISUSED
        elif find_spec("typer") is None:
            from kinspan.cli import without_typer  # noqa: PLC0415

            code = without_typer.run(given)
        else:
            from kinspan.cli import program  # noqa: PLC0415

            code = program.run(given)
    except KeyboardInterrupt:  # libraries may still be on their way in
        code = _INTERRUPTED
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    main()
