"""A recipe: how the table of a fitted model was read, so that later tables are read alike."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from kinspan.exceptions import StoredDataError
from kinspan.tables.dialect import Dialect

MISSING = ("error", "mean", "drop")
RARE = "rare"


@dataclass(frozen=True)
class FeatureColumn:
    """A column of numbers or dates, which is one feature, or of text with categories."""

    name: str
    categories: tuple[str, ...] | None = None  # None: numbers or dates
    is_date: bool = False
    has_rare: bool = False  # whether all other categories are a feature together

    @property
    def features(self) -> tuple[str, ...]:
        """The names of its features."""
        if self.categories is None:
            return (self.name,)
        rare = [f"{self.name}: {RARE}"] if self.has_rare else []
        return (*(f"{self.name}={category}" for category in self.categories), *rare)


@dataclass(frozen=True)
class Recipe:
    """The role of every column, and the treatment of missing values."""

    columns: tuple[FeatureColumn, ...]
    task: str | None  # the column; None: all rows are of one task
    label: str | None  # the column; None: not known to a model from Python
    kinds: dict[str, str] = field(default_factory=dict)  # the kinds of tasks and labels
    missing: str = "error"
    dialect: Dialect = field(default_factory=Dialect)  # of text files
    unlabelled: str | None = None  # the label that stands for none, besides empty cells

    def only(self, names: Collection[str]) -> Recipe:
        """The recipe of some of its columns."""
        return replace(self, columns=tuple(c for c in self.columns if c.name in names))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of all features, in their order."""
        return tuple(name for column in self.columns for name in column.features)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns of numbers."""
        plain = (c for c in self.columns if c.categories is None and not c.is_date)
        return tuple(column.name for column in plain)

    @property
    def dates(self) -> tuple[str, ...]:
        """The columns of dates."""
        return tuple(column.name for column in self.columns if column.is_date)

    @property
    def categorical(self) -> tuple[str, ...]:
        """The columns of text."""
        return tuple(column.name for column in self.columns if column.categories is not None)

    @property
    def read_as_text(self) -> tuple[str, ...]:
        """Columns that text files hold as text: dates are parsed later."""
        return (*self.categorical, *self.dates)

    def to_json(self) -> dict[str, Any]:
        """Plain values, stored as notes of a model."""
        return {**asdict(self), "dialect": self.dialect._asdict()}


def recipe_of(notes: Any) -> Recipe | None:
    """The recipe in the notes of a model, if they have one."""
    if not isinstance(notes, dict) or "recipe" not in notes:
        return None
    try:
        return _from_json(notes["recipe"])
    except (KeyError, TypeError, ValueError) as error:
        raise StoredDataError(f"its notes on columns cannot be read: {error}") from None


def _from_json(stored: dict[str, Any]) -> Recipe:
    columns = tuple(_column(column) for column in stored["columns"])
    task, label, kinds = stored["task"], stored["label"], dict(stored["kinds"])
    names = [name for name in (task, label) if name is not None]
    if not all(isinstance(text, str) for text in [*names, *kinds, *kinds.values()]):
        raise TypeError("names of columns are text")
    if stored["missing"] not in MISSING:
        raise ValueError(f"{stored['missing']!r} is not a treatment of missing values")
    dialect = Dialect.of_json(stored.get("dialect", {}))  # older files have none
    none = stored.get("unlabelled")
    if not isinstance(none, (str, type(None))):
        raise TypeError("what stands for no label is text")
    return Recipe(columns, task, label, kinds, stored["missing"], dialect, none)


def _column(stored: dict[str, Any]) -> FeatureColumn:
    name, categories = stored["name"], stored["categories"]
    if not all(isinstance(text, str) for text in [name, *(categories or ())]):
        raise TypeError("names of columns and categories are text")
    is_date, has_rare = (bool(stored.get(key, False)) for key in ("is_date", "has_rare"))
    return FeatureColumn(name, None if categories is None else tuple(categories), is_date, has_rare)
