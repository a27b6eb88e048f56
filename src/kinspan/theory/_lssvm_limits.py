"""A population and a task kernel → the matrices that describe a multi-task least-squares SVM.

δ_t = B_tt/k with B = (diag(n_t/(kp(1 + δ_t))) + A⁻¹)⁻¹ is a fixed point. From it follow
D = n/(kp(1 + δ_t)) for each cell and K = B_tt'·⟨μ_tj − μ_t, μ_t'j' − μ_t'⟩, with μ_t the mean of a
task's rows. Centred labels y have the centred mean scores y − Fy, F = (I + KD)⁻¹, and on target t
the variance yᵀSy, S = Fᵀ(D K_t D + diag κ_t)F: the published matrices without D^±½, so that cells
may be empty.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.theory._cells import block_diagonal
from kinspan.theory._checks import Population

_STEPS, _CLOSE = 100, 1e-14


class LssvmLimits(NamedTuple):
    """The scores of any labels follow from these."""

    centring: Floats  # (cells, cells) Z: subtracts the mean label of each task
    residual: Floats  # (cells, cells) F = (I + KD)⁻¹: centred labels → labels minus scores
    spreads: Floats  # (tasks, cells, cells) S: centred labels → variance of the scores of a task


def lssvm_limits(population: Population, A: Floats) -> LssvmLimits:
    """The limits for task kernel A = diag(γ) + λ11ᵀ."""
    G, n, p = population
    k, m = n.shape
    slack = _fixed_point(n.sum(axis=1) / (k * p), A)
    B = _resolvent(n.sum(axis=1) / (k * p * (1 + slack)), A)
    D = (n / (k * p * (1 + slack))[:, None]).ravel()
    Z = _centring(n)
    centred_gram = Z @ G @ Z.T
    F = np.linalg.inv(np.eye(k * m) + _per_cell(B, m) * centred_gram * D)
    energy = n / (k * p * (1 + slack) ** 2)[:, None]
    spreads = [
        F.T @ (D[:, None] * _per_cell(B @ (v[:, None] * B), m) * centred_gram * D + np.diag(c)) @ F
        for v, c in _noise_of_targets(B, energy)
    ]
    return LssvmLimits(Z, F, np.array(spreads))


def _noise_of_targets(B: Floats, energy: Floats) -> list[tuple[Floats, Floats]]:
    """For each target V = e_t + d̄∘T̄_t (tasks,) and κ (cells,), T̄ = T(I − diag(d̄)T)⁻¹, T = B∘B/k."""
    k = len(B)
    T, d = B * B / k, energy.sum(axis=1)
    T = T @ np.linalg.inv(np.eye(k) - d[:, None] * T)
    return [(np.eye(k)[t] + d * T[t], (energy * T[t][:, None]).ravel()) for t in range(k)]


def _fixed_point(ratios: Floats, A: Floats) -> Floats:
    """(tasks,) δ, from n_t/(kp), by Newton steps; from above they go down without overshooting."""
    k = len(A)
    slack: Floats = np.diag(A) / k
    for _ in range(_STEPS):
        B = _resolvent(ratios / (1 + slack), A)
        slope = B * B * ratios / (1 + slack) ** 2 / k
        step = np.linalg.solve(np.eye(k) - slope, slack - np.diag(B) / k)
        slack = slack - step
        if np.abs(step).max() <= _CLOSE * slack.max():
            break
    return slack


def _resolvent(diagonal: Floats, A: Floats) -> Floats:
    """(diag + A⁻¹)⁻¹ without the inverse of A, which may be singular."""
    B = np.linalg.solve(np.eye(len(A)) + A * diagonal, A)
    return np.asarray((B + B.T) / 2)


def _per_cell(of_tasks: Floats, n_classes: int) -> Floats:
    return np.asarray(np.kron(of_tasks, np.ones((n_classes, n_classes))))


def _centring(counts: Floats) -> Floats:
    """I − 1cᵀ in each task, c the shares of its classes; equal shares for a task without rows."""
    m, total = counts.shape[1], counts.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1.0 / m)
    return block_diagonal(np.eye(m) - shares[:, None, :])
