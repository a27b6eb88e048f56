"""Errors and warnings → one line each, in the words of the command line."""

from __future__ import annotations

import json
import re
import sys
import warnings
from ast import literal_eval
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kinspan.cli.lists import as_argument
from kinspan.exceptions import FileError

EXIT_CODE = 2


def _listed(found: re.Match[str]) -> str:
    """`missing_values=['?', '-']` → `--missing-values '?,-'`."""
    argument = as_argument(literal_eval(found[2]))
    if found[1] == "missing_values":  # cells are in quotes in messages
        argument = _in_quotes(argument)
    return f"--{found[1].replace('_', '-')} {argument}"


def _in_quotes(argument: str) -> str:
    return argument if argument.startswith("'") else f"'{argument}'"


def _stray(found: re.Match[str]) -> str:
    """A cell of a column, both in quotes, that is not of the type of the column."""
    column, kind, cell = found.groups()
    name, text = (as_argument([quoted[1:-1]]) for quoted in (column, cell))
    is_none = "not a number" if kind == "double" else "neither true nor false"
    return (
        f"{cell} in column {column} is {is_none}; --missing-values {_in_quotes(text)} reads it as "
        f"missing, or leave the column out with --exclude {name}"
    )


_TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""  # of Python
_EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError, NotImplementedError)
_WORDS: tuple[tuple[str, Any], ...] = (  # of Python, and of the command line
    (
        r"(convert the column|make such values missing), or name the columns to use with "
        r"features=\[…\]",
        "correct the column, read such values as missing (--missing-values), or fit without it "
        "(--exclude)",
    ),
    (
        r"column ('.*?') cannot be read as (double|bool): invalid value ('.*?'); name the .*",
        _stray,
    ),
    (
        r"name the columns to use with features=\[…\](, without this one)?",
        "correct the column, or leave it out with --exclude",
    ),
    (r"read a column of any type as text with as_text=\[…\]", "fit with --as-text"),
    (r"paths='(.*?)'", r"'\1'"),
    (r"^y contains one class, ", "the label column contains one class, "),
    # Marks and cells are in quotes, which the shell needs.
    (r"(delimiter|decimal|thousands)=('.*?'|\".*?\")", r"--\1 \2"),
    (rf"\b(as_text|exclude|missing_values)=(\[{_TEXT}(?:, {_TEXT})*\])", _listed),
    (r"different random_state", "different --random-state"),
    (r"encoding='…'", "--encoding"),
    (r"encoding='(\S+?)'", r"--encoding \1"),
    (r"(task|label|features|exclude)='(.*?)' is not a column", r"--\1 \2: no such column"),
    (r"as_text='(.*?)' is not a column", r"--as-text \1: no such column"),
    (r"task contains (.*?), which fit has not seen", r"the model knows no task \1"),
    (r"; to cross-validate, split with TaskStratifiedKFold", ""),
    (r"^score='(\w+)': curves", r"--score \1: curves"),
    (r"; forecast\(score='(\w+)'\) says", r"; kinspan report --score \1 says"),
    (r"or from statistics with rows", "or from moments with rows (kinspan moments --reservoir 50)"),
    (r"; write a \.(csv|parquet)$", r"; write a .\1, or use --only-answers"),
)
_OPTION = re.compile(
    r"\b(as_text|categorical|checkpoint|error|exclude|min_count|missing|most|pos_label|row_sample|unseen)="
    r"(?:\[…\]|\['(.*?)'\]|'(.*?)'|(?=(\S)))"
)


def printable(text: str) -> str:
    """Text without terminal control characters: names may come from untrusted files."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def describe(error: BaseException) -> str:
    """An error as one line."""
    text = _in_our_words(_text_of(error))
    # A FileError may also wrap an unexpected error, which should be reported as such.
    origin = error.__cause__ if isinstance(error, FileError) and error.__cause__ else error
    if isinstance(origin, _EXPECTED):
        return text or type(error).__name__
    return f"{type(origin).__name__}: {text} (unexpected; --debug shows where)"


def _in_our_words(text: str) -> str:
    for python, ours in _WORDS:
        text = re.sub(python, ours, text)
    return " ".join(_OPTION.sub(_as_option, text).split())


def _as_option(found: re.Match[str]) -> str:
    """`as_text=['a']` → `--as-text a`."""
    name, *values = found.groups()
    value = next((f" {text}" for text in values[:2] if text is not None), " " * bool(values[2]))
    return f"--{name.replace('_', '-')}{value}"


def _text_of(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror is not None:
        reason = error.strerror[:1].lower() + error.strerror[1:]
        return reason if error.filename is None else f"{error.filename}: {reason}"
    if isinstance(error, MemoryError):
        return f"there is not enough memory {error}"
    return str(error)


def fail(message: str, as_json: bool) -> int:
    """Print an error, as JSON where the result would have been, and return the exit code."""
    said = printable(message)
    if as_json:
        sys.stdout.write(json.dumps({"error": said}, ensure_ascii=False) + "\n")
    elif said:
        sys.stderr.write(f"kinspan: error: {said}\n")
    return EXIT_CODE


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Print warnings of the library as one line each."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        sys.stderr.write(f"kinspan: warning: {printable(_in_our_words(str(message)))}\n")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
