"""A stored recipe is the same recipe, and a broken one is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kinspan import StoredDataError
from kinspan.tables.dialect import Dialect
from kinspan.tables.recipe import FeatureColumn, Recipe, recipe_of


def recipe() -> Recipe:
    columns = (
        FeatureColumn("a"),
        FeatureColumn("b", ("x", "ÿ"), has_rare=True),
        FeatureColumn("day", is_date=True),
    )
    dialect = Dialect(";", "latin-1", ",", ".", ("?", "-"))
    kinds = {"task": "text", "label": "integers"}
    return Recipe(columns, "task", "label", kinds, "mean", dialect)


def test_a_recipe_survives_storage() -> None:
    notes = {"recipe": json.loads(json.dumps(recipe().to_json()))}
    assert recipe_of(notes) == recipe()
    assert recipe().feature_names == ("a", "b=x", "b=ÿ", "b: rare", "day")
    assert recipe_of(None) is None
    assert recipe_of({"other": 1}) is None


def test_a_recipe_of_an_older_file_has_what_was_usual_then() -> None:
    old = {
        "columns": [{"name": "a", "categories": None}, {"name": "b", "categories": ["x"]}],
        "task": None,
        "label": "y",
        "kinds": {"label": "text"},
        "missing": "drop",
    }
    columns = (FeatureColumn("a"), FeatureColumn("b", ("x",)))
    assert recipe_of({"recipe": old}) == Recipe(columns, None, "y", {"label": "text"}, "drop")


@pytest.mark.parametrize(
    "broken",
    [
        {"columns": [{"name": 1, "categories": None}]},
        {"columns": [{"name": "a"}]},
        {"columns": 3},
        {"task": ["a"]},
        {"kinds": 3},
        {"kinds": {"task": 1}},
        {"missing": "sometimes"},
        {"dialect": {"decimal": 3}},
        {"dialect": {"unknown": "x"}},
        {"dialect": {"missing_values": [1]}},
    ],
)
def test_a_broken_recipe_is_stored_data_that_is_broken(broken: dict[str, Any]) -> None:
    with pytest.raises(StoredDataError, match="notes"):
        recipe_of({"recipe": {**recipe().to_json(), **broken}})
