"""The command line: `kinspan` and `python -m kinspan` are the same program."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import find_spec

_CLOSED, _MISUSED, _INTERRUPTED = 1, 2, 130  # as shells say it


def main(arguments: list[str] | None = None) -> None:
    """Run one of the verbs; whatever goes wrong is one line and exit code 2."""
    given = sys.argv[1:] if arguments is None else arguments
    code = 0
    try:
        code = _run(given)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:  # libraries may still be on their way in
        code = _INTERRUPTED
    except OSError as error:  # all others have been told: this is the output
        code = code or _told(error)
        _write_no_more()
    if code:
        raise SystemExit(code)


def _run(given: list[str]) -> int:
    from kinspan.cli.overview import overview  # noqa: PLC0415

    said = overview(given)
    if said is not None:
        print(said, end="")
        return 0 if given else _MISUSED
    if find_spec("typer") is None:
        from kinspan.cli import without_typer  # noqa: PLC0415

        return without_typer.run(given)
    from kinspan.cli import program  # noqa: PLC0415

    return program.run(given)


def _told(error: OSError) -> int:
    """Say why the output cannot be written, unless its reader closed it, as in `… | head`."""
    if isinstance(error, BrokenPipeError):
        return _CLOSED
    reason = error.strerror or type(error).__name__
    with suppress(OSError):
        print(f"kinspan: error: {reason[:1].lower()}{reason[1:]}", file=sys.stderr)
    return _MISUSED


def _write_no_more() -> None:
    """Give what is left of the output to nobody: Python would try again when it ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
