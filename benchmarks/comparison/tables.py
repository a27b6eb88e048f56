"""Results → the tables of the page, and the page with its tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.comparison.contenders import CONTENDERS
from benchmarks.comparison.questions import QUESTIONS
from benchmarks.comparison.rows import FILE, FITS, Answer, Fact, Fit, read_answers, read_facts
from benchmarks.comparison.situations import SITUATIONS
from benchmarks.comparison.subjects import SUBJECTS
from benchmarks.comparison.tabpfn_claims import CLAIMS
from benchmarks.peers.peer import OURS

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"
FEW = [name for name, s in SITUATIONS.items() if s.few_labels]
OTHER = [name for name in SITUATIONS if name not in FEW]
Cells = Mapping[tuple[str, str], list[Fit]]  # situation and method → fits


def tables() -> dict[str, str]:
    """Every table of the page from the committed results."""
    cells: dict[tuple[str, str], list[Fit]] = defaultdict(list)
    for fit in FILE.read(FITS).values():
        cells[fit.situation, fit.method].append(fit)
    answers = read_answers()
    return {
        "situations": situations(),
        "errors_few": errors(cells, FEW),
        "errors_other": errors(cells, OTHER),
        "times_few": times(cells, FEW),
        "times_other": times(cells, OTHER),
        "answers": answered([a for a in answers if a.library in SUBJECTS]),
        "facts": facts(read_facts()),
        "tabpfn": claims([a for a in answers if a.library == "TabPFN"]),
    }


def write(page: Path = PAGE) -> None:
    """Put the tables in their places."""
    page.write_text(with_tables(page.read_text(encoding="utf-8"), tables()), encoding="utf-8")


def with_tables(text: str, found: Mapping[str, str]) -> str:
    """The text with everything between the marks of each table replaced."""
    for name, table in found.items():
        start, end = f"<!-- table {name} -->", f"<!-- end {name} -->"
        pattern = rf"(?<={re.escape(start)}\n).*?(?={re.escape(end)})"
        text = re.sub(pattern, f"\n{table}\n".replace("\\", r"\\"), text, count=1, flags=re.DOTALL)
    return text


def situations() -> str:
    lines = [[s.name, s.what, str(s.seeds)] for s in SITUATIONS.values()]
    return markdown(["situation", "tasks and labels", "draws"], lines, "---")


def errors(cells: Cells, among: Sequence[str]) -> str:
    """Per cent of new rows predicted wrongly; the smallest of each situation is bold."""
    best = {s: min(mean(fits) for (of, _), fits in cells.items() if of == s) for s in among}

    def cell(situation: str, method: str) -> str:
        fits = cells[situation, method]
        text = f"{100 * mean(fits):.1f} ± {100 * standard_error(fits):.1f}"
        return f"**{text}**" if mean(fits) == best[situation] else text

    return by_situation(cells, among, cell)


def times(cells: Cells, among: Sequence[str]) -> str:
    """Times to fit and to predict, relative to kinspan in the same run: medians over draws."""

    def cell(situation: str, method: str) -> str:
        fits = cells[situation, method]
        if method == OURS.name:
            to_fit = middle(f.fit_seconds * 1e3 for f in fits)
            return f"{to_fit} / {middle(f.predict_seconds * 1e3 for f in fits)} ms"
        to_fit = middle(f.fit_seconds / f.our_fit_seconds for f in fits)
        return f"{to_fit} / {middle(f.predict_seconds / f.our_predict_seconds for f in fits)}"

    return by_situation(cells, among, cell)


def by_situation(cells: Cells, among: Sequence[str], cell: Callable[[str, str], str]) -> str:
    """One line per method, one column per situation; a dash where a method does not apply."""
    methods = [m for m in CONTENDERS if any((s, m) in cells for s in among)]
    lines = [[m, *(cell(s, m) if (s, m) in cells else "–" for s in among)] for m in methods]
    return markdown(["", *among], lines)


def answered(answers: Iterable[Answer]) -> str:
    passed = {(a.question, a.library): a.passed for a in answers}
    lines = [
        [asked(check), *("yes" if passed[name, s] else "no" for s in SUBJECTS)]
        for name, check in QUESTIONS.items()
    ]
    return markdown(["", *SUBJECTS], lines, ":-:")


def claims(answers: Iterable[Answer]) -> str:
    lines = [[asked(CLAIMS[a.question]), "yes" if a.passed else "no", a.version] for a in answers]
    return markdown(["claim", "holds", "version"], lines, "---")


def facts(found: Iterable[Fact]) -> str:
    lines = [
        [f.library, f.version, f.status or "not stated", f.licence, str(f.dependencies), size(f)]
        for f in found
    ]
    head = ["", "version", "development status", "licence", "extra packages", "on disk"]
    return markdown(head, lines, "---")


def size(fact: Fact) -> str:
    return f"{fact.megabytes:,.0f} MB".replace(",", " ")


def asked(check: Callable[..., None]) -> str:
    """The question as the table shows it."""
    return (check.__doc__ or "").partition("\n")[0].rstrip(".")


def mean(fits: list[Fit]) -> float:
    return float(np.mean([fit.error for fit in fits]))


def standard_error(fits: list[Fit]) -> float:
    return float(np.std([fit.error for fit in fits], ddof=1) / np.sqrt(len(fits)))


def middle(figures: Iterable[float]) -> str:
    """The median, with two significant digits."""
    found = float(np.median(list(figures)))
    return f"{found:.0f}" if found >= 10 else f"{found:.2g}"


def markdown(head: list[str], lines: Iterable[list[str]], rule: str = "--:") -> str:
    """The first column aligned to the left, the others as `rule` says."""
    body = [head, ["---"] + [rule] * (len(head) - 1), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in body) + "\n"
