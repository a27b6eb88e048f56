"""`python -m benchmarks.forecast`: the table, and a file of results.

`python -m benchmarks.forecast 1000 Amazon` shows regimes whose names contain a word, from a seed
on; only all regimes from seed 0 on are results that are kept.
"""

from __future__ import annotations

import csv
import sys

from benchmarks._measure import RESULTS
from benchmarks.forecast.real import regimes
from benchmarks.forecast.simulated import REGIMES
from benchmarks.forecast.table import Row, row

_TITLE = f"{'':<30}{'tasks':>6}{'true':>7}{'said':>7}{'bias':>8}{'±':>7}{'gap':>7}{'of mean':>9}"


def main(wanted: list[str]) -> None:
    first = int(wanted.pop(0)) if wanted and wanted[0].isdigit() else 0
    chosen = [r for r in [*REGIMES, *regimes()] if all(word in r.name for word in wanted)]
    print(_TITLE + f"{'cover':>7}{'width':>7}")
    rows = []
    for regime in chosen:
        rows.append(row(regime, first, regime.draws))
        print(_line(rows[-1]), flush=True)
    if first == 0 and not wanted:
        RESULTS.mkdir(exist_ok=True)
        with (RESULTS / "forecast.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Row._fields)
            for found in rows:
                writer.writerow([f"{v:.4f}" if isinstance(v, float) else v for v in found])


def _line(r: Row) -> str:
    """A row of the table; * for a limit that is not kept."""
    most = 0.03 if r.is_small else 0.01
    marks = ["*" * missed for missed in (abs(r.bias) > most, r.gap > r.gap_of_mean + 5e-4)]
    marks.append("*" * (not 0.85 <= r.cover <= 0.95))
    return (
        f"{r.regime:<30}{r.tasks:>6}{r.true:>7.3f}{r.announced:>7.3f}{r.bias:>+7.3f}{marks[0]:<1}"
        f"{r.bias_error:>7.4f}{r.gap:>7.3f}{marks[1]:<1}{r.gap_of_mean:>8.3f}{r.cover:>7.2f}{marks[2]:<1}{r.width:>6.3f}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
