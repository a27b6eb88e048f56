"""Attributes as the docstring of the class describes them.

numpydoc would put the one line that the property has for itself in their place.
"""

from __future__ import annotations

from numpydoc.docscrape_sphinx import SphinxDocString
from sphinx.application import Sphinx

_with_summary = SphinxDocString._process_param


def _as_written(
    self: SphinxDocString, name: str, description: list[str], _: bool
) -> tuple[str, list[str]]:
    return _with_summary(self, name, description, False)


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace it."""
    SphinxDocString._process_param = _as_written
    return {"parallel_read_safe": True}
