"""The header of the first file and a choice of columns → a recipe, still without categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from kinspan._validation.messages import near, some
from kinspan.tables.arrow import NOTHING, TEXT, TIMES, has_categories, kind_of_type, pyarrow
from kinspan.tables.chunks import open_table
from kinspan.tables.dialect import Dialect
from kinspan.tables.errors import naming_file
from kinspan.tables.late_values import with_late_types, without_values
from kinspan.tables.layout import check_columns, is_numeric, table_layout, with_types
from kinspan.tables.recipe import FeatureColumn, Recipe
from kinspan.tables.request import Request
from kinspan.tables.strays import look, refusal_of
from kinspan.tables.table import OpenTable
from kinspan.tables.text import refuse_other_encoding


class ColumnChoice(NamedTuple):
    """Which columns to use, and how."""

    task: str | None
    label: str | None
    features: Sequence[str] = ()  # names and patterns; none: all columns but task and label
    exclude: Sequence[str] = ()
    categorical: str = "error"
    missing: str = "error"
    as_text: Sequence[str] = ()  # columns that hold text, whatever it looks like
    dialect: Dialect = Dialect()
    rare: int = 1  # categories of fewer rows are one feature
    unlabelled: str | None = None  # the label that stands for none, besides empty cells

    def found_in(self, names: Sequence[str]) -> ColumnChoice:
        """The same without columns and patterns that a table does not have."""
        features, exclude, as_text = (
            [one for one in given if any(_fits(name, one) for name in names)]
            for given in (self.features, self.exclude, self.as_text)
        )
        return self._replace(features=features or self.features, exclude=exclude, as_text=as_text)

    def only(self, names: Sequence[str]) -> ColumnChoice:
        """The choice of columns with these names, all of which are there."""
        as_text = [name for name in self.as_text if name in names or name == self.task]
        return self._replace(features=names, exclude=(), as_text=as_text)

    def request(self, numeric: tuple[str, ...] = ()) -> Request:
        """The request for these columns."""
        ids = frozenset({self.task or "", self.label or ""} & set(self.as_text))
        return Request(
            self.task, self.label, None, numeric, ids, self.dialect, None, self.unlabelled
        )


def draft_recipe(files: Sequence[Path], choice: ColumnChoice) -> Recipe:
    """The recipe for the first file that has rows, without the categories of text columns.

    Where missing values are filled in, other files may have other columns, and bring theirs; unless
    they are refused, a column without any value in a file is what it is in the others.
    """
    for path in files:
        with naming_file(path):
            table = open_table(path, choice.dialect)
            recipe = recipe_of_table(str(path), table, choice)
        if NOTHING not in recipe.kinds.values():
            break
    else:
        if not table.is_text or recipe.kinds.get("task") == NOTHING:
            named = " or ".join(repr(n) for n in (choice.task, choice.label) if n is not None)
            raise ValueError(
                f"{some([str(path) for path in files])}: no row has a value in {named}"
            )
        recipe = replace(recipe, kinds={**recipe.kinds, "label": TEXT})  # it may come further below
    return _with_columns_of(files, recipe, choice) if choice.missing != "error" else recipe


def recipe_of_table(first: str, table: OpenTable, choice: ColumnChoice) -> Recipe:
    """The recipe for an opened table, without the categories of text columns."""
    columns, roles = tuple(_feature_columns(table, choice)), (choice.task, choice.label)
    recipe = Recipe(columns, *roles, {}, choice.missing, choice.dialect, choice.unlabelled)
    layout = table_layout(first, table, choice.request(recipe.numeric))
    return replace(recipe, kinds=layout.kinds)


def _with_columns_of(files: Sequence[Path], recipe: Recipe, choice: ColumnChoice) -> Recipe:
    """With columns that only other files have, and kinds of those without values in the first."""
    columns = {column.name: column for column in recipe.columns}
    unknown = set(columns)  # until a file is met in which they have values
    for path in files:
        with naming_file(path):
            table = open_table(path, choice.dialect)
            found = _feature_columns(table, choice.found_in(table.names))
        for column, has_values in found.items():
            is_new = column.name not in columns and choice.missing == "mean"
            if is_new or (has_values and column.name in unknown):
                columns[column.name] = column
            if is_new and not has_values:
                unknown.add(column.name)
            elif has_values:
                unknown.discard(column.name)
    return replace(recipe, columns=tuple(columns.values()))


def _feature_columns(table: OpenTable, choice: ColumnChoice) -> dict[FeatureColumn, bool]:
    """The columns of features, and whether they have values."""
    check_columns(table, choice.request())
    names = chosen(table.names, choice, table.index_columns)
    refuse_other_encoding(table, names)
    table = with_late_types(table, names, choice.dialect)
    texts = [n for n in names if n in choice.as_text or has_categories(table.types[n])]
    dates = [n for n in names if n not in texts and kind_of_type(table.types[n]) == TIMES]
    known = {*texts, *dates}
    others = [name for name in names if name not in known and not is_numeric(table, name)]
    if texts and choice.categorical == "error":
        _refuse_strays(table, [name for name in texts if name not in choice.as_text], choice)
        shown = [name for name in names if name in texts or name in others]
        raise ValueError(
            f"columns {with_types(table, shown, at_most=10)} are not numeric; make features of "
            "text with categorical='encode', or leave columns out with exclude=[…]"
        )
    if others:
        raise ValueError(
            f"columns {with_types(table, others, at_most=10)} are neither numbers, text nor dates; "
            "leave them out with exclude=[…], or convert them (lists of numbers, such as "
            "embeddings, to one column for each number)"
        )
    empty = without_values(table, names)
    return {
        FeatureColumn(name, () if name in texts else None, is_date=name in dates): name not in empty
        for name in names
    }


def _refuse_strays(table: OpenTable, texts: list[str], choice: ColumnChoice) -> None:
    """Columns of text files that are numbers but for a few cells."""
    if table.is_text and texts:
        string = pyarrow().string()
        batches = table.stream(texts, dict.fromkeys(texts, string), None, 0)
        refusal = refusal_of(look(batches, texts, choice.dialect))
        if refusal is not None:
            raise ValueError(refusal)


def _not_a_column(argument: str, name: str, known: Sequence[str]) -> str:
    there = some(list(known), at_most=20)
    return f"{argument}={name!r} is not a column; there are {there}{near(name, list(known))}"


def chosen(known: Sequence[str], choice: ColumnChoice, index: Sequence[str] = ()) -> list[str]:
    """Columns in the order in which they are named, those of a pattern in that of the file.

    Columns of an index are chosen if they are named.
    """
    needed = [("as_text", name) for name in choice.as_text]
    needed += [] if choice.task is None else [("task", choice.task)]
    for argument, name in needed:
        if name not in known:
            raise ValueError(_not_a_column(argument, name, known))
    roles = {choice.task, choice.label}
    wanted = [name for name in known if name not in index]
    if choice.features:
        wanted = _matching(known, choice.features, "features")
    left_out = {*roles, *_matching(known, choice.exclude, "exclude")}
    names = [name for name in dict.fromkeys(wanted) if name not in left_out]
    if not names:
        there = some(list(known), at_most=20)
        raise ValueError(f"no column is left as a feature; there are {there}")
    return names


def _matching(known: Sequence[str], patterns: Sequence[str], argument: str) -> list[str]:
    matching: list[str] = []
    for pattern in patterns:
        names = [pattern] if pattern in known else []
        names = names or [name for name in known if _fits(name, pattern)]
        if not names:
            raise ValueError(_not_a_column(argument, pattern, known))
        matching += names
    return matching


def _fits(name: str, pattern: str) -> bool:
    """Whether a column is named, or matches a pattern."""
    return name == pattern or fnmatchcase(name, pattern)
