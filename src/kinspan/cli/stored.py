"""Files ↔ models or moments, with the recipe of the table that they were learnt from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from kinspan import MultiTaskSPCA, Statistics
from kinspan._saving.model_file import load_with_notes, to_bytes
from kinspan._storage.atomic_files import write_atomically
from kinspan._validation.fitted import names_of
from kinspan.tables.ids import kind_of
from kinspan.tables.recipe import FeatureColumn, Recipe, recipe_of


class Stored(NamedTuple):
    """A model or statistics, and the recipe of its table."""

    value: Any
    recipe: Recipe | None


def read_model(path: str) -> Stored:
    """A fitted model; one that was saved from Python has a recipe if it knows its features."""
    model, notes = load_with_notes(path)
    if isinstance(model, Statistics):
        raise ValueError(
            f"{path} holds moments, not a model; kinspan fit --moments {path} makes one of them"
        )
    if not isinstance(model, MultiTaskSPCA):
        raise ValueError(f"{path} holds {type(model).__name__}, not a model; use kinspan fit")
    return Stored(model, recipe_of(notes) or _of_python(model))


def read_statistics(path: str) -> Stored:
    """A file of `kinspan moments` or `kinspan merge`."""
    statistics, notes = load_with_notes(path)
    if not isinstance(statistics, Statistics):
        kind = "a model" if isinstance(statistics, MultiTaskSPCA) else type(statistics).__name__
        raise ValueError(f"{path} holds {kind}, not moments; kinspan moments writes those")
    return Stored(statistics, recipe_of(notes))


def read_recipe(path: str) -> Recipe:
    """The recipe of a model or of moments."""
    recipe = recipe_of(load_with_notes(path)[1])
    if recipe is None:
        raise ValueError(f"{path} does not say how its table was read; kinspan did not write it")
    return recipe


def write(
    path: str,
    what: MultiTaskSPCA | Statistics,
    recipe: Recipe | None,
    checkpoint: str | None = None,
) -> None:
    """Write a model or statistics, whole or not at all, and remove their checkpoint."""
    notes = None if recipe is None else {"recipe": recipe.to_json()}
    write_atomically(Path(path), to_bytes(what, notes))
    if checkpoint is not None:
        Path(checkpoint).unlink(missing_ok=True)


def _of_python(model: MultiTaskSPCA) -> Recipe | None:
    names = names_of(model)
    if names is None:
        return None
    task = model.task_column
    task = names[task] if isinstance(task, int) else task
    columns = tuple(FeatureColumn(name) for name in names if name != task)
    return Recipe(columns, task, None, kinds_of(model))


def kinds_of(model: MultiTaskSPCA) -> dict[str, str]:
    """The kinds of the tasks and classes of a model."""
    return {"task": kind_of(model.tasks_), "label": kind_of(model.classes_)}
