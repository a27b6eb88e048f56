"""Pages whose data may not be here: they are then shown without results, and say so."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

NOTE = """
:::{warning}
This page was built without its results: the data that it reads are not where this site was built.
:::
"""


def leave_unexecuted(app: Sphinx, config: Config) -> None:
    """Pages without their data are not run."""
    missing = [page for page, data in config.pages_with_real_data.items() if not data.is_dir()]
    config.nb_execution_excludepatterns = [f"{page}*" for page in missing]
    config.pages_without_data = missing


def say_so(app: Sphinx, page: str, source: list[str]) -> None:
    """Put a note below the title of a page that is not run."""
    if page in app.config.pages_without_data:
        title, rest = source[0].split("\n# ", 1)
        heading, text = rest.split("\n", 1)
        source[0] = f"{title}\n# {heading}\n{NOTE}\n{text}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both."""
    app.add_config_value("pages_with_real_data", dict[str, Path](), "env", [dict])
    app.add_config_value("pages_without_data", list[str](), "env", [list])
    app.connect("config-inited", leave_unexecuted, priority=100)
    app.connect("source-read", say_so)
    return {"parallel_read_safe": True}
