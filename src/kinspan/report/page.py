"""Data in a page: one file with its style, its scripts and the library that draws.

Nothing of the data becomes markup. It is JSON in a block that does not run, with every `<` escaped;
the script puts it into the page as text. The page forbids itself any network, and any script but
those whose digests it names.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from kinspan import __version__

_STYLES = ("style.css", "tables.css")
_SCRIPTS = (
    "words",
    "tables",
    "drawing",
    "task_table",
    "forecasts",
    "relatives",
    "curve",
    "map",
    "overview",
    "report",
)


def page(contents: dict[str, Any], drawing: str) -> bytes:
    """The page that shows contents, with the script of plotly.js in it."""
    parts = [_asset(f"{name}.js") for name in _SCRIPTS]
    ours = _script("\n".join(["(() => {", '"use strict";', *parts, "})();"]))
    library = _script(drawing)
    filled = Template(_asset("page.html")).substitute(
        policy=_policy(ours, library),
        title=escape(contents["title"]),
        version=__version__,
        style="\n".join(_asset(name) for name in _STYLES),
        data=_data(contents),
        library=library,
        script=ours,
    )
    return filled.encode("utf-8", "replace")


def _asset(name: str) -> str:
    return (files("kinspan.report") / "assets" / name).read_text(encoding="utf-8").strip()


def _data(contents: dict[str, Any]) -> str:
    text = json.dumps(contents, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _script(text: str) -> str:
    """A script inside HTML: nothing in it may look like its end, or like a comment."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _policy(*scripts: str) -> str:
    digests = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {digests}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
