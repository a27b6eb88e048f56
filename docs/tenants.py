"""The tables of the tutorial: customers of thirty tenants, some of whom leave.

    python tenants.py FOLDER

writes known.csv (customers of whom it is known whether they left), new.csv (of whom it is not) and
later.csv (the same customers a year after). What makes customers leave is similar for all tenants
but not the same; cells are empty, and two columns hold text.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SOUNDS = ("me", "ro", "ka", "nu", "x")
TENANTS = [first + last for first in ("ac", "ba", "co", "du", "el", "fi") for last in SOUNDS]
PLANS, COUNTRIES = np.array(["free", "team", "firm"]), np.array(["DE", "FR", "IT", "PL"])
NUMBERS = ["logins", "tickets", "seats", "latency", "exports", "age", "invoices", "storage"]
CENTRES = np.array([40, 9, 60, 120, 15, 30, 12, 500])
SPREADS = np.array([10, 2, 8, 30, 4, 9, 3, 120])
HEADER = ["customer", "tenant", "plan", "country", *NUMBERS, "churned"]


def customers(
    rng: np.random.Generator, rules: NDArray[np.float64], tenant: int, n: int
) -> list[list[str]]:
    """Rows of one tenant: its rule says which customers leave."""
    leaves, plan = rng.random(n) < 0.5, rng.integers(0, 3, n)
    plan = np.where(rng.random(n) < 0.3, np.where(leaves, 0, 2), plan)
    drawn = (
        rng.normal(size=(n, len(NUMBERS))) + np.where(leaves, 0.5, -0.5)[:, None] * rules[tenant]
    )
    numbers = CENTRES + SPREADS * (drawn + 0.3 * tenant)  # tenants differ in size
    cells = np.column_stack([PLANS[plan], COUNTRIES[rng.integers(0, 4, n)], np.round(numbers, 1)])
    cells = cells.astype(object)
    cells[rng.random(cells.shape) < 0.03] = ""  # what nobody entered
    answers = np.where(leaves, "yes", "no")
    return [[TENANTS[tenant], *row, answer] for row, answer in zip(cells, answers, strict=True)]


def table(
    rng: np.random.Generator, rules: NDArray[np.float64], first: int, fewest: int, most: int
) -> list[list[str]]:
    """Rows of all tenants in any order, numbered from the first."""
    sizes = rng.integers(fewest, most + 1, len(TENANTS))
    rows = [row for t, n in enumerate(sizes) for row in customers(rng, rules, t, int(n))]
    order = rng.permutation(len(rows))
    return [[f"{first + i:05d}", *rows[j]] for i, j in enumerate(order)]


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    """A table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def main(folder: Path) -> None:
    """Write the three tables."""
    rng = np.random.default_rng(1)
    common = 0.7 * np.array([-1, 1, -1, 1, -1, 0, 1, 0])
    rules = common + 0.4 * rng.normal(size=(len(TENANTS), len(NUMBERS)))
    write(folder / "known.csv", HEADER, table(rng, rules, 0, 10, 30))
    later = table(rng, rules, 5000, 40, 40)
    write(folder / "new.csv", HEADER[:-1], [row[:-1] for row in later])
    write(folder / "later.csv", HEADER, later)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
