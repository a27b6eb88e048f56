"""`python -m benchmarks.comparison`: measure what is missing, ask again, write the page's tables.

The results of libraries that are not installed are kept; the data of the situation "new domain"
are read from the folder `KINSPAN_DATA`.
"""

from __future__ import annotations

import argparse

from benchmarks.comparison import facts, tabpfn_claims
from benchmarks.comparison.answers import answers
from benchmarks.comparison.contenders import CONTENDERS
from benchmarks.comparison.measure import run
from benchmarks.comparison.questions import QUESTIONS
from benchmarks.comparison.rows import (
    FITS,
    Answer,
    read_answers,
    read_facts,
    write_answers,
    write_facts,
)
from benchmarks.comparison.situations import SITUATIONS
from benchmarks.comparison.subjects import SUBJECTS
from benchmarks.comparison.tables import write


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.comparison", description=__doc__)
    parser.add_argument("--situations", nargs="*", default=list(SITUATIONS), choices=SITUATIONS)
    parser.add_argument("--again", action="store_true", help="discard all earlier measurements")
    parser.add_argument("--tables", action="store_true", help="only write the tables")
    options = parser.parse_args()
    if not options.tables:
        if options.again:
            FITS.unlink(missing_ok=True)
        ask_again()
        run(
            [SITUATIONS[name] for name in options.situations],
            [c for c in CONTENDERS.values() if c.is_here],
        )
    write()


def ask_again() -> None:
    """Answers and facts of installed libraries replace earlier ones."""
    answered = {(a.question, a.library): a for a in read_answers()}
    found = [*answers(SUBJECTS.values()), *tabpfn_claims.checked()]
    answered |= {(a.question, a.library): a for a in found}
    write_answers(sorted(answered.values(), key=in_order))
    known = {f.library: f for f in read_facts()} | {f.library: f for f in facts.facts()}
    write_facts(known[name] for name in facts.LIBRARIES if name in known)


def in_order(answer: Answer) -> tuple[int, int]:
    """Sort by question, then by library, as in the tables."""
    questions, libraries = [*QUESTIONS, *tabpfn_claims.CLAIMS], [*SUBJECTS, "TabPFN"]
    return questions.index(answer.question), libraries.index(answer.library)


if __name__ == "__main__":
    main()
