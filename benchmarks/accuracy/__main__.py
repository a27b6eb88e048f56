"""`python -m benchmarks.accuracy`: fill the file of rows, then write the table."""

from __future__ import annotations

import argparse
import os

from benchmarks._measure import RESULTS
from benchmarks.accuracy.peers import PEERS
from benchmarks.accuracy.rows import FILE, FRESH_ROWS, ROWS
from benchmarks.accuracy.run import run
from benchmarks.accuracy.sets import SETS
from benchmarks.accuracy.table import write, write_fresh

FRESH_DRAWS = 50_000  # the first of the draws that were used for nothing else, before or since


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--methods", nargs="+", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--draws", type=int, default=100, help="at most, of every target")
    parser.add_argument("--data", default=os.environ.get("KINSPAN_DATA"), help="folder of the data")
    parser.add_argument("--fresh", type=int, default=0, help="number of fresh draws")
    parser.add_argument("--again", action="store_true", help="measure these methods again")
    parser.add_argument("--table", action="store_true", help="only write the table")
    options = parser.parse_args()
    if not options.table:
        peers = [PEERS[name] for name in options.methods if PEERS[name].is_here]
        sets = [SETS[name] for name in options.sets]
        path, draws = ROWS, range(options.draws)
        if options.fresh:
            path, draws = FRESH_ROWS, range(FRESH_DRAWS, FRESH_DRAWS + options.fresh)
        if options.again:
            names = [peer.name for peer in peers]
            FILE.forget(path, lambda row: row.set in options.sets and row.method in names)
        run(sets, peers, path, options.data, draws)
    write(list(FILE.read(ROWS).values()), RESULTS)
    write_fresh(list(FILE.read(FRESH_ROWS).values()), RESULTS)


if __name__ == "__main__":
    main()
