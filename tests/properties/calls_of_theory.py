"""Calls of the theory."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from kinspan import theory
from kinspan.datasets import related_means
from tests.properties.calls import Call

_MEANS = related_means([1.0, 0.6], 10)
_COUNTS = np.array([[30.0, 40.0], [60.0, 50.0]])
_TWO_TASKS: dict[str, Any] = {
    "mean_gram": _MEANS.reshape(4, 10) @ _MEANS.reshape(4, 10).T,
    "counts": _COUNTS,
    "n_features": 10,
    "labels": np.array([[-1.0, 1.0], [-0.5, 0.5]]),
    "target": 0,
    "priors": np.array([0.4, 0.6]),
    "means": _MEANS,
    "covariances": np.eye(10),
    "labelled_fraction": np.array([0.5, 1.0]),
    "score_means": np.array([-1.0, 1.0]),
    "score_variances": np.array([1.0, 2.0]),
    "threshold": 0.1,
    "error": 0.2,
    "add": np.array([[5.0, 5.0], [0.0, 0.0]]),
    "shared_strength": 1.0,
    "task_strengths": np.array([1.0, 2.0]),
    "eigenvalues": np.array([0.1, 1.0, 4.0]),
    "n_samples": 30.0,
    "confusion": np.array([[0.9, 0.1], [0.2, 0.8]]),
    "n_components": 2,
}
_ONE_TASK = {"mean_gram": _TWO_TASKS["mean_gram"][:2, :2], "counts": _COUNTS[:1]}
_MAY_BE_INFINITE = {
    "decision_threshold",  # the same answer always
    "spca_pca_gap",  # no explicit formula
}


def theory_calls() -> dict[str, Call]:
    """Every function of the theory, with the arguments that it has."""
    calls = {}
    for name in theory.__all__:
        function = getattr(theory, name)
        if not inspect.isclass(function):
            of = _ONE_TASK if name.startswith(("pca_", "spca_", "phase_")) else {}
            good = {**_TWO_TASKS, **of}
            used = {n: good[n] for n in inspect.signature(function).parameters}
            calls[name] = Call(function, used, may_be_infinite=name in _MAY_BE_INFINITE)
    return calls
