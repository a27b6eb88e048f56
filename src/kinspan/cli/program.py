"""Arguments → the verb that they name, and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from kinspan import __version__
from kinspan.cli import failing
from kinspan.cli.without_typer import VERBS

EXAMPLES = """
Examples (kinspan fit --help and so on show more):

kinspan fit data.parquet --task tenant --label churned --out model.kinspan
kinspan predict model.kinspan new.csv --out scored.csv
kinspan explain model.kinspan --task acme
kinspan plan model.kinspan --task acme --error 0.05
kinspan evaluate model.kinspan test.csv
"""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)
for verb in VERBS:  # each is a function in a file of its name
    module = import_module(f"kinspan.cli.{verb}")
    app.command(epilog=module.EXAMPLES)(getattr(module, verb))


def _show_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"kinspan {__version__}\n")
        raise typer.Exit


@app.callback()
def program(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Many small, related classification tasks: one closed-form fit, nothing to tune."""


def run(arguments: Sequence[str]) -> int:
    """Run a verb; the exit code."""
    debug = "--debug" in arguments
    given = [text for text in arguments if text != "--debug"]
    try:
        with failing.one_line_warnings():
            code = get_command(app).main(args=given, prog_name="kinspan", standalone_mode=False)
            sys.stdout.flush()
    except BrokenPipeError:
        return _closed()
    except Exception as error:
        if hasattr(error, "format_message"):  # of typer, or of click in older versions of it
            return _misused(error)
        return failing.failed(error, debug)
    return code if isinstance(code, int) else 0


def _misused(error: Any) -> int:
    """Report arguments that no verb takes."""
    text = " ".join(error.format_message().split())
    if not text:  # no arguments at all: the help was shown
        return failing.EXIT_CODE
    context = getattr(error, "ctx", None)
    hint = "see kinspan --help" if context is None else f"see {context.command_path} --help"
    if "command" in text:
        hint = f"verbs are {', '.join(VERBS)}"
    return failing.fail(f"{text.rstrip('.')}; {hint}")


def _closed() -> int:
    """The reader of the output has closed it, as in `kinspan … | head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
