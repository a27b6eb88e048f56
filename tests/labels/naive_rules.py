"""The rules of docs/theory.md, target by target: a decomposition for each, and loops."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Target(NamedTuple):
    """One target along directions of the others."""

    vectors: Any  # (features, directions)
    x: Any  # coordinates of its row
    posterior: Any
    trace: float  # tr F


class Rule(NamedTuple):
    """What a rule gives all targets."""

    directions: Any  # (targets, features)
    noise_share: Any  # (targets,)
    signal: Any  # (targets,)


class Prior(NamedTuple):
    """What the others say of one target before its own row is seen."""

    vectors: Any  # (features, directions)
    mean: Any  # (directions,): of its coordinates
    gain: Any  # (directions, directions): F, how far coordinates follow its own row


def spectral_prior(rows: Any, variance: Any, t: int, dimension: float) -> Prior:
    """Eqs. (9) to (16), for white noise that is spread over as many coordinates."""
    others, P = np.delete(np.arange(len(rows)), t), dimension
    gamma = len(others) / P
    _, s, vt = np.linalg.svd(rows[others] / np.sqrt(variance[others])[:, None], full_matrices=False)
    n = len(others)
    chance = 2.02 * (n**0.5 + P**0.5) * (n**-0.5 + P**-0.5) ** (1 / 3)
    keep = s**2 > (n**0.5 + P**0.5) ** 2 + chance
    s, v = s[keep], vt[keep].T
    lifted = s**2 / P - 1 - gamma
    ell = (lifted + np.sqrt(lifted**2 - 4 * gamma)) / 2
    right = (ell**2 - gamma) / (ell * (ell + 1))
    left = (ell**2 - gamma) / (ell * (ell + gamma))
    total = (1 / variance[others]).sum()
    n = total**2 / (1 / variance[others] ** 2).sum()
    h = (rows[others] / variance[others][:, None]).sum(axis=0)
    mean = np.sqrt(P * ell * left * right) * (v.T @ h) / (s * total) if n > 1.5 else 0 * s
    prior = np.diag(P * ell * right / total) - np.outer(mean, mean)
    values, vectors = np.linalg.eigh(prior)
    inflation = n / (n - 1) * (1 + 1 / n) if n > 1.5 else 1.0
    B = (vectors * np.maximum(values, 0) * inflation) @ vectors.T
    return Prior(v, mean, B @ np.linalg.inv(B + variance[t] * np.eye(len(s))))


def spectral_target(rows: Any, variance: Any, t: int) -> Target:
    """The posterior of eq. (16)."""
    v, mean, F = spectral_prior(rows, variance, t, rows.shape[1])
    x = v.T @ rows[t]
    return Target(v, x, mean + F @ (x - mean), float(np.trace(F)))


def pool_target(rows: Any, variance: Any, t: int) -> Target:
    """Eq. (22)."""
    others, P = np.delete(np.arange(len(rows)), t), rows.shape[1]
    weights = 1 / variance[others]
    total, n = weights.sum(), weights.sum() ** 2 / (weights**2).sum()
    h = weights @ rows[others]
    v, x = h / np.linalg.norm(h), rows[t] @ h / np.linalg.norm(h)
    excess = max(h @ h / (P * total) - 1, 0)
    mean = np.linalg.norm(h) / total * excess / (1 + excess)
    z = rows[others] @ v - P / np.linalg.norm(h)  # each without the noise that it shares with h
    scatter = np.average((z - np.average(z, weights=weights)) ** 2, weights=weights)
    inflation = (n / (n - 1) if n > 1.5 else 1.0) * (1 + 1 / n)
    spread = max(scatter - len(others) / total, 0) * inflation
    gain = spread / (spread + variance[t])
    return Target(v[:, None], np.array([x]), np.array([mean + gain * (x - mean)]), float(gain))


def energies(squares: Any, freedom: Any, variance: Any, doubt: float = 0.0) -> Any:
    """Eq. (17), task by task."""
    raw = [s - f * v for s, f, v in zip(squares, freedom, variance, strict=True)]
    typical = max(float(np.average(raw, weights=variance**-2.0)), 0.0)
    error = [
        2 * f * v**2 + (f * v) ** 2 * doubt + 4 * v * typical
        for f, v in zip(freedom, variance, strict=True)
    ]
    w = 1 / np.array(error)
    cochran = sum(wi * (r - np.average(raw, weights=w)) ** 2 for wi, r in zip(w, raw, strict=True))
    chance = len(raw) - 1 + 4 * np.sqrt(2 * max(len(raw) - 1, 0))
    between = max((cochran - chance) / (w.sum() - (w**2).sum() / w.sum()), 0)
    centre = np.average(raw, weights=[1 / (e + between) for e in error])
    drawn = [
        centre + between / (e + between) * (r - centre) for e, r in zip(error, raw, strict=True)
    ]
    return np.maximum(drawn, 0)


def naive_rule(rows: Any, variance: Any, of_target: Any) -> Rule:
    """Eqs. (18) to (21), for the targets of one of the functions above."""
    targets = [of_target(rows, variance, t) for t in range(len(rows))]
    P = rows.shape[1]
    rest = np.array([row - t.vectors @ t.x for row, t in zip(rows, targets, strict=True)])
    freedom = np.array([P - len(t.x) for t in targets], dtype=float)
    energy = energies((rest**2).sum(axis=1), freedom, variance)
    kept = energy / (energy + freedom * variance)
    kept = np.where([len(t.x) > 0 for t in targets], kept, np.maximum(kept, 1e-3))
    shared = np.array([t.vectors @ t.posterior for t in targets])
    trace = np.array([t.trace for t in targets])
    inner = np.array([t.posterior @ t.x for t in targets])
    return Rule(
        shared + kept[:, None] * rest,
        (trace + kept * freedom) / P,
        inner - trace * variance + kept * energy,
    )
