"""Titles, columns and cells → small tables, as text and for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

_STYLE = (
    "text-align: right; padding: .15em .8em; white-space: nowrap; "
    "font-variant-numeric: tabular-nums"
)


class Table(NamedTuple):
    """Rows of text under column names, the first left-aligned; title and note may be empty."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def text(self) -> str:
        """Plain text with aligned columns."""
        lines = [list(self.columns), *map(list, self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = [
            "  ".join(
                cell.ljust(w) if i == 0 else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join(filter(None, [self.title, *(shown if self.rows else []), self.note]))

    def html(self) -> str:
        """HTML, everything escaped."""
        head = "".join(_cell("th", name, i) for i, name in enumerate(self.columns))
        body = "".join(
            f"<tr>{''.join(_cell('td', cell, i) for i, cell in enumerate(row))}</tr>"
            for row in self.rows
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        note = "".join(f"<p>{escape(line)}</p>" for line in self.note.splitlines())
        title = f"<p><strong>{escape(self.title)}</strong></p>" if self.title else ""
        return f"<div style='overflow-x: auto'>{title}{table if self.rows else ''}{note}</div>"


class ShownAsTable:
    """An answer that is printed as a small table, and in notebooks as HTML."""

    def _table(self) -> Table:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()


def _cell(tag: str, text: str, column: int) -> str:
    style = _STYLE if column else _STYLE.replace("right", "left")
    return f'<{tag} style="{style}">{escape(text)}</{tag}>'


def percent(value: float) -> str:
    """An error rate as text."""
    return f"{100 * value:.1f} %" if isfinite(value) else "unknown"


def count(n: float) -> str:
    """How many, as text: thousands in full, fewer with fractions where rows count less."""
    return f"{n:,.0f}" if n >= 1000 else f"{n:.4g}"


def interval(ends: Iterable[float]) -> str:
    """The two ends of an interval of error rates as text."""
    low, high = map(percent, ends)
    return f"{low.removesuffix(' %')} to {high}"


def points(value: float) -> str:
    """A difference of error rates in percentage points, with its sign."""
    return f"{100 * value:+z.1f}" if isfinite(value) else "unknown"


def quoted(task: Any) -> str:
    """An id as Python code without its NumPy type: 'books', not np.str_('books')."""
    is_wrapped = isinstance(task, (np.str_, np.bytes_, np.integer, np.floating, np.bool_))
    return repr(task.item() if is_wrapped else task)
