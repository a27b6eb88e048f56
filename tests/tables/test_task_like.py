"""Columns that look like tasks, by their names or values, and what else tables have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from kinspan.tables.task_like import task_like

N = 400


def found(name: str, values: Any) -> str | None:
    table = pa.table({name: values, "x": np.random.default_rng(0).normal(size=len(values))})
    like = task_like(table)
    return None if like is None else like.name


@pytest.mark.parametrize(
    "name",
    ["tenant", "Site", "site_id", "hospitalNo", "shops", "machine id", "patient", "Clinic", "TASK"],
)
def test_names_of_tasks(name: str) -> None:
    assert found(name, [f"{chr(97 + i % 12)}x" for i in range(N)]) == name
    assert found(name, np.arange(N) % 12) == name
    assert found(name, (np.arange(N) % 12).astype(float)) == name
    assert found(name, np.arange(N) % 2) is None  # too few values to be tasks
    assert found(name, np.arange(N)) is None  # every row has its own
    assert found(name, np.random.default_rng(0).normal(size=N)) is None


def test_other_types_of_columns_that_tasks_may_have() -> None:
    words = [f"{chr(97 + i % 12)}x" for i in range(N)]
    assert found("site", pa.array(words).dictionary_encode()) == "site"
    assert found("site", pa.array(np.arange(N) % 12).dictionary_encode()) == "site"
    assert found("device", np.arange(N) % 12 + np.datetime64("2024-01-01")) is None


def test_uses_decide_just_at_the_constant() -> None:
    assert found("site", [str(i % 80) for i in range(400)]) == "site"
    assert found("site", [str(i % 80) for i in range(399)]) is None


def test_values_that_are_numbered() -> None:
    for values in ("site-{}", "s{}", "Shop {:03d}", "P_{}"):
        assert found("where", [values.format(i % 12) for i in range(N)]) == "where"
    assert found("where", [f"T{i % 4}" for i in range(N)]) is None  # stages
    assert found("where", [f"{chr(97 + i % 3)}{i % 12}" for i in range(N)]) is None
    assert found("where", [f"{i % 12}" for i in range(N)]) is None


@pytest.mark.parametrize(
    ("name", "n_values"),
    [
        *[("workclass", 9), ("education", 16), ("marital-status", 7), ("occupation", 15)],
        *[("relationship", 6), ("race", 5), ("sex", 2), ("native-country", 40), ("job", 12)],
        *[("contact", 3), ("month", 12), ("poutcome", 4), ("Pclass", 3), ("Embarked", 3)],
        *[("plan", 3), ("country", 4), ("colour", 8), ("payer_code", 18), ("A1Cresult", 4)],
        *[("insulin", 4), ("weekday", 7), ("cap-shape", 6), ("odor", 9), ("habitat", 7)],
        *[("purpose", 10), ("housing", 3), ("personal_status", 4), ("width", 50)],
    ],
)
def test_columns_of_well_known_tables_are_no_tasks(name: str, n_values: int) -> None:
    words = [f"{chr(97 + i % 26)}{'abc'[i // 26]}word" for i in range(n_values)]
    assert found(name, [words[i % n_values] for i in range(N)]) is None
