"""The comparison with other libraries: the page shows what was measured, and checks still pass."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.comparison import measure, rows, tables, worlds
from benchmarks.comparison.answers import asked
from benchmarks.comparison.contenders import CONTENDERS
from benchmarks.comparison.questions import QUESTIONS
from benchmarks.comparison.rows import Answer, Fact, Fit, Key
from benchmarks.comparison.samples import prepared
from benchmarks.comparison.situations import SITUATIONS, Situation, rings, shops
from benchmarks.comparison.subjects import SUBJECTS, Labelled, Subject
from benchmarks.comparison.tabpfn_claims import CLAIMS
from benchmarks.peers import fits
from benchmarks.peers.measure import measured
from benchmarks.peers.peer import OURS, Peer
from benchmarks.peers.samples import Sample
from benchmarks.peers.tuning import folds

FITS = list(rows.FILE.read(rows.FITS).values())
ANSWERS = rows.read_answers()


def test_the_tables_of_the_page_are_those_of_the_results() -> None:
    page = tables.PAGE.read_text(encoding="utf-8")
    found = tables.tables()
    assert re.findall(r"<!-- table (\w+) -->", page) == re.findall(r"<!-- end (\w+) -->", page)
    assert set(re.findall(r"<!-- table (\w+) -->", page)) == set(found)
    assert tables.with_tables(page, found) == page


def test_every_line_of_the_results_has_its_function() -> None:
    assert {(fit.situation, fit.method) for fit in FITS} <= {
        (situation, method) for situation in SITUATIONS for method in CONTENDERS
    }
    assert {answer.question for answer in ANSWERS} == {*QUESTIONS, *CLAIMS}
    assert all(map(tables.asked, QUESTIONS.values()))
    assert all(map(tables.asked, CLAIMS.values()))


def test_every_library_was_asked_every_question() -> None:
    wanted = {(question, subject) for question in QUESTIONS for subject in SUBJECTS}
    wanted |= {(claim, "TabPFN") for claim in CLAIMS}
    assert {(a.question, a.library) for a in ANSWERS} == wanted
    assert len(ANSWERS) == len(wanted)
    assert all(a.passed == (a.why_not == "") and a.version for a in ANSWERS)


def test_every_method_was_measured_in_every_draw() -> None:
    here = [c for c in CONTENDERS.values() if c.needs != "tabpfn"]
    wanted = {
        Key(s.name, seed, c.name)
        for s in SITUATIONS.values()
        for seed in range(s.seeds)
        for c in here
        if not (s.name == "one task" and c.several_tasks)
    }
    assert {fit.key for fit in FITS if fit.method != "TabPFN"} == wanted
    assert all(0 <= fit.error <= 1 and fit.fit_seconds > 0 and fit.versions for fit in FITS)


@pytest.mark.long
@pytest.mark.parametrize(
    "subject", [s for s in SUBJECTS.values() if s.is_here], ids=lambda s: s.name
)
@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_have_not_changed(question: str, subject: Subject) -> None:
    (known,) = [a for a in ANSWERS if a.question == question and a.library == subject.name]
    assert asked(question, subject).passed == known.passed


def test_a_check_can_fail() -> None:
    def guess(labelled: Labelled, kind: str) -> Any:
        fitted = SUBJECTS["kinspan"].fit(labelled, kind)
        fitted.model.predict = lambda X, task: np.zeros(len(X), int)
        return fitted

    answer = asked("mixed_tasks", SUBJECTS["kinspan"]._replace(fit=guess))
    assert not answer.passed
    assert "50% of new rows are right" in answer.why_not


def test_linear_methods_get_scaled_centred_and_encoded_features() -> None:
    train = shops(0).train
    cells = [train.X[(train.task == t) & (train.y == c)] for t in range(8) for c in (0, 1)]
    assert train.X.shape[1] == 5 + 6 + 4
    for one, other in zip(cells[::2], cells[1::2], strict=True):
        np.testing.assert_allclose(one.mean(axis=0) + other.mean(axis=0), 0, atol=1e-9)
    within = sum(((cell - cell.mean(axis=0)) ** 2).sum(axis=0) for cell in cells)
    np.testing.assert_allclose(within / (len(train.y) - 16), 1)
    assert set(np.unique(train.raw[:, -2:])) == set(range(6))


def test_new_rows_do_not_move_what_is_learnt_from() -> None:
    rng = np.random.default_rng(0)
    train = rng.standard_normal((20, 2)), np.arange(20) % 2, np.repeat([0, 1], 10)
    one, other = (prepared(train, (X, train[1], train[2])) for X in (train[0], train[0] + 5))
    np.testing.assert_array_equal(one.train.X, other.train.X)
    assert not np.array_equal(one.test.X, other.test.X)


def test_folds_leave_out_every_row_of_the_tasks_that_are_asked_about_once() -> None:
    sample = rings(0)
    about = sample._replace(test=sample.test.of(sample.test.task == 3))
    parts = list(folds(about))
    assert len(parts) == 3
    assert sum(len(part.test.y) for part in parts) == (sample.train.task == 3).sum()
    for part in parts:
        assert set(part.test.task) == {3}
        assert len(part.train.y) + len(part.test.y) == len(sample.train.y)


def test_every_method_that_is_here_learns_what_it_can() -> None:
    easy = worlds.alike("az", 30), worlds.alike("az", 30, seed=1)
    train, new = ((r.X, r.y, (r.task == "z").astype(int)) for r in easy)
    sample = prepared(train, new)
    for contender in CONTENDERS.values():
        if contender.is_here and contender.needs in ("kinspan", "sklearn"):
            parameters = {} if contender.grid[0] == {} else {"C": 1.0}
            outcome = measured(contender, sample, parameters)
            assert outcome.right.mean() > 0.95, contender.name
            assert outcome.fit_seconds > 0


def test_a_run_continues_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "fits.csv"
    situation = Situation("easy", small, "two tasks", seeds=2)
    pooled = Peer("pooled", fits.logistic_pooled, [{"C": 1e-6}, {"C": 1.0}])
    measure.run([situation], [OURS], path)
    first = rows.FILE.read(path)
    assert {key.method for key in first} == {"kinspan"}
    measure.run([situation], [OURS, pooled], path)
    second = rows.FILE.read(path)
    assert first.items() <= second.items()
    assert len(second) == 4
    chosen = [fit.parameters for key, fit in second.items() if key.method == "pooled"]
    assert chosen == [{"C": 1.0}] * 2


def small(seed: int) -> Sample:
    """Strong ridge answers one class for all: the other constant is the better one."""
    parts = []
    for s in (seed, seed + 100):
        labelled = worlds.alike("az", 20, seed=s)
        parts.append((labelled.X, labelled.y, (labelled.task == "z").astype(int)))
    return prepared(parts[0], parts[1])


def test_the_best_of_a_situation_is_bold() -> None:
    cells = {
        (s, m): [Fit(s, i, m, e + i / 100, 2.0, 3.0, 0.5, 1.5, {}, "") for i in (0, 2)]
        for s in SITUATIONS
        for m, e in [("kinspan", 0.10), ("LightGBM", 0.20 if s == "clusters" else 0.05)]
    }
    table = tables.errors(cells, tables.FEW)
    assert table.count("**6.0 ± 1.0**") == len(tables.FEW) - 1
    assert table.count("**11.0 ± 1.0**") == 1
    times = tables.times(cells, tables.FEW)
    assert times.count(" 2000 / 3000 ms ") == len(tables.FEW)
    assert times.count(" 4 / 2 ") == len(tables.FEW)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    answers = [Answer("q", "l", False, 'Error: "a", b', "1"), Answer("q", "m", True, "", "2")]
    facts = [Fact("l", "1", "", "MIT", 3, 1.5)]
    rows.write_answers(answers, tmp_path / "answers.csv")
    rows.write_facts(facts, tmp_path / "facts.csv")
    assert rows.read_answers(tmp_path / "answers.csv") == answers
    assert rows.read_facts(tmp_path / "facts.csv") == facts
