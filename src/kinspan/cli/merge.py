"""`kinspan merge`: moments of several sites → their sum."""

from __future__ import annotations

import glob
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from kinspan import Statistics
from kinspan._memory.piles import added_up
from kinspan._validation.messages import some
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
    sites = {path: stored.read_statistics(path) for path in _found(files, out)}
    recipe = _common_recipe(sites)
    _note_missing(sites, output)
    whole = _added(sites)
    _note_other_features(sites, whole, output)
    if whole.sample is None and any(site.value.sample is not None for site in sites.values()):
        output.note("some sites keep their rows: the rows of the others are left out of the sum")
    stored.write(out, whole, recipe)
    parts = {path: _counts(site.value) for path, site in sites.items()}
    total = _counts(whole)
    output.table(
        number(len(sites), "site"),
        ["site", *(name.replace("_", " ") for name in total)],
        [[path, *(f"{n:,}" for n in part.values())] for path, part in parts.items()],
        ["all", *(f"{n:,}" for n in total.values())],
    )
    output.say(f"Moments: {out}")
    output.result(out=out, sites=[{"site": path, **part} for path, part in parts.items()], **total)


def _found(files: list[str], out: str) -> list[str]:
    """The files of names and patterns; none of them twice, also under another name."""
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


def _common_recipe(sites: dict[str, Stored]) -> Recipe | None:
    """The columns of all sites, those of the first before others, with ids of the same kind."""
    first_path, (_, first) = next(iter(sites.items()))
    columns = [] if first is None else list(first.columns)
    for path, (_, recipe) in sites.items():
        if first is None or recipe is None:
            continue
        way_out = f"kinspan moments --like {first_path} reads the same"
        for role in ("task", "label"):
            ours, theirs = getattr(first, role), getattr(recipe, role)
            if ours != theirs:
                raise ValueError(
                    f"the {role} of {path} is column {theirs!r}, but that of {first_path} is "
                    f"{ours!r}; {way_out} columns"
                )
        for role, kind in first.kinds.items():
            if recipe.kinds.get(role) != kind:
                raise ValueError(
                    f"the {role}s of {path} are {recipe.kinds.get(role)}, but those of "
                    f"{first_path} are {kind}; make the moments with --as-text, or with --like"
                )
        known = {column.name: column for column in columns}
        other = next((c for c in recipe.columns if known.get(c.name, c) != c), None)
        if other is not None:
            raise ValueError(
                f"column {other.name!r} of {path} has other categories, or another kind, than that "
                f"of {first_path}; {way_out} features"
            )
        columns += [column for column in recipe.columns if column.name not in known]
    recipes = (recipe for _, recipe in sites.values() if recipe is not None)
    if first is None or all(len(recipe.columns) == len(columns) for recipe in recipes):
        return first
    return replace(first, columns=tuple(columns), missing="mean")  # which some sites lack


def _note_other_features(sites: dict[str, Stored], whole: Statistics, output: Output) -> None:
    """Say which features are missing in all rows of a site."""
    for path, site in sites.items():
        known = site.value.feature_names
        lacking = [name for name in whole.feature_names or () if name not in set(known or ())]
        if known is not None and lacking:
            output.note(f"{path} lacks {some(lacking)}: missing in all its rows")


def _note_missing(sites: dict[str, Stored], output: Output) -> None:
    """Sites differ if some of them drop rows with missing values and others do not."""
    ways: dict[str, str] = {}
    for path, (_, recipe) in sites.items():
        if recipe is not None:
            ways.setdefault(recipe.missing, path)
    if len(ways) > 1:
        shown = ", ".join(f"--missing {way} ({path})" for way, path in sorted(ways.items()))
        output.note(f"sites treat missing values differently: {shown}")


def _added(sites: dict[str, Stored]) -> Statistics:
    """The sum of all sites, without rows if one of them has none."""
    without_rows = any(site.value.sample is None for site in sites.values())
    first_path, first = next(iter(sites.items()))
    for path, site in list(sites.items())[1:]:
        try:
            _ = _without_rows(first.value) + _without_rows(site.value)
        except ValueError as error:
            raise ValueError(f"{path} cannot be added to {first_path}: {error}") from error
    values = (site.value for site in sites.values())
    whole = added_up(_without_rows(v) if without_rows else v for v in values)
    if whole is None:
        raise ValueError("there is nothing to add")
    return whole


def _without_rows(part: Statistics) -> Statistics:
    free = part.unlabelled
    return replace(part, sample=None, unlabelled=None if free is None else _without_rows(free))


def _counts(part: Statistics) -> dict[str, int]:
    moments, sample = part.moments, part.sample
    return {
        "rows_counted": int(moments.counts.sum()),
        "tasks": len(moments.tasks),
        "cells": int(moments.present.sum()),
        "rows_kept": 0 if sample is None else len(sample.cells),
    }
