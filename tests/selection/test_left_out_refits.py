"""Scores of left-out rows in closed form agree with fitting again without each row.

The most important law of the fit: candidates are weighed by these scores, and a candidate whose
scores have seen their rows would win wherever it is worst.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.selection.candidates import families, of_classes
from tests.selection.refitting import (
    Agreement,
    Rows,
    agreement_of,
    bases_of,
    in_the_order_of_the_sample,
    labels_in_metric,
    mean_log_loss,
    options_of,
    refitted_scores,
    score_in_basis,
    small_world,
)


def agreement(rows: Rows, labels: str, scale: str | None, share: float) -> Agreement:
    bases = bases_of(rows, scale, share)
    family = families(bases, options_of(rows, labels, scale, share))[0][0]
    assert family.name == labels
    (candidate,) = family.candidates
    order = in_the_order_of_the_sample(rows, bases[0])
    again = refitted_scores(rows, labels_in_metric(labels, share), scale)[order]
    return agreement_of(of_classes(candidate.scores), candidate.factor * again, rows.y[order])


def over_worlds(labels: str, scale: str | None, share: float, **world: Any) -> tuple[Any, Any]:
    found = [agreement(small_world(seed, **world), labels, scale, share) for seed in range(4)]
    optimism, correlation = np.array(found).T
    return optimism, correlation


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", ["pooled", None])
@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("labels", ["single", "naive"])
def test_rules_without_relatedness_are_left_out_nearly_exactly(
    labels: str, share: float, scale: str | None, n_classes: int
) -> None:
    """Six rows a cell; measured: within .006, correlations above .999."""
    optimism, correlation = over_worlds(labels, scale, share, n_classes=n_classes)
    assert np.abs(optimism).max() < 0.01
    assert correlation.min() > 0.998


@pytest.mark.parametrize("scale", ["pooled", None])
@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("labels", ["single", "naive"])
def test_three_rows_a_cell_are_left_out_without_optimism(
    labels: str, share: float, scale: str | None
) -> None:
    """Measured: between −.02 and .01; scores in closed form are cautious rather than optimistic."""
    optimism, correlation = over_worlds(labels, scale, share, n=3)
    assert optimism.max() < 0.02
    assert optimism.min() > -0.03
    assert correlation.min() > 0.99


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_tasks_alone_are_as_short_as_they_are_without_the_row(share: float) -> None:
    """Five classes of three rows: each is a part of how much of all contrasts is no noise.

    Measured: within .014, and .03 to .09 where rules are as short as with the row.
    """
    optimism, correlation = over_worlds("single", None, share, n=3, n_classes=5)
    assert np.abs(optimism).max() < 0.02
    assert correlation.min() > 0.998


@pytest.mark.parametrize("scale", ["pooled", None])
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_directions_of_the_others_are_left_out_to_first_order(
    share: float, scale: str | None
) -> None:
    """What a target keeps of its own row and its gain along directions of the others stay.

    They are those of six rows and not of five, and what a target keeps follows its own rows too:
    the mean optimism over worlds is at most .05 with four tasks and .024 with twelve.
    """
    optimism, correlation = over_worlds("spectral", scale, share)
    assert np.abs(optimism).mean() < 0.06
    assert correlation.min() > 0.8
    of_three, correlation = over_worlds("spectral", scale, share, n_classes=3)
    assert np.abs(of_three).max() < 0.025
    assert correlation.min() > 0.998


@pytest.mark.long
@pytest.mark.parametrize("scale", ["pooled", None])
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_with_more_tasks_directions_of_the_others_are_left_out_better(
    share: float, scale: str | None
) -> None:
    """In one of the worlds a direction is on the border of chance, and comes or goes with a row."""
    optimism, correlation = over_worlds("spectral", scale, share, n_tasks=12)
    assert np.abs(optimism).mean() < 0.03
    assert np.median(correlation) > 0.99
    assert correlation.min() > 0.95


@pytest.mark.parametrize("scale", ["pooled", None])
def test_scores_that_have_seen_their_rows_would_fail_here(scale: str | None) -> None:
    """The bars above are bars: scores of rows in the fit are far more optimistic."""
    rows = small_world(0)
    prepared = bases_of(rows, scale, 0.0)[0]
    family = families([prepared], options_of(rows, "single", scale, 0.0))[0][0]
    candidate, sample = family.candidates[0], prepared.sample
    assert sample is not None
    rules, places = candidate.rules(), zip(sample.rows, sample.task_codes, strict=True)
    seen = np.array([score_in_basis(prepared, rules, x, t) for x, t in places])
    classes = sample.class_codes
    assert (
        mean_log_loss(seen, classes) < mean_log_loss(of_classes(candidate.scores), classes) - 0.05
    )
