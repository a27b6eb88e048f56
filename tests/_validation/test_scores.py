"""Names of scores: what is taken, and what is refused with a way out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan._validation.scores import check_probabilities, check_score, check_scores
from kinspan.metrics import Score


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("roc_auc", Score("roc_auc")),
        ("recall_at_precision=0.8", Score("recall_at_precision", 0.8)),
        ({"recall_at_precision": 1}, Score("recall_at_precision", 1.0)),
        ("lift_at_budget=5%", Score("lift_at_budget", 0.05)),
        ("precision_at_budget=100", Score("precision_at_budget", 100)),
    ],
)
def test_names_and_levels(given: Any, expected: Score) -> None:
    found = check_score("score", given, 2)
    assert found == expected
    assert type(found.level) is type(expected.level)


def test_costs_are_a_matrix() -> None:
    for given in ("cost=0 1; 5 0", {"cost": [[0, 1], [5, 0]]}):
        np.testing.assert_array_equal(check_score("score", given, 2).level, [[0, 1], [5, 0]])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("auc", "score='auc' is no score; use one of error"),
        ("recall_at_precision", "needs a level; use {'recall_at_precision': 0.8}"),
        ("roc_auc=0.5", "roc_auc needs no level; use 'roc_auc'"),
        ({"recall_at_precision": 1.5}, "the level is a precision: use 0.8"),
        ({"lift_at_budget": 0}, "the level is a budget"),
        ({"lift_at_budget": True}, "the level is a budget"),
        ({"cost": [[0, 1]]}, "2 rows of 2 finite numbers"),
        ("cost=a;b", "give an array of numbers"),
    ],
)
def test_what_is_no_score_is_refused(given: Any, says: str) -> None:
    with pytest.raises(ValueError, match=r"score") as error:
        check_score("score", given, 2)
    assert says in str(error.value)


def test_a_precision_in_a_budget_needs_two_classes() -> None:
    with pytest.raises(ValueError, match="needs two classes, and there are 3"):
        check_score("score", "precision_at_budget=0.1", 3)


def test_several_scores_are_named_once() -> None:
    assert check_scores("scores", "f1", 2) == [Score("f1")]
    with pytest.raises(ValueError, match="scores names f1 twice"):
        check_scores("scores", ["f1", "error", "f1"], 2)
    with pytest.raises(TypeError, match="scores=3; use the name"):
        check_scores("scores", 3, 2)
    with pytest.raises(TypeError, match=r"scores=3; use the name of a score, or \{name: level\}"):
        check_scores("scores", [3], 2)


def test_probabilities_are_those_of_the_classes() -> None:
    two = np.array(["no", "yes"])
    np.testing.assert_allclose(check_probabilities([0.25], 1, [], two), [[0.75, 0.25]])
    for given, says in (
        ([0.5, 0.5], "y_proba has 2 values for 1 rows"),
        ([[0.5, 0.2, 0.3]], r"y_proba has shape \(1, 3\), and there are 2 classes"),
        ([[0.5, 0.2]], "no probabilities"),
        ([np.nan], "no probabilities"),
    ):
        with pytest.raises(ValueError, match=says):
            check_probabilities(given, 1, [], two)
    with pytest.raises(ValueError, match="scores has roc_auc, which needs y_proba"):
        check_probabilities(None, 1, [Score("f1"), Score("roc_auc")], two)
