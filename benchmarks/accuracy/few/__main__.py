"""`python -m benchmarks.accuracy.few`: fill the file of rows, then write the table.

Seeds from 1000 on are for development: their rows and their table are kept in `build`, not among
the results. After a change: `--methods ours --again`, or `--methods kinspan --again`.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.accuracy.few.methods import GROUPS, METHODS, named
from benchmarks.accuracy.few.rows import DEVELOPMENT_ROWS, FILE, FIRST_DEVELOPMENT, ROWS
from benchmarks.accuracy.few.run import Plan, run
from benchmarks.accuracy.few.sets import LABELS, SETS
from benchmarks.accuracy.few.table import page


def main() -> None:
    options = parsed()
    seeds = range(options.seeds, options.seeds + options.draws)
    path = ROWS if options.seeds < FIRST_DEVELOPMENT else DEVELOPMENT_ROWS
    if not options.table:
        plan = Plan(options.labels, seeds, named(options.methods), options.again)
        run([SETS[name] for name in options.only], plan, path, options.data)
    write(path)


def parsed() -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy.few", description=__doc__, formatter_class=form
    )
    names = [*GROUPS, *METHODS]
    parser.add_argument("--only", nargs="+", default=list(SETS), choices=list(SETS), help="sets")
    parser.add_argument("--methods", nargs="+", default=list(GROUPS), choices=names)
    parser.add_argument("--labels", nargs="+", type=int, default=list(LABELS), choices=LABELS)
    parser.add_argument("--seeds", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--draws", type=int, default=10, help="number of draws")
    parser.add_argument("--data", default=os.environ.get("KINSPAN_DATA"), help="folder of the data")
    parser.add_argument("--again", action="store_true", help="measure these rows again")
    parser.add_argument("--table", action="store_true", help="only write the table")
    return parser.parse_args()


def write(path: Path) -> None:
    """The page, next to the rows; what it says about methods is printed too."""
    written = path.with_name("accuracy_few.md")
    written.parent.mkdir(exist_ok=True)
    text = page(list(FILE.read(path).values()))
    written.write_text(text, encoding="utf-8")
    print(text[text.find("## Every setting") : text.find("## Notes")])


if __name__ == "__main__":
    main()
