"""A stored model and tables → the result of some work on every chunk of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kinspan.cli import stored
from kinspan.cli.lacking_columns import lacking_said
from kinspan.engines.files._batches import without_names
from kinspan.tables.chunks import Chunk
from kinspan.tables.dialect import Dialect
from kinspan.tables.encoding import UsableRows, encode_chunk
from kinspan.tables.errors import naming_file
from kinspan.tables.lacking import columns_to_lack, widened
from kinspan.tables.reader import Reader
from kinspan.tables.recipe import Recipe
from kinspan.tables.tally import Advance, Tally, number

Result = TypeVar("Result")


class Scoring(NamedTuple):
    """A model, and how its tables are read."""

    model: Any  # for plain arrays
    reader: Reader
    tally: Tally
    lacking: list[str]  # what to say of columns that files lack

    @classmethod
    def of_file(
        cls,
        path: str,
        columns: dict[str, str | None],
        unseen: str | None,
        dialect: Dialect,
    ) -> Scoring:
        """Read a model; its recipe knows the columns with a role that are not named here."""
        model, recipe = stored.read_model(path)
        if recipe is None:
            raise ValueError(
                f"{path} was saved from Python and has no names of features; fit it on a data "
                "frame, or with kinspan fit"
            )
        named = {role: name for role, name in columns.items() if name is not None}
        recipe = replace(
            recipe,
            task=named.get("task", recipe.task),
            label=named.get("label", recipe.label),
            kinds={**stored.kinds_of(model), **recipe.kinds},
            dialect=dialect.over(recipe.dialect),
        )
        if recipe.task is None and len(model.tasks_) > 1:
            raise ValueError(
                f"{path} does not say which column holds the task; name it with --task"
            )
        if "label" in columns and recipe.label is None:
            raise ValueError(f"{path} does not say which column holds the label; use --label")
        plain = without_names(model)
        plain.unseen = model.unseen if unseen is None else unseen
        return cls(plain, Reader(recipe, tuple(columns), "the model"), Tally(), [])

    def each(
        self,
        files: list[Path],
        work: Callable[[Chunk, UsableRows], Result],
        advance: Advance,
        *,
        unchanged: bool = False,
    ) -> Iterator[Result]:
        """The results of all chunks, in their order; errors name the file."""
        for path in files:
            reader = self._reader_of(path)
            for chunk in reader.chunks(path, unchanged=unchanged):
                with naming_file(path):
                    usable = encode_chunk(chunk, reader, self.tally)  # the model fills holes
                    result = work(chunk, self._wide(usable, reader.recipe))
                yield result
                advance(chunk.columns.num_rows)

    def notes(self) -> list[str]:
        """What a user should know of the rows that were read."""
        return [*self.lacking, *self.tally.notes()]

    def _reader_of(self, path: Path) -> Reader:
        """Without columns that a file lacks, if some task has no value of them either."""
        may_lack = columns_to_lack(self.reader.recipe, self.model)
        if not may_lack:
            return self.reader
        found = self.reader.of_file(path, may_lack)
        self.lacking.extend(lacking_said(path, self.reader.recipe, found.recipe))
        return found

    def _wide(self, usable: UsableRows, recipe: Recipe) -> UsableRows:
        """With NaN for features of columns that a file lacks."""
        names = recipe.feature_names, self.reader.recipe.feature_names
        return usable._replace(rows=usable.rows._replace(X=widened(usable.rows.X, *names)))


def unlabelled_note(tally: Tally, what: str) -> list[str]:
    """What to say of rows that need a label and have none."""
    if not tally.unlabelled:
        return []
    return [f"{tally.unlabelled:,} of {number(tally.rows, 'row')} not {what}: they have no label"]
