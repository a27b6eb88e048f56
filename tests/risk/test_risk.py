"""Errors of Gaussian scores, against simulation; unbiased alignments, against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.risk import alignment, error_rate


def simulated_error(
    means: np.ndarray, covariance: np.ndarray, priors: np.ndarray
) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    n = 400_000
    truth = rng.choice(len(priors), n, p=priors / priors.sum())
    noise = rng.multivariate_normal(np.zeros(len(covariance)), covariance, n, check_valid="ignore")
    scores = np.where(priors > 0, means[truth] + noise, -np.inf)
    error = float((scores.argmax(axis=1) != truth).mean())
    return error, float(np.sqrt(error * (1 - error) / n))


@pytest.mark.parametrize("gap", [-1.0, 0.0, 0.7, 3.0, 12.0])
def test_two_classes_are_exact(gap: float) -> None:
    means = np.array([[gap / 2, 0.0], [0.0, gap / 2]])
    covariance = np.array([[0.5, 0.0], [0.0, 0.5]])
    assert error_rate(means, covariance, np.ones(2)) == pytest.approx(norm.sf(gap / 2), rel=1e-9)


@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.9, 0.1]])
def test_two_classes_with_offsets_and_priors_equal_simulation(priors: list[float]) -> None:
    means = np.array([[1.0, 0.3], [-0.2, 0.6]])
    covariance = np.array([[1.0, 0.4], [0.4, 2.0]])
    error, se = simulated_error(means, covariance, np.array(priors))
    assert abs(float(error_rate(means, covariance, np.array(priors))) - error) < 4 * se


@pytest.mark.parametrize("m", [3, 10])
def test_classes_that_are_alike_are_exact(m: int) -> None:
    means, covariance = 1.5 * np.eye(m), np.eye(m)
    error, se = simulated_error(means, covariance, np.ones(m))
    assert abs(float(error_rate(means, covariance, np.ones(m))) - error) < 4 * se


def test_classes_that_differ_are_close() -> None:
    """Discriminant scores of four unequal Gaussian classes: within a point of the truth."""
    w = np.random.default_rng(1).normal(size=(4, 6)) * 0.8
    means = w @ w.T - 0.5 * (w**2).sum(axis=1)
    error, _ = simulated_error(means, w @ w.T, np.ones(4))
    assert abs(float(error_rate(means, w @ w.T, np.ones(4))) - error) < 0.01


def test_classes_without_prior_take_no_part() -> None:
    means, covariance = np.eye(3) * 2, np.eye(3)
    both = error_rate(means, covariance, np.array([1.0, 1.0, 0.0]))
    assert both == pytest.approx(error_rate(means[:2, :2], covariance[:2, :2], np.ones(2)))
    assert np.isnan(error_rate(means, covariance, np.array([1.0, 0.0, 0.0])))


def test_rules_that_cannot_tell_classes_apart_are_wrong_half_the_time() -> None:
    assert error_rate(np.zeros((2, 2)), np.zeros((2, 2)), np.ones(2)) == 0.5
    assert error_rate(1e-17 * np.eye(2), np.zeros((2, 2)), np.ones(2)) == 0.5


def test_alignment_has_no_bias() -> None:
    """The target's own noise is in both factors; its product is subtracted."""
    rng = np.random.default_rng(0)
    m, p, noise = 3, 5, np.array([0.5, 1.0, 2.0])
    truth = rng.normal(size=(m, p))
    centring = np.eye(m) - 1 / m
    own = rng.normal(size=(m, m))
    expected = (centring @ truth) @ (own @ truth).T
    draws = []
    for _ in range(4000):
        means = truth + rng.normal(size=(m, p)) * np.sqrt(noise / p)[:, None]
        draws.append(
            alignment(
                (own @ means)[None],
                (centring @ means)[None],
                own[None],
                centring[None],
                noise[None],
            )[0]
        )
    error = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(np.mean(draws, axis=0) - expected) < 4 * error)
