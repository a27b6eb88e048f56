"""The tables of the tutorial: customers of thirty tenants, some of whom leave.

    python tenants.py FOLDER

writes known.csv (customers of whom is known whether they left), new.csv (of whom it is not) and
later.csv (the same customers a year after). What makes customers leave is similar in all tenants
but not the same; cells are missing, and two columns hold text.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np

TENANTS = [
    f"{a}{b}" for a in ("ac", "ba", "co", "du", "el", "fi") for b in ("me", "ro", "ka", "nu", "x")
]
PLANS = np.array(["free", "team", "firm"])
COUNTRIES = np.array(["DE", "FR", "IT", "PL"])
HEADER = [
    "customer",
    "tenant",
    "plan",
    "country",
    "logins",
    "tickets",
    "seats",
    "latency",
    "churned",
]


def customers(rng: np.random.Generator, rule: Any, tenant: int, n: int) -> list[list[str]]:
    """Rows of one tenant: its rule says which customers leave."""
    kind = rng.normal(size=(n, 4))
    plan, country = rng.integers(0, 3, n), rng.integers(0, 4, n)
    drawn = kind @ rule[tenant, :4] + np.array([0.9, 0.0, -0.9])[plan] * rule[tenant, 4]
    leaves = drawn + rng.normal(scale=0.25, size=n) > 0
    numbers = np.column_stack(
        [
            np.round(np.exp(2.0 + 0.6 * kind[:, 0])),
            np.round(np.maximum(3.0 + 2.0 * kind[:, 1], 0.0)),
            np.round(20.0 + 5.0 * tenant + 6.0 * kind[:, 2]),  # tenants differ in size
            np.round(120.0 + 30.0 * kind[:, 3], 1),
        ]
    )
    cells = np.column_stack(
        [PLANS[plan], COUNTRIES[country], [[f"{x:g}" for x in row] for row in numbers]]
    ).astype(object)
    cells[rng.random(cells.shape) < 0.03] = ""  # what nobody entered
    answers = np.where(leaves, "yes", "no")
    return [[TENANTS[tenant], *row, answer] for row, answer in zip(cells, answers, strict=True)]


def write(path: Path, rows: list[list[str]], header: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def main(folder: Path) -> None:
    rng = np.random.default_rng(2)
    rule = np.array([-1.0, 0.8, -0.5, 0.6, 1.0]) + 0.5 * rng.normal(size=(len(TENANTS), 5))
    parts = []
    for first, (low, high) in ((0, (12, 40)), (5000, (40, 41))):
        rows = [
            r for t in range(len(TENANTS)) for r in customers(rng, rule, t, rng.integers(low, high))
        ]
        order = rng.permutation(len(rows))
        parts.append([[f"{first + n:05d}", *rows[i]] for n, i in enumerate(order)])
    known, later = parts
    write(folder / "known.csv", known, HEADER)
    write(folder / "new.csv", [row[:-1] for row in later], HEADER[:-1])
    write(folder / "later.csv", later, HEADER)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
