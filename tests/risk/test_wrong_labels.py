"""Wrong labels: eq. (48) by loops, rates of simulated rows, no evidence where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from kinspan.risk import LabelledScores, wrong_labels
from kinspan.risk.bends import SPREADS, Bends, centred_scores
from kinspan.risk.wrong_labels import _account, _loss


def world(
    rates: np.ndarray, n: int, distance: float, seed: int
) -> tuple[LabelledScores, np.ndarray]:
    """Gaussian classes of (tasks, classes) rates of wrong labels, and which labels are wrong.

    Of every label there are n rows, of which a binomial number is of another class.
    """
    rng = np.random.default_rng(seed)
    k, m = rates.shape
    tasks, labels = (part.repeat(n) for part in np.divmod(np.arange(k * m), m))
    wrong = rng.random(len(tasks)) < rates[tasks, labels]
    true = np.where(wrong, (labels + rng.integers(1, m, len(labels))) % m, labels)
    centres = distance * np.eye(m)
    x = centres[true] + rng.normal(size=(len(true), m))
    scores = x @ centres.T  # log densities up to a constant of the row
    present = np.ones((k, m), dtype=bool)
    return LabelledScores(scores, tasks, labels, np.ones(len(tasks)), present), wrong


def bends_of(rows: LabelledScores) -> Bends:
    return Bends.of(rows.scores, rows.of_rows(), rows.weights)


def test_the_likelihood_of_labels_is_that_of_loops() -> None:
    rng = np.random.default_rng(0)
    present = np.array([[1, 1, 1, 0], [1, 0, 1, 1], [1, 1, 1, 1]], dtype=bool)
    tasks = np.arange(30) % 3
    labels = np.array([rng.choice(np.flatnonzero(present[t])) for t in tasks])
    rows = LabelledScores(rng.normal(size=(30, 4)), tasks, labels, rng.uniform(1, 2, 30), present)
    rates, bend, expected = np.array([0.1, 0.2, 0.05, 0.3]), np.array([0.5, 0.3, -0.2, 0.0]), 0.0
    bends = bends_of(rows)
    log_odds = bends.log_odds(bend).of(rows.scores, present[tasks])
    for s, t, c, w in zip(log_odds, tasks, labels, rows.weights, strict=True):
        classes = np.flatnonzero(present[t])

        of_label = {}
        for b in classes:
            R = {k: rates[b] / (len(classes) - 1) for k in classes} | {b: 1.0 - rates[b]}
            of_label[b] = sum(R[k] * np.exp(s[k]) for k in classes)
        expected += w * np.log(of_label[c] / sum(of_label.values()))
    loss, _ = _loss(np.r_[bend, rates], rows, bends, np.eye(4))
    before = 0.5 * ((bend / SPREADS) ** 2).sum()
    assert loss - before == pytest.approx(-expected, rel=1e-12)


@pytest.mark.parametrize("shape", [np.zeros((3, 0)), np.ones((3, 1)), np.eye(3), np.eye(2)[:, 1:]])
def test_derivatives_are_those_of_finite_differences(shape: np.ndarray) -> None:
    rows, _ = world(np.full((2, len(shape)), 0.2), 20, 1.5, 1)
    if len(shape) == 3:
        rows.present[0, 2] = False
        s, t, c, w, present = rows
        here = (t > 0) | (c < 2)
        rows = LabelledScores(s[here], t[here], c[here], w[here], present)
    bends = bends_of(rows)
    at = np.r_[0.3, 0.4, -0.3, 0.2, np.linspace(0.1, 0.3, shape.shape[1])]

    def loss(x: np.ndarray) -> float:
        return _loss(x, rows, bends, shape)[0]

    numeric = approx_fprime(at, loss, 1e-7)
    np.testing.assert_allclose(_loss(at, rows, bends, shape)[1], numeric, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("m", [2, 3])
def test_log_odds_without_a_bend_are_scores(m: int) -> None:
    rows, _ = world(np.zeros((2, m)), 30, 1.5, 2)
    present = rows.of_rows()
    found = bends_of(rows).log_odds(np.zeros(4)).of(3.0 * rows.scores, present)  # far outside too
    np.testing.assert_allclose(found, 3.0 * centred_scores(rows.scores, present)[0], atol=1e-9)


def test_log_odds_are_the_integral_of_their_slope() -> None:
    """Of two Gaussians of which one is twice as wide; the knots are the rows."""
    rows, _ = world(np.zeros((1, 2)), 60, 2.0, 3)
    bends, by = bends_of(rows), np.array([0.2, 0.5, -0.3, 0.4])
    r = np.sort(rows.scores[:, 1] - rows.scores[:, 0])
    x = np.union1d(np.linspace(r[0], r[-1], 20001), [0.0])
    u = np.interp(x, np.union1d(r, [0.0]), bends.shapes[1])
    slope = np.exp(0.2 + 0.5 * u - 0.3 * (u**2 - 1.0) / np.sqrt(2.0))
    height = np.r_[0.0, np.cumsum(0.5 * (slope[1:] + slope[:-1]) * np.diff(x))]
    height += 0.4 - height[np.searchsorted(x, 0.0)]
    found = bends.log_odds(by).of(np.stack([-r / 2, r / 2], axis=1), rows.of_rows())
    wanted = np.interp(r, x, height)
    np.testing.assert_allclose(found[:, 1] - found[:, 0], wanted, atol=0.05)
    np.testing.assert_allclose(np.sort(bends.bent(by)[0][:, 1] * 2), wanted, atol=0.05)


@pytest.mark.parametrize("rates", [(0.1, 0.1), (0.0, 0.3), (0.25, 0.1), (0.1, 0.1, 0.1)])
def test_rates_of_simulated_rows_are_found(rates: tuple[float, ...]) -> None:
    rows, wrong = world(np.tile(rates, (10, 1)), 60, 2.5, 2)
    found = wrong_labels(rows)
    assert found.evidence > 0.99
    n = 600
    for c, rate in enumerate(rates):
        deviation = np.sqrt(max(rate * (1 - rate), 0.01) / (n * found.resolution))
        assert abs(found.rates[:, c].mean() - rate) < 4 * deviation
    slope = np.diff(found.log_odds.heights)[[99]] / np.diff(found.log_odds.places)[[99]]
    assert slope == pytest.approx(1.0, abs=0.5)
    # Probabilities are what they say.
    q = found.probability(rows)
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
        some = (q >= low) & (q <= high)
        error = np.sqrt((q[some] * (1 - q[some])).sum())
        assert abs(q[some].sum() - wrong[some].sum()) < 4 * error + 0.05 * some.sum()


def test_there_is_no_evidence_where_labels_are_right() -> None:
    evidence = []
    for seed in range(20):
        rows, _ = world(np.zeros((5, 2)), 40, 2.0, 100 + seed)
        found = wrong_labels(rows)
        evidence.append(found.evidence)
        assert found.rates.max() < 0.12
        assert found.shares.max() < 0.12
        assert found.interval[..., 1].max() < 0.2
    assert np.mean(np.array(evidence) >= 0.9) <= 0.05


def right_labels_of_odd_classes(kind: str, seed: int, distance: float = 2.0) -> LabelledScores:
    """No label is wrong, and scores are log odds at the middle of the classes only."""
    rng = np.random.default_rng(seed)
    tasks, labels = np.arange(3000) % 20, (np.arange(3000) // 20 % 5 == 0).astype(int)
    if kind == "wide":  # the second class is 1.4 times as wide
        r = np.where(labels == 1, distance + 1.4 * rng.normal(size=3000), rng.normal(size=3000))
    else:
        r = (rng.gamma(4.0, size=3000) - 4.0) / 2.0 + distance * labels
    r = 1.5 * (r - 0.5 * (r[labels == 1].mean() + r[labels == 0].mean()))
    weights = np.where(labels == 1, 2.5, 0.625)
    present = np.ones((20, 2), dtype=bool)
    return LabelledScores(np.stack([-r / 2, r / 2], axis=1), tasks, labels, weights, present)


@pytest.mark.parametrize("kind", ["wide", "skewed"])
def test_classes_that_spread_differently_are_no_evidence(kind: str) -> None:
    found = [wrong_labels(right_labels_of_odd_classes(kind, seed)).evidence for seed in range(10)]
    assert np.mean(np.array(found) >= 0.9) <= 0.1


def test_wrong_labels_of_such_classes_are_found_where_they_are_far_on_the_other_side() -> None:
    rows = right_labels_of_odd_classes("wide", 0, distance=5.0)
    flipped = np.random.default_rng(1).random(3000) < 0.1
    noisy = rows._replace(classes=np.where(flipped, 1 - rows.classes, rows.classes))
    assert wrong_labels(noisy).evidence > 0.9


def test_rows_with_nearly_the_same_score_may_be_one() -> None:
    rows, _ = world(np.full((10, 2), 0.1), 300, 1.5, 8)
    few = rows.summed()
    assert len(few.tasks) <= 800
    assert few.weights.sum() == pytest.approx(6000)
    parts = []
    for of in (rows, few):
        bends = bends_of(rows)._replace(
            **dict(zip(("scores", "r"), centred_scores(of.scores, of.of_rows()), strict=True))
        )
        parts.append(
            [
                _account(of, bends, shape).log_evidence
                for shape in (np.zeros((2, 0)), np.ones((2, 1)))
            ]
        )
    assert np.diff(parts[0]) == pytest.approx(np.diff(parts[1]), abs=0.3)


def test_a_task_with_more_wrong_labels_has_a_larger_rate() -> None:
    rates = np.full((8, 2), 0.05)
    rates[3] = 0.4
    found = wrong_labels(world(rates, 60, 3.0, 3)[0])
    assert found.rates[3].min() > 0.25
    assert np.delete(found.rates, 3, axis=0).max() < 0.15
    same = wrong_labels(world(np.full((8, 2), 0.1), 60, 3.0, 4)[0])
    assert np.ptp(same.rates) < 0.1


@pytest.mark.parametrize(("rate", "distance"), [(0.15, 2.5), (0.15, 6.0), (0.0, 6.0)])
def test_intervals_are_about_the_labels_that_there_are(rate: float, distance: float) -> None:
    inside = []
    for seed in range(40):
        rows, wrong = world(np.full((4, 2), rate), 25, distance, 200 + seed)
        found = wrong_labels(rows)
        true = rows.by_cell(wrong.astype(np.float64)) / 25
        low, high = np.moveaxis(found.interval, -1, 0)
        inside.append(((low <= true) & (true <= high)).mean())
        if distance == 6.0:  # nobody doubts which labels are wrong
            np.testing.assert_allclose(found.shares, true, atol=0.03)
    assert np.mean(inside) > 0.78  # 90 % less four standard errors of 40 draws


def test_shares_count_rows_by_their_weights() -> None:
    rows, _ = world(np.full((3, 2), 0.2), 30, 2.0, 7)
    found, w = wrong_labels(rows), np.random.default_rng(0).uniform(1.0, 3.0, len(rows.tasks))
    weighted = wrong_labels(rows._replace(weights=w))
    for t, c in np.ndindex(3, 2):
        here = (rows.tasks == t) & (rows.classes == c)
        for which, of_rows in ((found, np.ones(len(w))), (weighted, w)):
            q = which.probability(rows) / which.evidence
            assert which.shares[t, c] == pytest.approx(np.average(q[here], weights=of_rows[here]))


def test_a_label_in_doubt_tells_less() -> None:
    near, far = (wrong_labels(world(np.full((4, 2), 0.2), 200, d, 5)[0]) for d in (1.6, 4.0))
    assert near.resolution < 0.6
    assert far.resolution > 0.95
    width = [np.ptp(found.interval, axis=-1).mean() for found in (near, far)]
    assert width[0] > width[1]
