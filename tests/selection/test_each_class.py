"""Tasks of which only some classes correspond: a relatedness for every class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.gram import EachClassContrasts, SharedContrasts


def partly_permuted(rng: Any, n: int) -> tuple[Any, Any, Any]:
    """Twelve tasks share two classes; what the other four mean is another matter in every task."""
    task = np.repeat(np.arange(12), 6 * n)
    y = np.tile(np.repeat(np.arange(6), n), 12)
    order = np.random.default_rng(1)
    meaning = np.array([[0, 1, *(2 + order.permutation(4))] for _ in range(12)])
    means = 1.1 * np.random.default_rng(2).normal(size=(6, 40)) / np.sqrt(2)
    return means[meaning[task, y]] + 1.5 * rng.normal(size=(len(y), 40)), y, task


def test_contrasts_are_those_of_shared_and_relatedness_is_one_a_class() -> None:
    rng = np.random.default_rng(0)
    means, counts = rng.normal(size=(4, 3, 5)), np.array([[3.0, 2, 4]] * 3 + [[0.0, 2, 2]])
    noise = np.where(counts > 0, 0.1, 0.0)
    each, shared = (kind(means, counts, noise) for kind in (EachClassContrasts, SharedContrasts))
    np.testing.assert_allclose(each.values, shared.values)
    for j, rows in enumerate(each.task_rows()):
        assert rows.rows is not None
        np.testing.assert_allclose(rows.rows, shared.values[:, j])
        expected = (shared.coefficients[:, j] ** 2 * noise).sum(axis=1)
        np.testing.assert_allclose(rows.noise, expected)


@pytest.mark.long
def test_classes_that_correspond_help_and_the_others_do_no_harm() -> None:
    errors = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y, task = partly_permuted(rng, 5)
        new, new_y, new_task = partly_permuted(rng, 60)
        models = [
            MultiTaskSPCA(labels=labels).fit(X, y, task=task) for labels in ("auto", "single")
        ]
        errors.append([1 - model.score(new, new_y, task=new_task) for model in models])
    ours, alone = np.mean(errors, axis=0)
    assert ours < alone - 0.01


def cosines(clf: MultiTaskSPCA, X: Any, y: Any, task: Any) -> Any:
    """Between rules and the sums of rows, each times its label, of some targets and classes."""
    scale, found = X.std(axis=0), []
    for t in (0, 7):
        for row in (0, 5):
            direction = clf.labels_[t, row][task, y] @ (X / scale)
            coef = clf.coef_[t, row] * scale
            found.append(direction @ coef / np.linalg.norm(direction) / np.linalg.norm(coef))
    return np.array(found)


@pytest.mark.parametrize("labels", ["single", "naive", "spectral", "plugin"])
def test_labels_are_shown_for_the_relatedness_that_was_chosen(labels: str) -> None:
    rows = partly_permuted(np.random.default_rng(0), 5)
    clf = MultiTaskSPCA(metric=0, scale="pooled", labels=labels).fit(*rows[:2], task=rows[2])
    assert (cosines(clf, *rows) > 0.95).all()  # the scale of the model is that within classes


def test_labels_of_combined_rules_are_close_to_the_rules() -> None:
    """A rule of one relatedness a class is shown with the mean of its weights over classes."""
    rows = partly_permuted(np.random.default_rng(0), 5)
    clf = MultiTaskSPCA(metric=0, scale="pooled").fit(*rows[:2], task=rows[2])
    assert (cosines(clf, *rows) > 0.8).all()
