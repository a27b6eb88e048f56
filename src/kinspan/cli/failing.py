"""Whatever goes wrong is one line, in the words of the command line."""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kinspan.cli.output import printable
from kinspan.engines.files import FileError

EXIT_CODE = 2
_EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError, NotImplementedError)
_WORDS = (  # of Python, and of the command line
    (
        r"convert the column, or name the columns to use with features=\[…\]",
        "correct the column, or fit without it (--exclude)",
    ),
    (
        r"name the columns to use with features=\[…\](, without this one)?",
        "correct the column, or leave it out with --exclude",
    ),
    (r"read a column of any type as text with as_text=\[…\]", "fit with --as-text"),
    (r"read it as text with as_text=\['(.*?)'\]", r"read it as text with --as-text \1"),
    (r"try as_text=\['(.*?)'\]", r"try --as-text \1"),
    (r"Use delimiter=('.*?')", r"Use --delimiter \1"),
    (r"delimiter=('.*?')", r"--delimiter \1"),
    (r"paths='(.*?)'", r"'\1'"),
    (r"checkpoint='(.*?)'", r"--checkpoint \1"),
    (r"With unseen='shared' they get", "With --unseen shared they get"),
    (r"(task|label)='(.*?)' is not a column", r"--\1 \2: no such column"),
    (r"task contains (.*?), which fit has not seen", r"the model knows no task \1"),
    (r"\brow_sample=", "--row-sample "),
    (r"\bmost=", "--most "),
    (r"\berror=", "--error "),
    (r"\bmin_count=", "--min-count "),
)


def describe(error: BaseException) -> str:
    """An error as one line."""
    text = _text_of(error)
    for python, ours in _WORDS:
        text = re.sub(python, ours, text)
    text = " ".join(text.split())
    # A file is named in whatever happens while it is read, also in what should not happen.
    origin = error.__cause__ if isinstance(error, FileError) and error.__cause__ else error
    if isinstance(origin, _EXPECTED):
        return text or type(error).__name__
    return f"{type(origin).__name__}: {text} (unexpected; --debug shows where)"


def _text_of(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror is not None:
        reason = error.strerror[:1].lower() + error.strerror[1:]
        return reason if error.filename is None else f"{error.filename}: {reason}"
    if isinstance(error, MemoryError):
        return f"there is not enough memory {error}"
    return str(error)


def fail(message: str) -> int:
    """Say what is wrong, and give the exit code."""
    sys.stderr.write(f"kinspan: error: {printable(message)}\n")
    return EXIT_CODE


def failed(error: Exception, debug: bool) -> int:
    """Say what went wrong, with a traceback if that was asked for, and give the exit code."""
    if debug:
        traceback.print_exception(error)
    return fail(describe(error))


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Warnings of the library as notes."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        sys.stderr.write(f"kinspan: warning: {printable(' '.join(str(message).split()))}\n")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
