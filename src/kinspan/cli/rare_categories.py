"""Statistics and a recipe → both without rare categories, whose names must not leave a site."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from kinspan import Statistics
from kinspan.cli.output import Output
from kinspan.tables.recipe import Recipe
from kinspan.tables.tally import number


def without_rare(
    found: Statistics, recipe: Recipe, min_count: int, output: Output
) -> tuple[Statistics, Recipe]:
    """Both without the categories of fewer rows, which then count as no category."""
    moments = found.moments
    n_rows = np.rint((moments.numbers * moments.means).sum(axis=(0, 1)))
    is_category = [c.categories is not None for c in recipe.columns for _ in c.features]
    kept = ~np.array(is_category) | (n_rows >= min_count)
    if kept.all():
        return found, recipe
    left = _with_features(recipe, kept)
    names = left.feature_names
    if not names:
        raise ValueError(
            f"no column is left as a feature: every category has fewer than {min_count} rows "
            "(--min-count)"
        )
    _note_rare(recipe, left, min_count, output)
    return _of_features(found, kept, names), left


def _of_features(found: Statistics, kept: np.ndarray, names: tuple[str, ...]) -> Statistics:
    """Of some features; keys of rows stay: they tell which share of all rows was sampled."""
    sample, free = found.sample, found.unlabelled
    if sample is not None:
        sample = replace(sample, stored=np.ascontiguousarray(sample.rows[:, kept]))
    if free is not None:
        free = _of_features(free, kept, names)
    return Statistics(found.moments.of_features(kept), sample, names, free)


def _with_features(recipe: Recipe, kept: np.ndarray) -> Recipe:
    """The columns of which a feature is kept."""
    columns, is_kept = [], iter(kept.tolist())
    for column in recipe.columns:
        if column.categories is None:
            next(is_kept)
            columns.append(column)
            continue
        categories = tuple(category for category in column.categories if next(is_kept))
        has_rare = column.has_rare and next(is_kept)
        if categories or has_rare:
            columns.append(replace(column, categories=categories, has_rare=has_rare))
    return replace(recipe, columns=tuple(columns))


def _note_rare(before: Recipe, after: Recipe, min_count: int, output: Output) -> None:
    left = Counter({column.name: len(column.features) for column in after.columns})
    for column in before.columns:
        n_gone = len(column.features) - left[column.name]
        if n_gone:
            rest = "they count as none" if left[column.name] else "the column is left out"
            output.note(
                f"withheld: {number(n_gone, 'rare value')} of {column.name!r}, of fewer than "
                f"{min_count} rows each; {rest} (--min-count)"
            )
