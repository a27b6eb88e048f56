"""A file, the columns that are wanted and those that it has → what to say of the others."""

from __future__ import annotations

from pathlib import Path

from kinspan._validation.messages import some
from kinspan.cli.tasks import written_alike
from kinspan.tables.chunks import open_table
from kinspan.tables.recipe import Recipe


def lacking_said(path: Path, wanted: Recipe, found: Recipe) -> list[str]:
    """Which columns of a recipe a file lacks, and which other one may be meant; nothing if none."""
    known = {column.name for column in found.columns}
    lacking = [column.name for column in wanted.columns if column.name not in known]
    if not lacking:
        return []
    roles = {wanted.task, wanted.label}
    others = [n for n in open_table(path, wanted.dialect).names if n not in known | roles]
    alike = written_alike([*lacking, *others])
    meant = f"; it has {alike[1]!r}: is that {alike[0]!r}?" if alike else ""
    return [f"{path} lacks {some(lacking)}: missing in all its rows{meant}"]
