"""A data frame with text, dates and missing values → features, as a scikit-learn transformer."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from kinspan._rows.types import Floats, Ids
from kinspan._validation.messages import short
from kinspan._validation.parameters import check_choice, check_positive, check_type
from kinspan._validation.text_columns import naming_columns
from kinspan.tables.arrow import INTEGERS, NUMBERS, pyarrow
from kinspan.tables.categories import FoundCategories
from kinspan.tables.chunks import Chunk
from kinspan.tables.columns import ColumnChoice, chosen, recipe_of_table
from kinspan.tables.dialect import check_dialect
from kinspan.tables.encoding import OF_FRAMES, encode_chunk
from kinspan.tables.fills import Fills, sums_of_present
from kinspan.tables.frames import (
    chunk_of_frame,
    is_frame,
    names_of_frame,
    opened,
    read_as_file,
    without_empty_types,
)
from kinspan.tables.ids import CodedIds
from kinspan.tables.lacking import widened, without_lacking
from kinspan.tables.layout import check_agrees
from kinspan.tables.reader import Reader
from kinspan.tables.recipe import Recipe
from kinspan.tables.rows import FileRows
from kinspan.tables.tally import Tally
from kinspan.tables.task_like import task_like

_MISSING = ("error", "mean", "keep")


class TableEncoder(TransformerMixin, BaseEstimator):
    """A data frame as people have them → numbers, as `kinspan fit` reads a table.

    Numbers stay numbers, and so do columns of true and false. Dates and times become days since
    1970. Every category of a column of text becomes a feature of zeros and ones, such as
    `plan=free`; a category that `fit` has not seen is all zeros, with a warning. A column of text
    is read as that of a text file: empty cells are missing, and if all others are numbers, dates,
    or true and false, it holds these. Sites that add their statistics use one fitted encoder: a
    category that another one has not met would be missing there, and not zero.

    Parameters
    ----------
    task_column : str, optional
        The column with the task of every row. It is no feature; missing values take the mean of
        their task. Without it, and without `features`, a warning names a column that looks like it.
    features, exclude : list of str, default=()
        Columns to use, by name or pattern (`"usage_*"`), and columns to leave out. Without
        `features`, all columns.
    as_text : list of str, default=()
        Columns whose numbers are categories, or that are text although most of it looks like
        numbers, dates or truth. Categorical columns of a frame are categories anyway, of numbers
        too.
    missing : {"error", "mean", "keep"}, default="error"
        Refuse missing values by column and row, fill in the mean of the column in the same task
        (for categories, their shares; for a new task, the mean of all rows), or keep them as NaN.
    missing_values : list of str, default=()
        Values that stand for a missing one, as text: `"?"`, or `"-999"` also for the number.
    decimal, thousands : str, optional
        The marks in numbers that are text, if not a point and none: `","` and `"."` for 1.234,5.
    rare : int, default=1
        Categories of fewer rows are one feature together, and then new categories are too.

    Attributes
    ----------
    recipe_ : Recipe
        The role of every column and its categories.
    n_features_in_, feature_names_in_
        As in scikit-learn. Later frames may have other columns too, in any order.

    Examples
    --------
    >>> import pandas as pd
    >>> from kinspan.tables import TableEncoder
    >>> frame = pd.DataFrame(
    ...     {
    ...         "shop": ["a", "a", "b", "b"],
    ...         "plan": ["free", "team", "free", None],
    ...         "visits": [3.0, 5.0, None, 8.0],
    ...     }
    ... )
    >>> encoder = TableEncoder(task_column="shop", missing="mean").set_output(transform="pandas")
    >>> encoder.fit_transform(frame)
       plan=free  plan=team  visits
    0        1.0        0.0     3.0
    1        0.0        1.0     5.0
    2        1.0        0.0     8.0
    3        1.0        0.0     8.0
    """

    _may_lack: frozenset[str] = frozenset()  # columns that are missing values where there are none

    def __init__(
        self,
        *,
        task_column: str | None = None,
        features: Sequence[str] = (),
        exclude: Sequence[str] = (),
        as_text: Sequence[str] = (),
        missing: str = "error",
        missing_values: Sequence[str] = (),
        decimal: str | None = None,
        thousands: str | None = None,
        rare: int = 1,
    ) -> None:
        self.task_column = task_column
        self.features = features
        self.exclude = exclude
        self.as_text = as_text
        self.missing = missing
        self.missing_values = missing_values
        self.decimal = decimal
        self.thousands = thousands
        self.rare = rare

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn categories and means; y is not used."""
        choice, frame = self._choice(), self._frame(X, reset=True)
        choice = choice.only(chosen(names_of_frame(frame), choice))
        roles = [] if choice.task is None else [choice.task]
        chunk = chunk_of_frame(frame, [*roles, *choice.features], choice.dialect, roles)
        typed = set(choice.features).difference(choice.as_text)
        chunk = read_as_file(chunk, typed, choice.dialect)
        if choice.task is None and not self.features:
            _warn_of_tasks(chunk)
        draft = recipe_of_table(OF_FRAMES, opened(chunk), choice)
        found = FoundCategories(draft, choice.as_text, choice.rare)
        found.add(chunk._replace(is_text=True))
        self.recipe_, self._fills = found.recipe(), None
        rows = self._encoded(chunk, self.recipe_)
        if self.missing == "mean":
            task = CodedIds.constant(0, len(rows.X)) if rows.task is None else rows.task
            self._fills = Fills.of_sums(sums_of_present(rows.X, task), self.recipe_.feature_names)
        return self

    def transform(self, X: Any) -> Any:
        """(rows, features) numbers, in the order of `get_feature_names_out`."""
        return self._rows(X)[0]

    def _rows(self, X: Any) -> tuple[Floats, Ids | None]:
        """Features and tasks of the rows of a frame; None without a task column."""
        check_is_fitted(self)
        frame = self._frame(X, reset=False)
        known = names_of_frame(frame)
        recipe = without_lacking(self.recipe_, known, self._may_lack)
        wanted = [name for name in self._columns if name in set(known)]
        with_empty = [recipe.task, *(c.name for c in recipe.columns if "" in (c.categories or ()))]
        chunk = chunk_of_frame(frame, wanted, recipe.dialect, with_empty)
        ids = [recipe.task] if recipe.kinds.get("task") in (INTEGERS, NUMBERS) else []
        chunk = read_as_file(without_empty_types(chunk), {*recipe.numeric, *ids}, recipe.dialect)
        reader = self._reader(recipe)
        check_agrees(reader.layout, opened(chunk), reader.request, recipe.read_as_text)
        found = self._encoded(chunk, recipe)
        X = widened(found.X, recipe.feature_names, self.recipe_.feature_names)
        if self._fills is not None:
            self._fills.fill(X, np.isnan(X), found.task)
        return X, None if found.task is None else found.task.values()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the features; those of columns are not used."""
        check_is_fitted(self)
        return np.array(self.recipe_.feature_names, dtype=object)

    @property
    def _columns(self) -> list[str]:
        """The columns of a frame that are read."""
        task = [] if self.recipe_.task is None else [self.recipe_.task]
        return [*task, *(column.name for column in self.recipe_.columns)]

    def _reader(self, recipe: Recipe) -> Reader:
        roles = () if recipe.task is None else ("task",)
        return Reader(recipe, roles, OF_FRAMES if recipe.label is None else "the model")

    def _choice(self) -> ColumnChoice:
        if self.task_column is not None:
            check_type("task_column", self.task_column, str)
        check_choice("missing", self.missing, _MISSING)
        nothing = _texts("missing_values", self.missing_values)
        marks = {"decimal": self.decimal, "thousands": self.thousands}
        return ColumnChoice(
            task=self.task_column,
            label=None,
            features=_texts("features", self.features),
            exclude=_texts("exclude", self.exclude),
            categorical="encode",
            missing="error" if self.missing == "error" else "mean",
            as_text=_texts("as_text", self.as_text),
            dialect=check_dialect(**marks, missing_values=nothing),
            rare=check_positive("rare", self.rare),
        )

    def _frame(self, X: Any, *, reset: bool) -> Any:
        """A frame; an array of numbers as one with the names that scikit-learn gives."""
        if is_frame(X):
            if reset:
                validate_data(self, X, reset=True, skip_check_array=True)
            return X
        allowed: Any = "allow-nan" if self.missing != "error" else True
        with naming_columns(X):
            array = validate_data(self, X, reset=reset, dtype="numeric", ensure_all_finite=allowed)
        return pyarrow().table({f"x{i}": array[:, i] for i in range(array.shape[1])})

    def _encoded(self, chunk: Chunk, recipe: Recipe) -> FileRows:
        tally = Tally()
        found = encode_chunk(chunk, self._reader(recipe), tally)
        if tally.unknown:
            warnings.warn("; ".join(tally.notes_of_unknown()), UserWarning, stacklevel=4)
        if not found.kept.all():
            row = int(np.flatnonzero(~found.kept)[0])
            raise ValueError(
                f"column {self.recipe_.task!r} is missing in row {row + 1:,} of X (the first is "
                "1), which has no task then; drop such rows"
            )
        return found.rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


def encoder_of(recipe: Recipe, may_lack: frozenset[str]) -> TableEncoder:
    """An encoder that treats frames as a model of the command line treats tables.

    Missing values stay: the model fills them in.
    """
    kept = recipe.missing == "mean"
    encoder = TableEncoder(task_column=recipe.task, missing="keep" if kept else "error")
    encoder.recipe_ = replace(recipe, missing="mean" if kept else "error")
    encoder._fills = None
    encoder._may_lack = may_lack
    encoder.feature_names_in_ = np.array(encoder._columns, dtype=object)
    encoder.n_features_in_ = len(encoder._columns)
    return encoder


def _warn_of_tasks(chunk: Chunk) -> None:
    """Say which column looks like the task, where none is named."""
    found = task_like(chunk.columns)
    if found is not None:
        warnings.warn(
            f"column {found.name!r} is encoded as a feature, but looks like tasks: "
            f"{found.n_values:,} values in {found.n_rows:,} rows; name it with "
            f"task_column={found.name!r}, or leave it out with exclude={[found.name]!r}",
            UserWarning,
            stacklevel=3,
        )


def _texts(name: str, given: Any) -> tuple[str, ...]:
    texts = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{name}={short(given)}; use a list of text")
    return tuple(str(text) for text in texts)
