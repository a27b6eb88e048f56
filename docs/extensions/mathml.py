"""Formulas as MathML, which browsers draw themselves: no network, no script."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

TAG = re.compile(r"\\tag\{(.*?)\}")


def inline(self: Any, node: nodes.Element) -> None:
    """A formula within a line."""
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def displayed(self: Any, node: nodes.Element) -> None:
    """A formula on a line of its own; its number, if it has one, stands at the end of the line."""
    source = node.astext()
    number = TAG.search(source)
    formula = convert(TAG.sub("", source).strip(), display="block")
    label = f'<span class="number">({number[1]})</span>' if number else ""
    self.body.append(f'<div class="formula" tabindex="0">{formula}{label}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
