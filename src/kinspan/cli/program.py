"""Arguments → the verb that they name, and an exit code."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from kinspan.cli import failing
from kinspan.cli.options import NO_VALUE
from kinspan.cli.overview import VERBS


def _app(arguments: Sequence[str]) -> typer.Typer:
    """The program; of the verbs, those among the arguments are imported."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(program)
    for verb in VERBS:
        if verb in arguments:  # a function in a file of its name
            module = import_module(f"kinspan.cli.{verb}")
            action = getattr(module, verb)
            app.command(cls=Verb, help=_in_paragraphs(action), epilog=module.EXAMPLES)(action)
        else:  # a name that a slip of the pen may have meant
            app.command(verb)(_nothing)
    return app


def _in_paragraphs(action: Any) -> str:
    """The docstring of a verb without breaks of lines, which the help would keep."""
    text = inspect.getdoc(action) or ""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


class Verb(TyperCommand):
    """A verb whose help shows no type of Python next to --help."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option that typer makes, which takes no value."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.metavar = NO_VALUE
        return option


def _nothing() -> None:
    """Stand for a verb that is not run."""


def program() -> None:
    """Many small, related classification tasks: one closed-form fit, nothing to tune."""


def run(arguments: Sequence[str]) -> int:
    """Run a verb; the exit code."""
    debug, as_json = ("--debug" in arguments), ("--json" in arguments)
    given = [text for text in arguments if text != "--debug"]
    with _open_streams():
        try:
            with failing.one_line_warnings():
                command = get_command(_app(given))
                code = command.main(args=given, prog_name="kinspan", standalone_mode=False)
                sys.stdout.flush()
        except BrokenPipeError:  # the reader of the output has closed it
            raise
        except Exception as error:
            if debug:
                traceback.print_exception(error)
            is_of_typer = hasattr(error, "format_message")  # or of click in older versions of it
            said = _misuse(error) if is_of_typer else failing.describe(error)
            return failing.fail(said, as_json)
    return code if isinstance(code, int) else 0


@contextmanager
def _open_streams() -> Iterator[None]:
    """Streams that were closed by the caller (`>&-`) as ones that take anything."""
    closed = [name for name in ("stdout", "stderr") if getattr(sys, name) is None]
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for name in closed:
            setattr(sys, name, nowhere)
        try:
            yield
        finally:
            for name in closed:
                setattr(sys, name, None)


def _misuse(error: Any) -> str:
    """Arguments that no verb takes, in words."""
    text = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    hint = "see kinspan --help" if context is None else f"see {context.command_path} --help"
    if "command" in text:
        hint = f"the verbs are {', '.join(VERBS)}"
        if "'forecast'" in text:
            hint = "kinspan fit and kinspan report forecast the error, and scores with --score"
    if text.endswith("?"):
        return f"{text} {hint[0].upper()}{hint[1:]}"
    return f"{text.rstrip('.')}; {hint}"
