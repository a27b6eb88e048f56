"""Centred rows and labels → directions of the multi-task least-squares SVM, in closed form.

Rows z are centred in their task, so that intercepts are mean labels and drop out. With the task
kernel A = diag(γ) + λ11ᵀ and rows of tasks s(i),

    sample space   α = (K + I)⁻¹ y,  K_ij = A_s(i)s(j) z_iᵀz_j/(kp),  w_t = Σ_i A_ts(i) α_i z_i/(kp)
    feature space  w_t = w₀ + γ_t q_t,  q_t = (I + γ_t C_t)⁻¹(r_t − C_t w₀),
                   (I + λ Σ_s (I + γ_s C_s)⁻¹C_s) w₀ = λ Σ_s (I + γ_s C_s)⁻¹ r_s,
                   C_t = Z_tᵀZ_t/(kp),  r_t = Z_tᵀy_t/(kp)

The second follows from the first with K = ZAZᵀ, by one elimination per task: p × p systems only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from kinspan._rows.types import Codes, Floats


class Strengths(NamedTuple):
    """The task kernel A = diag(γ) + λ11ᵀ."""

    shared: float  # λ
    own: Floats  # (tasks,) γ

    @property
    def kernel(self) -> Floats:
        """(tasks, tasks) A."""
        return np.asarray(np.diag(self.own) + self.shared)


def task_directions(
    Z: Floats, tasks: Codes, labels: Floats, targets: Codes, strengths: Strengths
) -> Floats:
    """(columns, features): column c of labels makes the direction of task targets[c]."""
    n, p = Z.shape
    in_samples = n**3 <= (len(strengths.own) + 1) * p**3
    solve = directions_by_samples if in_samples else directions_by_features
    return solve(Z, tasks, labels, targets, strengths)


def directions_by_samples(
    Z: Floats, tasks: Codes, labels: Floats, targets: Codes, strengths: Strengths
) -> Floats:
    """One n × n system for all columns."""
    A, scale = strengths.kernel, len(strengths.own) * Z.shape[1]
    H = Z @ Z.T
    H *= A[np.ix_(tasks, tasks)] / scale
    H[np.diag_indices_from(H)] += 1.0
    alpha = cho_solve(cho_factor(H, lower=True, overwrite_a=True), labels)
    return np.asarray((alpha * A[np.ix_(tasks, targets)]).T @ Z / scale)


def directions_by_features(
    Z: Floats, tasks: Codes, labels: Floats, targets: Codes, strengths: Strengths
) -> Floats:
    """k + 1 systems of size p × p for all columns."""
    lam, gamma = strengths
    p = Z.shape[1]
    total, right = np.eye(p), np.zeros((p, labels.shape[1]))
    for t, gamma_t in enumerate(gamma):
        C, r = _task_system(Z[tasks == t], labels[tasks == t], len(gamma))
        both = _damped(C, gamma_t, np.hstack([C, r]))
        total += lam * both[:, :p]
        right += lam * both[:, p:]
    w = np.linalg.solve(total, right)
    for t in np.unique(targets):
        mine = targets == t
        C, r = _task_system(Z[tasks == t], labels[np.ix_(tasks == t, mine)], len(gamma))
        w[:, mine] += gamma[t] * _damped(C, gamma[t], r - C @ w[:, mine])
    return np.asarray(w.T, dtype=np.float64)


def _task_system(Z: Floats, labels: Floats, n_tasks: int) -> tuple[Floats, Floats]:
    scale = n_tasks * Z.shape[1]
    return Z.T @ Z / scale, Z.T @ labels / scale


def _damped(C: Floats, gamma: float, right: Floats) -> Floats:
    """(I + γC)⁻¹ right."""
    return np.asarray(cho_solve(cho_factor(np.eye(len(C)) + gamma * C, lower=True), right))
