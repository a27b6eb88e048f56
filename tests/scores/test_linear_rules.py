"""Linear rules of directions, and what tasks agree on, against loops and the optimal threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.scores import agreement, centred_rules


def naive_centred_rules(
    directions: Any, alignment: Any, level: Any, log_priors: Any, present: Any
) -> tuple[Any, Any]:
    """One score at a time: unit variance, zero mean over its class, moved by its prior."""
    coef, offset = np.zeros_like(directions), np.zeros(directions.shape[:2])
    for t, j in np.ndindex(*offset.shape):
        deviation = np.linalg.norm(directions[t, j]) * np.sqrt(level[t])
        coef[t, j] = directions[t, j] / deviation
        rivals = [i for i in np.flatnonzero(present[t]) if i != j]
        own = alignment[t, j, j] / deviation
        rest = sum(alignment[t, i, j] for i in rivals) / deviation / max(len(rivals), 1)
        log_odds = log_priors[t, j] - np.mean(log_priors[t, present[t]])
        moved = log_odds * (1 + 1 / len(rivals)) / max(own - rest, 1e-3)
        offset[t, j] = moved - own
    return coef, offset


@pytest.mark.parametrize("m", [2, 4])
def test_centred_rules_are_those_of_a_loop(m: int) -> None:
    rng = np.random.default_rng(m)
    directions, level = rng.normal(size=(3, m, 6)), rng.uniform(0.5, 2, 3)
    alignment = rng.normal(size=(3, m, m)) + 5 * np.eye(m)
    present = np.ones((3, m), dtype=bool)
    present[0, 2:] = m < 4  # the first of many tasks lacks two classes
    log_priors = np.log(rng.uniform(0.1, 1, (3, m)))
    found = centred_rules(directions, alignment, level, log_priors, present)
    coef, offset = naive_centred_rules(directions, alignment, level, log_priors, present)
    np.testing.assert_allclose(found.coef, coef)
    np.testing.assert_allclose(found.offset[present], offset[present])


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.97])
def test_the_threshold_of_two_gaussian_classes_is_the_optimal_one(prior: float) -> None:
    """Where π₁φ(z − m₁) = π₀φ(z − m₀); the middle of the means is not the centre."""
    means, direction, level = np.array([[-1.0, 0.2], [2.0, 0.7]]), np.array([1.5, -0.4]), 1.7
    directions = np.stack([-direction, direction])
    log_priors = np.log([[1 - prior, prior]])
    rules = centred_rules(
        directions[None],
        (means @ directions.T)[None],
        np.array([level]),
        log_priors,
        np.ones((1, 2), dtype=bool),
    )
    deviation = np.linalg.norm(direction) * np.sqrt(level)
    m0, m1 = means @ direction / deviation
    best = (m0 + m1) / 2 - np.log(prior / (1 - prior)) / (m1 - m0)
    x = best * deviation * direction / (direction @ direction)
    first, second = rules.coef[0] @ x + rules.offset[0]
    assert first == pytest.approx(second)


def test_a_score_that_separates_nothing_is_moved_by_a_bounded_amount() -> None:
    rules = centred_rules(
        np.ones((1, 3, 2)), np.zeros((1, 3, 3)), np.ones(1), np.log([[0.2, 0.3, 0.5]]),
        np.ones((1, 3), dtype=bool),
    )  # fmt: skip
    relative = np.log([0.2, 0.3, 0.5]) - np.log([0.2, 0.3, 0.5]).mean()
    np.testing.assert_allclose(rules.offset[0], 1.5 * relative / 1e-3)


def two_class_agreement(means: Any, weights: Any) -> Any:
    """Of tasks that have both classes: half of the difference of their means is the contrast."""
    k = len(means)
    coefficients = np.broadcast_to(np.eye(2) - 0.5, (k, 2, 2))
    return agreement(means, weights, coefficients, means.mean(axis=1), np.full((k, 2), 0.5))


def mirrored(contrasts: Any) -> Any:
    """(tasks, 2, features) class means around zero."""
    return np.stack([-contrasts, contrasts], axis=1)


def test_the_share_that_tasks_agree_on_comes_from_products_of_different_tasks() -> None:
    rng = np.random.default_rng(0)
    contrasts, weights = 1.0 + rng.normal(size=(5, 8)), rng.dirichlet(np.ones(5))
    found = two_class_agreement(mirrored(contrasts), weights)
    mean = weights @ contrasts
    pairs = [(s, t) for s in range(5) for t in range(5) if s != t]
    product = sum(weights[s] * weights[t] * contrasts[s] @ contrasts[t] for s, t in pairs)
    share = product / sum(weights[s] * weights[t] for s, t in pairs) / (mean @ mean)
    assert 0.1 < share < 0.9
    np.testing.assert_allclose(found.contrasts, [-share * mean, share * mean])


@pytest.mark.parametrize("n_tasks", [2, 6])
def test_what_tasks_agree_on_is_the_best_guess_of_a_new_task(n_tasks: int) -> None:
    """E⟨new, mean⟩/E‖mean‖², where tasks scatter as much as they have in common."""
    rng = np.random.default_rng(1)
    weights, shares = np.arange(1.0, n_tasks + 1) / np.arange(1.0, n_tasks + 1).sum(), []
    common = rng.normal(size=2000)
    for _ in range(100):
        contrasts = common + rng.normal(size=(n_tasks, 2000))
        found = two_class_agreement(mirrored(contrasts), weights)
        shares.append(found.contrasts[1] @ common / ((weights @ contrasts) @ common))
    best = (common @ common) / (common @ common + 2000 * (weights**2).sum())
    # The ratio of two estimates over 2,000 features has a bias of about a thousandth.
    assert abs(np.mean(shares) - best) < 4 * np.std(shares) / 10 + 1e-3


def test_equal_tasks_agree_on_everything_and_opposite_ones_on_almost_nothing() -> None:
    contrast = np.array([1.0, 2.0, -1.0])
    equal = two_class_agreement(mirrored(np.tile(contrast, (3, 1))), np.full(3, 1 / 3))
    np.testing.assert_allclose(equal.contrasts[1], contrast)
    alone = two_class_agreement(mirrored(contrast[None]), np.ones(1))
    np.testing.assert_allclose(alone.contrasts[1], contrast)
    other = np.array([2.0, -1.0, 0.0])  # orthogonal
    orthogonal = two_class_agreement(mirrored(np.stack([contrast, other])), np.full(2, 0.5))
    np.testing.assert_allclose(orthogonal.contrasts[1], 1e-3 * (contrast + other) / 2)


def test_what_tasks_agree_on_is_never_longer_than_their_mean() -> None:
    """Contrasts of lengths 1 and 3 with weights .9 and .1: their product exceeds the square."""
    direction = np.array([[-0.5, 0.0], [0.5, 0.0]])
    means, weights = np.stack([direction, 3.0 * direction]), np.array([0.9, 0.1])
    centring = np.tile(np.eye(2) - 0.5, (2, 1, 1))
    found = agreement(means, weights, centring, np.zeros((2, 2)), np.full((2, 2), 0.5))
    np.testing.assert_allclose(found.contrasts, 1.2 * direction, atol=1e-15)
