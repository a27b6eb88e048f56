"""The methods, by their names in tables and figures."""

from __future__ import annotations

from typing import Any

from kinspan import MultiTaskSPCA
from kinspan.baselines import CDLS, MultiTaskLSSVM, NaiveSPCA, SingleTaskSPCA

SINGLE = "ST-SPCA"
NAIVE = "N-SPCA, labels ±1"
NAIVE_EIGENVECTOR = "N-SPCA, eigenvector"
PLUGIN = "MTL-SPCA, plug-in"
DEFAULT = "kinspan"
ALONE = "single task, kinspan"
ORACLE = "MTL-SPCA, oracle"
LSSVM = "MTL-LSSVM"
LSSVM_CHOSEN = "MTL-LSSVM, strengths chosen"
LANDMARKS = "CDLS"
ALL_LANDMARKS = "CDLS, δ = 1"

BINARY = (1 / 3, 1 / 3)  # λ = γ = 1 divided by ‖A‖: Figure 2 of the paper
MANY_CLASSES = (10.0, 1.0)  # λ, γ of the paper for more than two classes


def estimator(
    method: str, scale: str | None, target: Any = None, strengths: tuple[float, float] = BINARY
) -> Any:
    """A method to be fitted.

    `scale` is for the rules of the paper: None if the noise is known to have variance one, "task"
    for its z-scores. The default and the single-task rule are those of the library, with all
    its defaults.
    """
    shared, own = strengths
    made = {
        SINGLE: SingleTaskSPCA(scale=scale),
        NAIVE: NaiveSPCA("labels", scale=scale),
        NAIVE_EIGENVECTOR: NaiveSPCA("eigenvector", scale=scale),
        PLUGIN: MultiTaskSPCA(
            labels="plugin", scale=scale, metric=0, row_sample=0, multi_class="one-vs-all"
        ),
        DEFAULT: MultiTaskSPCA(),
        ALONE: MultiTaskSPCA(labels="single"),
        LSSVM: MultiTaskLSSVM(shared_strength=shared, task_strengths=own, scale=scale),
        LSSVM_CHOSEN: MultiTaskLSSVM(scale=scale),
        LANDMARKS: CDLS(target),
        ALL_LANDMARKS: CDLS(target, landmark_share=1.0),
    }
    return made[method]


def fit(method: str, model: Any, train: Any, target: Any, unlabelled: Any) -> Any:
    """Fit to labelled rows: single tasks to their own, CDLS also to unlabelled target rows."""
    X, y, task = train.X, train.y, train.task
    if method in (SINGLE, ALONE):
        own = task == target
        X, y, task = X[own], y[own], task[own]
    more = {"unlabelled": unlabelled} if method in (LANDMARKS, ALL_LANDMARKS) else {}
    return model.fit(X, y, task=task, **more)
