"""Lists of names and cells in one argument, separated by commas, and how a shell reads them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

_ONE = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)')


def listed(given: Sequence[str] | None) -> tuple[str, ...]:
    """Names that were given one by one, or separated by commas; in quotes they may contain commas.

    >>> listed(["age, visits", '"net, total"'])
    ('age', 'visits', 'net, total')
    """
    found = (one for text in given or () for one in _ONE.findall(text))
    names = (quoted.replace('""', '"') or plain for quoted, plain in found)
    return tuple(name for name in names if name)


def as_argument(names: Sequence[str]) -> str:
    """The argument that is listed as these names.

    >>> print(as_argument(["age", "net, total"]))
    'age,"net, total"'
    """
    return shlex.quote(",".join(_quoted(name) for name in names))


def _quoted(name: str) -> str:
    is_plain = name == name.strip() and "," not in name and not name.startswith('"')
    return name if is_plain else '"{}"'.format(name.replace('"', '""'))
