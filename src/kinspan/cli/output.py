"""Results → standard output; notes and progress → standard error."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed
from rich.table import Table
from rich.text import Text

from kinspan.cli.failing import printable
from kinspan.tables.tally import Advance

_WIDE = 1000  # outside of terminals nothing is cut


class Output:
    """Sentences and tables for people, or one JSON object for machines."""

    def __init__(self, as_json: bool = False) -> None:
        self.as_json, self.notes = as_json, list[str]()
        self._results, self._asides = _console(sys.stdout), _console(sys.stderr)
        if as_json:  # the program restores it
            warnings.showwarning = lambda message, *_, **__: self.note(str(message))

    def note(self, text: str) -> None:
        """A remark on the result; in JSON it is part of the result."""
        self.notes.append(text)
        if not self.as_json:
            self._asides.print(Text(f"kinspan: {printable(text)}"), soft_wrap=True)

    def say(self, text: str) -> None:
        """A sentence of the result."""
        if not self.as_json:
            self._results.print(Text(printable(text)), soft_wrap=True)

    def table(
        self,
        title: str,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        last: Sequence[str] | None = None,
    ) -> None:
        """A table whose first column is a name; the last row may summarize the others."""
        if self.as_json:
            return
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        columns = [printable(name) for name in columns]  # classes may be in their names
        rows = [[printable(cell) for cell in row] for row in rows]
        lines = [*rows, *([] if last is None else [last])]
        for i, name in enumerate(columns):
            width = max((len(line[i]) for line in lines), default=0)
            if i == 0:  # long names may be cut in a narrow terminal, numbers may not
                table.add_column(Text(name), overflow="fold")
            else:
                table.add_column(Text(name), justify="right", min_width=width)
        for row in rows:
            table.add_row(*map(Text, row))
        if last is not None:
            table.add_section()
            table.add_row(*map(Text, last), style="bold")
        self._results.print(Text(printable(title)), soft_wrap=True)
        self._results.print(table, crop=False)

    def result(self, **values: Any) -> None:
        """The result for machines."""
        if self.as_json:
            found = {**values, "notes": self.notes}
            sys.stdout.write(
                json.dumps(json_value(found), ensure_ascii=False, allow_nan=False) + "\n"
            )

    @contextmanager
    def progress(self, doing: str, n_rows: int | None = None) -> Iterator[Advance]:
        """A progress bar in a terminal."""
        if self.as_json or not self._asides.is_terminal:
            yield lambda n: None
            return
        parts = SpinnerColumn(), TextColumn("{task.description}"), BarColumn()
        with Progress(
            *parts, MofNCompleteColumn(), Elapsed(), console=self._asides, transient=True
        ) as bar:
            task = bar.add_task(doing, total=n_rows)
            yield lambda n: bar.advance(task, n)


def _console(stream: Any) -> Console:
    is_terminal = stream is not None and stream.isatty()
    # Notebooks and test services set FORCE_COLOR for colours, which would also show bars.
    forced = None if is_terminal else False
    width = None if is_terminal else _WIDE
    return Console(file=stream, highlight=False, force_terminal=forced, width=width)


def json_value(value: Any) -> Any:
    """A value in JSON types: unknown numbers are null, and times are text."""
    if isinstance(value, dict):
        return {str(json_value(key)): json_value(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(entry) for entry in value]
    if hasattr(value, "tolist"):  # an array or number of NumPy
        return json_value(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, bool, int)) else str(value)


def name_of(value: Any) -> str:
    """An id as text; booleans as they are written in files."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return str(value).lower() if isinstance(value, bool) else str(value)
