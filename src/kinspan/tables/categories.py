"""Chunks of a table → the categories of its text columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from kinspan.tables.arrow import is_string
from kinspan.tables.chunks import Chunk
from kinspan.tables.encoding import texts_of
from kinspan.tables.recipe import FeatureColumn, Recipe
from kinspan.tables.strays import Cells, refusal_of

MOST_CATEGORIES = 200
_MOST_COUNTED = 100_000  # with rare ones, which are one feature


class FoundCategories:
    """Categories of the text columns of a recipe, counted chunk by chunk.

    Categories of fewer than `rare` rows are one feature. Columns of text files that are numbers but
    for a few cells are refused, unless they are said to hold text; in other files text is text.
    """

    def __init__(self, recipe: Recipe, as_text: Collection[str], rare: int) -> None:
        self._recipe, self._as_text, self._rare = recipe, as_text, rare
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in recipe.categorical}
        self._cells = {name: Cells(name, recipe.dialect) for name in recipe.categorical}
        self._in_text_files: dict[str, None] = {}  # in their order
        self._most = MOST_CATEGORIES if rare <= 1 else _MOST_COUNTED

    def add(self, chunk: Chunk) -> None:
        """Count more rows."""
        for name, counts in self._counts.items():
            if name not in chunk.columns.column_names:
                continue
            column = chunk.columns.column(name)
            if name not in self._as_text and is_string(column.type):
                self._cells[name].add(column)
            if chunk.is_text:
                self._in_text_files[name] = None
            if len(counts) <= self._most:
                distinct, codes = texts_of(column, self._recipe.dialect)
                numbers = np.bincount(codes[codes >= 0], minlength=len(distinct))
                counts.update(dict(zip(distinct, numbers.tolist(), strict=True)))
            if len(counts) > self._most and not self._is_faulty(name):
                raise ValueError(self._too_many(name, counts))

    def recipe(self) -> Recipe:
        """The recipe with all categories."""
        refusal = refusal_of(self._cells[name] for name in self._in_text_files)
        if refusal is not None:
            raise ValueError(refusal)
        columns = tuple(
            column if column.categories is None else self._complete(column)
            for column in self._recipe.columns
        )
        complete = replace(self._recipe, columns=columns)
        twice = [name for name, n in Counter(complete.feature_names).items() if n > 1]
        if twice:
            raise ValueError(
                f"two features are called {twice[0]!r}: rename the column of this name"
            )
        return complete

    def _complete(self, column: FeatureColumn) -> FeatureColumn:
        name, counts = column.name, self._counts[column.name]
        if not counts:
            raise ValueError(f"column {name!r} has no values; leave it out with exclude=[…]")
        usual = tuple(sorted(text for text, n in counts.items() if n >= self._rare))
        if len(usual) > MOST_CATEGORIES:
            raise ValueError(self._too_many(name, usual))
        return replace(column, categories=usual, has_rare=len(usual) < len(counts))

    def _is_faulty(self, name: str) -> bool:
        return name in self._in_text_files and self._cells[name].fault is not None

    def _too_many(self, name: str, known: Collection[str]) -> str:
        kind = self._cells[name].kind
        hint = "" if kind is None else f"most are {kind} that are stored as text: convert them, or "
        last = ", or make numbers of free text first (tf-idf, embeddings)" * (kind is None)
        return (
            f"column {name!r} has more than {min(self._most, len(known) - 1)} categories, such as "
            f"{min(known)!r}; {hint}leave it out with exclude=[{name!r}]{last}"
        )
