"""The spectral rule: equal to its definition target by target, safe, and close to the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.settings import SETTINGS, P, draw

from kinspan.labels import spectral as module
from kinspan.labels import spectrum_of_gram, spectrum_of_rows, task_weights
from kinspan.labels.choice import best_rule, mean_signal_to_noise
from kinspan.labels.fixed import single_rule
from kinspan.labels.pool import pool_rule
from kinspan.labels.spectral import spectral_rule, spectral_rule_and_response, spectral_rules
from tests.labels.naive_rules import naive_rule, pool_target, spectral_target


def uneven(k: int, seed: int) -> tuple[Any, Any]:
    """Few features, strong signals, and a first task with much less noise than the others."""
    rng = np.random.default_rng(seed)
    variance = np.append(1e-2, rng.uniform(0.1, 1.0, k - 1))
    means = rng.normal(size=(k, 2)) @ rng.normal(size=(2, 30)) + rng.normal(size=30)
    return means + rng.normal(size=(k, 30)) * np.sqrt(variance)[:, None], variance


def of_setting(setting: str, k: int) -> tuple[Any, Any]:
    if setting == "uneven":
        return uneven(k, 0)
    world = draw(setting, k, 0)
    return world.rows, 1 / (2 * world.tasks.n)


RULES = [(spectral_rule, spectral_target), (pool_rule, pool_target)]


@pytest.mark.parametrize(
    "setting", ["clusters", "figure 3", "opposite", "one large stranger", "uneven", "orthogonal"]
)
@pytest.mark.parametrize("k", [3, 12])
@pytest.mark.parametrize(("rule", "of_target"), RULES)
def test_all_targets_at_once_equal_one_by_one(
    setting: str, k: int, rule: Any, of_target: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_EXTRA", 10**6)
    rows, variance = of_setting(setting, k)
    dimension = float(rows.shape[1])
    weights = rule(spectrum_of_rows(rows, dimension * variance, dimension))
    expected = naive_rule(rows, variance, of_target)
    np.testing.assert_allclose(weights.combine(rows), expected.directions, atol=1e-9)
    np.testing.assert_allclose(weights.noise_share, expected.noise_share, atol=1e-12)
    np.testing.assert_allclose(weights.signal, expected.signal, atol=1e-9)


@pytest.mark.parametrize(("rule", "of_target"), RULES)
def test_two_tasks_have_one_other_each(rule: Any, of_target: Any) -> None:
    """The square of one other task counts in the spectral rule, its mean does not."""
    rows, variance = uneven(2, 1)
    weights = rule(spectrum_of_rows(rows, 30 * variance, 30.0))
    expected = naive_rule(rows, variance, of_target)
    np.testing.assert_allclose(weights.combine(rows), expected.directions, atol=1e-9)


def test_a_target_without_rows_keeps_the_prior_mean() -> None:
    prior = module.Prior(np.full((2, 1), 3.0), np.full((2, 1), 10.0), np.ones((2, 1)))
    posterior, trace = module._posterior(prior, np.zeros((2, 1)), np.ones(2), np.array([0.0, 1.0]))
    np.testing.assert_allclose(posterior, [[3.0], [1.5]])  # F = 1/(1 + 1) for B = 10 − 3²
    np.testing.assert_allclose(trace, [0.0, 0.5])


def test_a_name_is_a_rule_and_auto_the_best_of_three() -> None:
    """Where all tasks are the same the pool is best: "spectral" is still the spectral rule."""
    world = draw("identical", 20, 0)
    counts = np.ones((20, 2))
    rules = {name: task_weights(name, world.spectrum, counts) for name in ("auto", "spectral")}
    for name, expected in (("auto", best_rule), ("spectral", spectral_rule)):
        np.testing.assert_array_equal(rules[name].matrix(), expected(world.spectrum).matrix())
    assert not np.allclose(rules["auto"].matrix(), rules["spectral"].matrix())


def test_one_other_task_is_no_pool() -> None:
    """Its scatter cannot be known: the forecast of the pool would be the best, and too good."""
    rng = np.random.default_rng(0)
    rows = 0.5 * rng.normal(size=50) + 0.7 * rng.normal(size=(2, 50))
    spectrum = spectrum_of_rows(rows, np.full(2, 50 * 0.49), 50.0)
    values = [mean_signal_to_noise(r(spectrum), spectrum) for r in (spectral_rule, pool_rule)]
    assert values[1] > values[0] == mean_signal_to_noise(best_rule(spectrum), spectrum)


def test_rules_are_chosen_by_a_mean_in_which_noisy_tasks_count_less() -> None:
    rows, variance = uneven(9, 2)
    spectrum = spectrum_of_rows(rows, 30 * variance, 30.0)
    weights = spectral_rule(spectrum)
    ratios = weights.signal / np.linalg.norm(weights.combine(rows), axis=1)
    precisions = [1 / (v + np.median(variance)) for v in variance]
    expected = sum(r * w for r, w in zip(ratios, precisions, strict=True)) / sum(precisions)
    assert mean_signal_to_noise(weights, spectrum) == pytest.approx(expected, rel=1e-12)
    means = [
        mean_signal_to_noise(r(spectrum), spectrum) for r in (single_rule, spectral_rule, pool_rule)
    ]
    assert mean_signal_to_noise(best_rule(spectrum), spectrum) == max(means)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_few_vectors_beyond_the_spikes_are_enough(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = draw(setting, 64, 1)
    short = world.errors(spectral_rule(world.spectrum))
    monkeypatch.setattr(module, "_EXTRA", 10**6)
    exact = world.errors(spectral_rule(world.spectrum))
    assert abs((short - exact).mean()) < 1e-4
    assert np.abs(short - exact).max() < 2e-3


@pytest.mark.parametrize("k", [5, 40])
@pytest.mark.parametrize("rule", ["spectral", "plugin", "naive", "single"])
def test_rows_and_their_products_give_the_same_weights(k: int, rule: str) -> None:
    """Also with more tasks than coordinates, where the other Gram matrix is decomposed."""
    rng = np.random.default_rng(0)
    rows, noise = rng.normal(size=(k, 12)) + 2 * rng.normal(size=12), rng.uniform(1, 20, k)
    counts = np.tile(rng.integers(5, 50, k)[:, None], (1, 2)).astype(float)
    a = task_weights(rule, spectrum_of_rows(rows, noise, 12.0), counts)
    b = task_weights(rule, spectrum_of_gram(rows @ rows.T, noise, 12.0), counts)
    np.testing.assert_allclose(a.combine(rows), b.combine(rows), atol=1e-9)
    np.testing.assert_allclose(a.signal, b.signal, atol=1e-9)
    np.testing.assert_allclose(a.combine(rows), a.matrix() @ rows, atol=1e-12)


@pytest.mark.parametrize("rule", [spectral_rule, pool_rule, best_rule])
def test_the_order_of_tasks_does_not_matter(rule: Any) -> None:
    world = draw("clusters", 20, 2)
    order = np.random.default_rng(0).permutation(20)
    noise = P / (2 * world.tasks.n)
    shuffled = spectrum_of_rows(world.rows[order], noise[order], float(P))
    np.testing.assert_allclose(
        rule(shuffled).combine(world.rows[order]),
        rule(world.spectrum).combine(world.rows)[order],
        atol=1e-9,
    )


@pytest.mark.parametrize("rule", [spectral_rule, pool_rule, best_rule])
def test_tasks_without_contrasts_change_nothing(rule: Any) -> None:
    world = draw("clusters", 20, 3)
    rows = np.insert(world.rows, 7, 0.0, axis=0)
    noise = np.insert(P / (2 * world.tasks.n), 7, 0.0)
    found = rule(spectrum_of_rows(rows, noise, float(P))).combine(rows)
    np.testing.assert_allclose(
        np.delete(found, 7, axis=0), rule(world.spectrum).combine(world.rows), atol=1e-9
    )


def test_units_do_not_matter() -> None:
    world = draw("clusters", 20, 4)
    noise = P / (2 * world.tasks.n)
    scaled = spectrum_of_rows(1e5 * world.rows, 1e10 * noise, float(P))
    np.testing.assert_allclose(
        best_rule(scaled).matrix(), best_rule(world.spectrum).matrix(), atol=1e-9
    )


@pytest.mark.parametrize("seed", range(5))
def test_where_nothing_is_shared_every_task_goes_alone(seed: int) -> None:
    world = draw("orthogonal", 32, seed)
    weights = spectral_rule(world.spectrum)
    if not np.any(weights.left):  # no spike above the edge
        own = weights.combine(world.rows) / world.rows
        np.testing.assert_allclose(own, np.tile(own[:, :1], (1, P)))
    alone = world.errors(single_rule(world.spectrum)).mean()
    assert world.errors(best_rule(world.spectrum)).mean() < alone + 0.008


def test_one_task_and_no_signal_at_all() -> None:
    world = draw("identical", 1, 0)
    np.testing.assert_allclose(best_rule(world.spectrum).matrix(), [[1.0]])
    noise_only = spectrum_of_rows(np.zeros((3, 5)), np.ones(3), 5.0)
    assert np.isfinite(best_rule(noise_only).matrix()).all()
    tiny = np.random.default_rng(0).normal(size=(4, 50)) * 1e-3
    for rule in (spectral_rule, pool_rule, best_rule):
        found = rule(spectrum_of_rows(tiny, np.ones(4), 50.0)).combine(tiny)
        assert np.all(np.linalg.norm(found, axis=1) > 0)


BARS = [(k, over) for k, over in ((8, 0.025), (32, 0.012), (128, 0.012))]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(("k", "over_oracle"), BARS)
def test_close_to_the_oracle_and_never_much_worse_than_alone(
    setting: str, k: int, over_oracle: float
) -> None:
    """Bars of `benchmarks.relatedness`, over fewer draws: four standard errors are allowed."""
    over, alone, gaps = [], [], []
    for seed in range(100, 100 + max(6, 160 // k)):
        world = draw(setting, k, seed)
        weights = best_rule(world.spectrum)
        errors = world.errors(weights)
        judged = world.tasks.judged
        over.append((errors - world.errors(world.oracle()))[judged].mean())
        alone.append((errors - world.errors(single_rule(world.spectrum)))[judged].mean())
        gaps.append((world.forecast(weights) - errors).mean())

    def allowed(values: list[float]) -> float:
        return float(4 * np.std(values) / np.sqrt(len(values)))

    assert np.mean(over) < over_oracle + allowed(over)
    assert np.mean(alone) < 0.008 + allowed(alone)
    assert abs(np.mean(gaps)) < 0.015 + allowed(gaps)


def test_figure_3_does_not_collapse_with_many_tasks() -> None:
    errors = []
    for seed in range(12):
        world = draw("figure 3", 256, seed)
        errors.append(world.errors(best_rule(world.spectrum))[-1])
    assert np.mean(errors) < 0.175 + 4 * np.std(errors) / np.sqrt(len(errors))


def test_several_spectra_at_once_are_those_one_by_one() -> None:
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(3, 40))
    spectra = []
    for size in (0.0, 1.0, 1.0, 4.0):
        rows = size * rng.normal(size=(50, 3)) @ directions + rng.normal(size=(50, 40))
        spectra.append(
            spectrum_of_rows(rows, rng.uniform(30.0, 50.0, 50), 40.0)._replace(doubt=0.1)
        )
    for spectrum, (weights, response) in zip(spectra, spectral_rules(spectra), strict=True):
        expected = spectral_rule_and_response(spectrum)
        for found, other in zip((weights, response), expected, strict=True):
            for one, same in zip(found, other, strict=True):
                assert one.shape == same.shape
                np.testing.assert_allclose(one, same, rtol=1e-9, atol=1e-12)


def test_targets_in_blocks_are_those_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 20)) + rng.normal(size=(300, 20))
    spectrum = spectrum_of_rows(rows, rng.uniform(10.0, 30.0, 300), 20.0)
    expected = spectral_rule(spectrum)
    monkeypatch.setattr(module, "_LEAST_TARGETS", 1)
    for one, same in zip(spectral_rule(spectrum), expected, strict=True):
        np.testing.assert_allclose(one, same, rtol=1e-9, atol=1e-12)
