"""Columns that a table lacks, and may lack → a recipe without them, and features that are NaN."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from kinspan._rows.types import Floats
from kinspan._validation.messages import some
from kinspan.tables.recipe import Recipe


def columns_to_lack(recipe: Recipe, model: Any) -> frozenset[str]:
    """Columns that tables to predict may lack: some task of the model has no value of them."""
    if recipe.missing != "mean":
        return frozenset()
    may_lack = set(np.array(recipe.feature_names, dtype=object)[model._learnt.is_optional])
    return frozenset(c.name for c in recipe.columns if may_lack.issuperset(c.features))


def without_lacking(
    recipe: Recipe, names: Collection[str], may_lack: Collection[str] | None = None
) -> Recipe:
    """The recipe without columns that a table with these names lacks, and may lack; None: any."""
    known = set(names)
    allowed = [c.name for c in recipe.columns] if may_lack is None else may_lack
    kept = [c.name for c in recipe.columns if c.name in known or c.name not in allowed]
    if not kept:
        wanted = some([column.name for column in recipe.columns])
        raise ValueError(f"none of the columns {wanted} is there; columns are {some(list(names))}")
    return recipe if len(kept) == len(recipe.columns) else recipe.only(kept)


def widened(X: Floats, names: Sequence[str], among: Sequence[str]) -> Floats:
    """Features among those of all columns, NaN for those of columns that are lacking."""
    if tuple(names) == tuple(among):
        return X
    place = {name: i for i, name in enumerate(among)}
    wide = np.full((len(X), len(among)), np.nan)
    wide[:, [place[name] for name in names]] = X
    return wide
