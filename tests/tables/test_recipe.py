"""A stored recipe is the same recipe, and a broken one is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kinspan import StoredDataError
from kinspan.tables.recipe import FeatureColumn, Recipe, recipe_of


def recipe() -> Recipe:
    columns = (FeatureColumn("a"), FeatureColumn("b", ("x", "ÿ")))
    return Recipe(columns, "task", "label", {"task": "text", "label": "integers"}, "mean")


def test_a_recipe_survives_storage() -> None:
    notes = {"recipe": json.loads(json.dumps(recipe().to_json()))}
    assert recipe_of(notes) == recipe()
    assert recipe().feature_names == ("a", "b=x", "b=ÿ")
    assert recipe_of(None) is None
    assert recipe_of({"other": 1}) is None


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
    ],
)
def test_a_broken_recipe_is_stored_data_that_is_broken(broken: dict[str, Any]) -> None:
    with pytest.raises(StoredDataError, match="notes"):
        recipe_of({"recipe": {**recipe().to_json(), **broken}})
