"""A model that was fitted from a table, and answers rows of such tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from kinspan._memory.threads import snapshot
from kinspan._rows.types import Codes, Floats
from kinspan._validation.columns import column_of
from kinspan.spca import MultiTaskSPCA
from kinspan.tables.arrow import pyarrow
from kinspan.tables.encoder import TableEncoder, encoder_of
from kinspan.tables.frames import is_frame, names_of_frame
from kinspan.tables.lacking import columns_to_lack
from kinspan.tables.recipe import Recipe


class TableModel(MultiTaskSPCA):
    """A model of `kinspan fit`, as `kinspan.load` reads it: it takes rows as the table has them.

    `predict`, `predict_proba` and all others that take rows, `partial_fit` and `add_task` among
    them, accept a data frame with the columns of the table, and treat text, dates and missing
    values as `kinspan predict` does: a column of which some task has no value may be absent. Tasks
    are those of the task column, or of `task=`. Encoded features with `task=` are accepted too, as
    by any other `MultiTaskSPCA`, whose parameters and attributes it has. A model that dropped rows
    with missing values refuses such rows.

    Attributes
    ----------
    table_ : TableEncoder
        What makes features of a table.
    """

    _recipe: Recipe | None = None

    @property
    def table_(self) -> TableEncoder:
        """What makes features of a table."""
        recipe = self._recipe
        if recipe is None:
            raise AttributeError("this model was not fitted from a table")
        return encoder_of(recipe, columns_to_lack(recipe, self))

    def fit(self, X: Any, y: Any, **more: Any) -> MultiTaskSPCA:
        """Fit features, as `MultiTaskSPCA`; the table is forgotten."""
        super().fit(X, y, **more)
        self._recipe = None
        return self

    def fit_moments(self, *statistics: Any, **more: Any) -> MultiTaskSPCA:
        """Fit from ready statistics, as `MultiTaskSPCA`; the table is forgotten."""
        super().fit_moments(*statistics, **more)
        self._recipe = None
        return self

    def partial_fit(self, X: Any, y: Any = None, *, task: Any = None, **more: Any) -> TableModel:
        """Learn from one more batch of rows of the table, or of its features.

        Without y labels are those of the label column of the table.
        """
        if y is None:
            y = self._labels_of(X)
        if self._is_table(X, task):
            features, task = self._rows_of_table(X, task)
            X = self._named(features)
        super().partial_fit(X, y, task=task, **more)
        return self

    def add_task(self, name: Any, X: Any = None, y: Any = None, **more: Any) -> TableModel:
        """Add a task with rows of the table, or of its features."""
        if X is not None and self._is_table(X, name):
            X = self._named(self._rows_of_table(X, name)[0])
        super().add_task(name, X, y, **more)
        return self

    def _known_rows(self, X: Any, task: Any) -> tuple[Any, NDArray[Any] | None, Codes]:
        if self._is_table(X, task):
            features, task = self._rows_of_table(X, task)
            plain = snapshot(self)
            plain.__dict__.pop("feature_names_in_", None)
            return MultiTaskSPCA._known_rows(plain, features, task)
        return super()._known_rows(X, task)

    def _labels_of(self, X: Any) -> Any:
        """The values of the label column."""
        label = None if self._recipe is None else self._recipe.label
        if label is None or not is_frame(X) or label not in names_of_frame(X):
            there = "" if label is None else f", or X with the label column {label!r}"
            raise ValueError(f"y=None: rows to learn from need labels; pass y{there}")
        return column_of(X, label)

    def _is_table(self, X: Any, task: Any) -> bool:
        """Whether X is a table of the recipe rather than its features."""
        recipe = self._recipe
        if recipe is None or not is_frame(X):
            return False
        names, features = set(names_of_frame(X)), set(recipe.feature_names)
        if task is not None:
            return not names <= features
        return recipe.task is None or recipe.task in names or names != features

    def _rows_of_table(self, X: Any, task: Any) -> tuple[Floats, Any]:
        """Features of rows, and their tasks: those of the column where no others are given."""
        recipe = self._recipe
        assert recipe is not None
        if task is None:
            return self.table_._rows(X)
        without = replace(recipe, task=None)
        return encoder_of(without, columns_to_lack(recipe, self))._rows(X)[0], task

    def _named(self, features: Floats) -> Any:
        """Features with their names."""
        names = self.feature_names_in_.tolist()
        return pyarrow().table(dict(zip(names, features.T, strict=True)))


def table_model(model: MultiTaskSPCA, recipe: Recipe) -> TableModel:
    """A fitted model with the recipe of its table."""
    found = object.__new__(TableModel)
    found.__dict__.update(vars(model), _recipe=recipe)
    return found
