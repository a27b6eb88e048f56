"""`kinspan merge`: moments of several sites → their sum."""

from __future__ import annotations

import glob
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from kinspan import Statistics
from kinspan._memory.statistics import added_up
from kinspan.cli import options, stored
from kinspan.cli.output import Output
from kinspan.cli.places import check_other, check_place
from kinspan.cli.stored import Stored
from kinspan.tables.recipe import Recipe
from kinspan.tables.tally import number

EXAMPLES = """
Examples:

kinspan merge a.moments b.moments --out all.moments
kinspan merge 'sites/*.moments' --out all.moments
"""


def merge(
    files: Annotated[
        list[str], typer.Argument(metavar="MOMENTS", help="Files of kinspan moments, or patterns.")
    ],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Where to write the sum.")],
    as_json: options.Json = False,
) -> None:
    """Add the moments of several sites: fitting the sum is like fitting all their rows."""
    output = Output(as_json)
    check_place(out)
    paths = _found(files, out)
    sites = [stored.read_statistics(path) for path in paths]
    recipe = _common_recipe(paths, sites)
    _note_missing(paths, sites, output)
    whole = _added(paths, sites)
    if whole.sample is None and any(site.value.sample is not None for site in sites):
        output.note("some sites keep their rows: the rows of the others are left out of the sum")
    stored.write(out, whole, recipe)
    _show(paths, sites, whole, out, output)


def _found(files: list[str], out: str) -> list[str]:
    found = [path for given in files for path in _expanded(given)]
    check_other(out, *found)
    known: dict[bytes, str] = {}
    for path in found:
        digest = hashlib.sha256(Path(path).read_bytes()).digest()
        if digest in known:
            raise ValueError(f"{path} is the same as {known[digest]}: its rows would count twice")
        known[digest] = path
    return found


def _expanded(given: str) -> list[str]:
    if Path(given).exists() or not glob.has_magic(given):
        return [given]
    matching = sorted(glob.glob(given, recursive=True))
    if not matching:
        raise FileNotFoundError(f"no file matches {given!r}")
    return matching


def _common_recipe(paths: list[str], sites: list[Stored]) -> Recipe | None:
    """The recipe of the first site; all must have the same columns, and ids of the same kind."""
    first = sites[0].recipe
    for path, site in zip(paths, sites, strict=True):
        if first is None or site.recipe is None:
            continue
        for role in ("task", "label"):
            _refuse_other_column(role, path, site.recipe, paths[0], first)
        for role, kind in first.kinds.items():
            found = site.recipe.kinds.get(role)
            if found != kind:
                raise ValueError(
                    f"the {role}s of {path} are {found}, but those of {paths[0]} are {kind}; make "
                    "the moments with --as-text, or with --like"
                )
        if site.recipe.columns != first.columns:
            _refuse_other_features(path, site.recipe, paths[0], first)
    return first


def _refuse_other_column(
    role: str, path: str, found: Recipe, first_path: str, first: Recipe
) -> None:
    ours, theirs = getattr(first, role), getattr(found, role)
    if ours != theirs:
        raise ValueError(
            f"the {role} of {path} is column {theirs!r}, but that of {first_path} is {ours!r}; "
            f"kinspan moments --like {first_path} reads the same columns"
        )


def _note_missing(paths: list[str], sites: list[Stored], output: Output) -> None:
    """Sites differ if some of them drop rows with missing values and others do not."""
    ways = {
        site.recipe.missing: path
        for path, site in reversed(list(zip(paths, sites, strict=True)))
        if site.recipe is not None
    }
    if len(ways) > 1:
        said = ", ".join(f"--missing {way} ({path})" for way, path in sorted(ways.items()))
        output.note(f"sites treat missing values differently: {said}")


def _refuse_other_features(path: str, found: Recipe, first_path: str, first: Recipe) -> None:
    ours, theirs = first.feature_names, found.feature_names
    strange = [name for name in theirs if name not in ours]
    lacking = [name for name in ours if name not in theirs]
    what = "has the same features in another order"
    if strange:
        what = f"has a feature {strange[0]!r} that {first_path} has not"
    elif lacking:
        what = f"lacks the feature {lacking[0]!r} of {first_path}"
    raise ValueError(f"{path} {what}; kinspan moments --like {first_path} reads the same features")


def _added(paths: list[str], sites: list[Stored]) -> Statistics:
    without_rows = any(site.value.sample is None for site in sites)
    parts = [replace(s.value, sample=None) if without_rows else s.value for s in sites]
    for path, part in zip(paths[1:], parts[1:], strict=True):
        try:
            _ = replace(parts[0], sample=None) + replace(part, sample=None)
        except ValueError as error:
            raise ValueError(f"{path} cannot be added to {paths[0]}: {error}") from error
    whole = added_up(parts)
    if whole is None:
        raise ValueError("there is nothing to add")
    return whole


def _show(
    paths: list[str], sites: list[Stored], whole: Statistics, out: str, output: Output
) -> None:
    rows = [[path, *_described(site.value)] for path, site in zip(paths, sites, strict=True)]
    head = ["site", "rows counted", "tasks", "cells", "rows kept"]
    output.table(number(len(paths), "site"), head, rows, ["all", *_described(whole)])
    output.say(f"Moments: {out}")
    output.result(
        out=out,
        sites=[
            dict(zip(_KEYS, [path, *_numbers(s.value)], strict=True))
            for path, s in zip(paths, sites, strict=True)
        ],
        **dict(zip(_KEYS[1:], _numbers(whole), strict=True)),
    )


_KEYS = ("site", "rows_counted", "tasks", "cells", "rows_kept")


def _numbers(part: Statistics) -> list[int]:
    moments, sample = part.moments, part.sample
    kept = 0 if sample is None else len(sample.rows)
    return [int(moments.counts.sum()), len(moments.tasks), int(moments.present.sum()), kept]


def _described(part: Statistics) -> list[str]:
    return [f"{n:,}" for n in _numbers(part)]
