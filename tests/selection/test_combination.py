"""The rules of a model are the weighed sums of its candidates, in the units of the input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments
from kinspan.selection.as_one import as_one_task
from kinspan.selection.candidates import families
from kinspan.selection.combination import Combination
from kinspan.selection.decisions import ALONE
from kinspan.selection.fit import _before_evidence, _combined
from kinspan.selection.outcome import FittedRules, outcome
from tests.selection.refitting import Rows, bases_of, options_of, score_in_basis, small_world


def combined(rows: Rows) -> tuple[Combination, FittedRules]:
    options = options_of(rows, "auto", "auto", "auto")
    bases = bases_of(rows, "auto", "auto")
    moments = ClassMoments.from_samples(rows.X, rows.y, rows.task)
    as_one = as_one_task(moments, bases[0].sample, bases[0].origin, "auto")
    combination = _combined(*families([*bases, *([as_one] if as_one else [])], options), options)
    return combination, outcome(combination, bases[0], options)


def sum_of_candidates(combination: Combination, x: Any, t: int) -> Any:
    """(classes,): of one row, candidate by candidate."""
    assert combination.evidence is not None
    total = np.zeros(combination.evidence.present.shape[1])
    for candidate, weight in zip(combination.candidates, combination.weights[t], strict=True):
        prepared = candidate.prepared
        at = t if len(prepared.scaled.counts) > 1 else 0  # all tasks as one
        total += weight * score_in_basis(prepared, candidate.rules(), x, at)
    return total


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_a_model_are_sums_of_those_of_its_candidates(n_classes: int) -> None:
    rows = small_world(0, n_classes=n_classes)
    rows = rows._replace(X=rows.X + 3.0)
    combination, fitted = combined(rows)
    assert (combination.weights > 0).sum() > 4  # several candidates
    log_prior = np.log(1.0 / n_classes)
    for i in range(0, len(rows.y), 7):
        t = rows.task[i]
        found = fitted.coef[t] @ rows.X[i] + fitted.intercept[t]
        expected = sum_of_candidates(combination, rows.X[i], t) + log_prior
        if n_classes == 2:
            expected = expected[1:] - expected[:1]
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_weights_of_candidates_are_those_of_families_times_those_in_them() -> None:
    rows = small_world(1)
    options = options_of(rows, "auto", "auto", "auto")
    found, evidence = families(bases_of(rows, "auto", "auto"), options)
    combination = _combined(found, evidence, options)
    start = 0
    for family in found:
        part = combination.weights[:, start : start + len(family.rule.weights)]
        start += len(family.rule.weights)
        amounts = part.sum(axis=1) / family.rule.weights.sum()  # one number a task
        np.testing.assert_allclose(part, np.outer(amounts, family.rule.weights), atol=1e-12)
    assert start == len(combination.candidates)
    assert (combination.weights >= 0).all()


def test_before_evidence_going_alone_counts_less_than_sharing() -> None:
    rows = small_world(1)
    options = options_of(rows, "auto", "auto", "auto")
    found, _ = families(bases_of(rows, "auto", "auto"), options)
    prior = dict(zip([family.name for family in found], _before_evidence(found), strict=True))
    assert sum(prior.values()) == pytest.approx(1)
    assert prior["own"] == 0
    assert prior["single"] == pytest.approx(ALONE.constant * prior["naive"])
    assert prior["naive"] == prior["spectral"]


def test_mean_shares_are_those_of_the_weights_in_the_metric_of_all() -> None:
    combination, fitted = combined(small_world(2))
    for t, weights in enumerate(combination.weights):
        pairs = [
            (weight, candidate.share)
            for weight, candidate in zip(weights, combination.candidates, strict=True)
            if candidate.labels != "own"
        ]
        total = sum(weight for weight, _ in pairs)
        expected = sum(weight * share for weight, share in pairs) / total
        assert fitted.metric[t] == pytest.approx(expected)


@pytest.mark.parametrize("labels", ["single", "naive", "spectral", "plugin"])
def test_one_choice_of_labels_uses_no_other(labels: str) -> None:
    rows = small_world(3)
    options = options_of(rows, labels, "auto", "auto")
    found, evidence = families(bases_of(rows, "auto", "auto"), options)
    combination = _combined(found, evidence, options)
    assert {candidate.labels for candidate in combination.candidates} == {labels}
    assert {family.name for family in found} == {labels, "single"}


def test_candidates_keep_no_rows() -> None:
    rows = small_world(3)
    found, _ = families(bases_of(rows, "auto", "auto"), options_of(rows, "auto", "auto", "auto"))
    for candidate in (candidate for family in found for candidate in family.candidates):
        assert candidate.prepared.covariance is not None
        assert not candidate.prepared.covariance.residuals.size
        assert candidate.prepared.change is None


@pytest.mark.parametrize("labels", ["auto", "single", "naive", "spectral"])
def test_one_task_has_its_candidates_once(labels: str) -> None:
    rows = small_world(3, n_tasks=1)
    found = families(bases_of(rows, "auto", "auto"), options_of(rows, labels, "auto", "auto"))
    for family in found[0]:
        names = [(c.labels, c.share, id(c.prepared)) for c in family.candidates]
        assert len(set(names)) == len(names)
