"""A model that was fitted from a table, and answers rows of such tables."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kinspan._memory.threads import snapshot
from kinspan._rows.types import Codes
from kinspan.spca import MultiTaskSPCA
from kinspan.tables.encoder import TableEncoder, encoder_of
from kinspan.tables.frames import is_frame, names_of_frame
from kinspan.tables.lacking import columns_to_lack
from kinspan.tables.recipe import Recipe


class TableModel(MultiTaskSPCA):
    """A model of `kinspan fit`, as `kinspan.load` reads it: it takes rows as the table has them.

    `predict`, `predict_proba` and all others that take rows accept a data frame with the columns of
    the table, the task column among them and no `task=`, and treat text, dates and missing values
    as `kinspan predict` does: a column of which some task has no value may be absent. Encoded
    features with `task=` are accepted too, as by any other `MultiTaskSPCA`, whose parameters and
    attributes it has. A model that dropped rows with missing values refuses such rows.

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

    def _known_rows(self, X: Any, task: Any) -> tuple[Any, NDArray[Any] | None, Codes]:
        if task is None and self._is_table(X):
            features, task = self.table_._rows(X)
            plain = snapshot(self)
            plain.__dict__.pop("feature_names_in_", None)
            return MultiTaskSPCA._known_rows(plain, features, task)
        return super()._known_rows(X, task)

    def _is_table(self, X: Any) -> bool:
        """Whether X is a table of the recipe rather than its features."""
        recipe = self._recipe
        if recipe is None or not is_frame(X):
            return False
        names = set(names_of_frame(X))
        return recipe.task is None or recipe.task in names or names != set(recipe.feature_names)


def table_model(model: MultiTaskSPCA, recipe: Recipe) -> TableModel:
    """A fitted model with the recipe of its table."""
    found = object.__new__(TableModel)
    found.__dict__.update(vars(model), _recipe=recipe)
    return found
