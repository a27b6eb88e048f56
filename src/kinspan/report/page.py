"""Plain data → the page: one file with its style, its scripts and the drawing library.

Data never become markup: they are JSON in a block that is not executed, with every `<` escaped, and
the script inserts them as text. The content policy of the page forbids all network access, and all
scripts except those whose digests it names.
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
    *("words", "tables", "drawing", "task_table", "forecasts"),
    *("relatives", "curve", "map", "overview", "report"),
)


def page(contents: dict[str, Any], drawing_library: str) -> bytes:
    """The page that shows the contents, with the script of plotly.js included."""
    parts = [_asset(f"{name}.js") for name in _SCRIPTS]
    ours = _script("\n".join(["(() => {", '"use strict";', *parts, "})();"]))
    library = _script(drawing_library)
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
    """A script inside HTML: it must not contain its own end tag or the start of a comment."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _policy(*scripts: str) -> str:
    digests = [hashlib.sha256(script.encode("utf-8")).digest() for script in scripts]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
