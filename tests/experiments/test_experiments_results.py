"""The full run that the repository holds: complete, with its theory, and with its claims."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from experiments.__main__ import EXPERIMENTS, Experiment
from experiments.options import Options
from experiments.rows import Row, column, read, select, values

from experiments import figure_1, figure_2, methods, paper, protocols

RESULTS = Path(__file__).resolve().parents[2] / "experiments" / "results"
EACH = pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.NAME)


def rows_of(name: str) -> list[Row]:
    return read(RESULTS / f"{name}.csv")


def does_not_rise(rows: list[Row]) -> bool:
    """Whether no error is higher than that before it by more than four standard errors."""
    error, deviation = column(rows, "error"), column(rows, "standard_error")
    return bool((np.diff(error) < 4 * np.hypot(deviation[1:], deviation[:-1])).all())


@EACH
def test_every_point_is_there(experiment: Experiment, tmp_path: Path) -> None:
    rows = rows_of(experiment.NAME)
    points = experiment.points(Options(data=str(tmp_path)))
    assert [len(select(rows, **point)) for point in points] == [1] * len(points)
    for suffix in (".svg", ".png"):
        assert (RESULTS / f"{experiment.NAME}{suffix}").is_file()


@EACH
def test_every_table_is_drawn_and_described(experiment: Experiment) -> None:
    rows = rows_of(experiment.NAME)
    assert experiment.draw(rows).axes
    assert len(experiment.describe(rows)) > 3


@pytest.mark.parametrize("experiment", [figure_1, figure_2], ids=lambda e: e.NAME)
def test_theory_is_that_of_today(experiment: Experiment) -> None:
    for row in select(rows_of(experiment.NAME), kind="theory"):
        assert experiment.measure(row, Options())["error"] == pytest.approx(row["error"], abs=1e-6)


def test_experiments_agree_with_theory() -> None:
    """The limit leaves out the noise of the threshold, of variance 1/100: .0012 at most."""
    rows = rows_of("figure-2")
    for method in (methods.SINGLE, methods.NAIVE, methods.ORACLE):
        limit, found = (select(rows, method=method, kind=k) for k in ("theory", "empirical"))
        gap = column(found, "error") - column(limit, "error")
        assert (np.abs(gap - 0.0006) < 0.0006 + 4 * column(found, "standard_error")).all()


def test_an_unrelated_task_harms_the_naive_rule_and_hardly_ours() -> None:
    """Two tasks are taken to be related until rows say otherwise: with 100 rows this costs .006."""
    apart = select(rows_of("figure-2"), beta=0.0, kind="empirical")
    (single,), (naive,), (ours,) = (
        select(apart, method=m) for m in (methods.SINGLE, methods.NAIVE, methods.DEFAULT)
    )
    assert naive["error"] > single["error"] + 0.2
    assert ours["error"] < single["error"] + 0.01


def test_more_tasks_harm_the_plugin_and_not_ours() -> None:
    found = select(rows_of("figure-3-synthetic"), kind="empirical")
    assert does_not_rise(select(found, method=methods.DEFAULT))
    plugin = column(select(found, method=methods.PLUGIN), "error")
    assert plugin[-1] > plugin.min() + 0.08
    ours, oracle = (
        column(select(found, method=m), "error") for m in (methods.DEFAULT, methods.ORACLE)
    )
    assert (ours[3:] < oracle[3:] + 0.04).all()  # the threshold of ten rows costs about .02


def test_more_real_tasks_do_not_harm_ours() -> None:
    """Digits without noise are the exception: unlike pairs cost .003, and .002 over none."""
    mnist = rows_of("figure-3-mnist")
    for rows in (rows_of("figure-3-amazon"), select(mnist, protocol="noisy")):
        (alone,) = select(rows, method=methods.ALONE)
        assert does_not_rise([alone, *select(rows, method=methods.DEFAULT)])
    clean = select(mnist, protocol="clean")
    (alone,) = select(clean, method=methods.ALONE)
    assert column(select(clean, method=methods.DEFAULT), "error").max() < alone["error"] + 0.005


def test_the_naive_rule_loses_to_a_single_task_on_digits() -> None:
    rows = select(rows_of("figure-3-mnist"), protocol="noisy")
    (single,) = select(rows, method=methods.SINGLE)
    for method in (methods.NAIVE, methods.NAIVE_EIGENVECTOR):
        assert column(select(rows, method=method), "error").min() > single["error"] + 0.05


def test_ours_beats_the_plugin_and_a_single_task_in_table_1() -> None:
    rows = rows_of("table-1")
    for name in values(rows, "dataset"):
        mean = {
            method: column(select(rows, dataset=name, method=method), "accuracy").mean()
            for method in values(rows, "method")
        }
        assert mean[methods.DEFAULT] > max(mean[methods.PLUGIN], mean[methods.ALONE])


def away(name: str, protocol: str, *, in_draws: bool = False) -> np.ndarray:
    """How far ours is from the paper's, in errors or in standard deviations of a draw."""
    found = select(rows_of("protocols"), figure=name, protocol=protocol)
    known = [row for row in found if not np.isnan(protocols.printed(row))]
    apart = np.array([row["error"] - protocols.printed(row) for row in known])
    one_draw = column(known, "standard_error") * np.sqrt(column(known, "draws"))
    return np.asarray(np.abs(apart / one_draw if in_draws else apart))


def test_ten_rows_per_class_explain_the_synthetic_curves() -> None:
    assert away("figure-3-synthetic", "10 rows per class", in_draws=True).max() < 1.3
    assert away("figure-3-synthetic", "50 rows per class", in_draws=True).max() > 4


def test_z_scores_over_all_reviews_explain_the_curves_of_amazon() -> None:
    for protocol in ("z-scores", "all tested"):
        assert away("figure-3-amazon", protocol).max() < 0.009
    plain = select(rows_of("figure-3-amazon"), method=methods.PLUGIN)
    assert column(plain, "error")[0] - 0.2001 > 0.02


def test_no_protocol_explains_digits_or_many_classes() -> None:
    for name in ("figure-3-mnist", "figure-4"):
        for protocol in {row["protocol"] for row in select(rows_of("protocols"), figure=name)}:
            assert away(name, protocol).max() > 0.02, (name, protocol)


def test_cdls_is_nearer_with_a_weaker_svm_and_far_with_z_scores() -> None:
    printed = paper.coordinates("figure-2", "CDLS (Emp)")[1].mean()
    mean = {
        p: column(select(rows_of("protocols"), figure="figure-2", protocol=p), "error").mean()
        for p in ("C = 1", "C = 0.1", "z-scores")
    }
    assert abs(mean["C = 0.1"] - printed) < 0.006
    assert mean["C = 1"] > printed + 0.013
    assert mean["z-scores"] > printed + 0.05


@pytest.mark.parametrize(
    ("figure", "samples"),
    [
        ("figure-2", 1000),
        ("figure-3-synthetic", 10_000),
        ("figure-3-amazon", 2000),
        ("figure-3-mnist", 500),
    ],
)
def test_printed_errors_are_multiples_of_one_answer_in_twenty_tests(
    figure: str, samples: int
) -> None:
    theory_like = ("(Th)", "ST SPCA")
    shown = [
        float(row.value)
        for row in paper.printed()
        if row.figure == figure and not row.curve.endswith(theory_like)
    ]
    answers = np.array(shown) * 20 * samples
    assert np.abs(answers - answers.round()).max() < 1e-6
