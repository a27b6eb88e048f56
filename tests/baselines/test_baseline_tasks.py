"""What all baselines do with tasks, ids, missing classes and odd shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kinspan.baselines import (
    CDLS,
    MMDT,
    FeatureAugmentation,
    MultiTaskLSSVM,
    NaiveSPCA,
    PCAClassifier,
    SingleTaskSPCA,
    SPCAClassifier,
)
from kinspan.datasets import gaussian_mixture, load_digit_pairs, related_means
from tests.worlds import random_world

ANY_NUMBER = [
    SingleTaskSPCA(),
    NaiveSPCA(),
    NaiveSPCA("eigenvector"),
    PCAClassifier(),
    SPCAClassifier(),
    MultiTaskLSSVM(),
    MultiTaskLSSVM(labels="naive", shared_strength=1.0, task_strengths=0.5),
    FeatureAugmentation(),
]
TWO = [CDLS(n_iterations=3), MMDT()]
OWN_CLASSES = ANY_NUMBER[:-1]


def named(estimators: list[Any]) -> pytest.MarkDecorator:
    names = [type(e).__name__ + getattr(e, "variant", getattr(e, "labels", "")) for e in estimators]
    return pytest.mark.parametrize("estimator", estimators, ids=names)


def two_tasks(seed: int = 0, n_classes: int = 2, **sizes: Any) -> Any:
    """A source with many rows and a target, task 1, with few."""
    world = random_world(seed, n_tasks=2, n_classes=n_classes, **sizes)
    few = np.flatnonzero(world.task == 1)[len(world.y) // 8 :]
    return type(world)(*(np.delete(part, few, axis=0) for part in world))


@named(ANY_NUMBER + TWO)
def test_it_learns(estimator: Any) -> None:
    means, counts = 2 * related_means([1, 0.7], 40), [[60, 60], [12, 12]]
    train = gaussian_mixture(means, counts, random_state=0)
    test = train.sample(500, random_state=0)
    clf = clone(estimator).fit(train.X, train.y, task=train.task)
    for t in (0, 1):
        rows = test.task == t
        assert clf.score(test.X[rows], test.y[rows], task=t) > 0.75


@named([SingleTaskSPCA(), MultiTaskLSSVM(shared_strength=1.0, task_strengths=1.0)])
def test_forty_five_small_tasks_are_learnt(estimator: Any) -> None:
    digits = load_digit_pairs(n_per_class=5)
    clf = estimator.fit(digits.X, digits.y, task=digits.task)
    assert clf.score(digits.X_test, digits.y_test, task=digits.task_test) > 0.95


@named(ANY_NUMBER + TWO)
def test_an_unseen_task_is_refused_by_name(estimator: Any) -> None:
    X, y, task = two_tasks()
    clf = clone(estimator).fit(X, y, task=task)
    with pytest.raises(ValueError, match=r"task contains .*7.*fitted tasks are 0, 1"):
        clf.predict(X, task=np.where(np.arange(len(X)) == 3, 7, task))


@named(ANY_NUMBER + TWO)
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(estimator: Any) -> None:
    X, y, task = two_tasks()
    clf = clone(estimator).fit(X, y, task=task)
    before = clf.decision_function(X, task=task)
    for wrong in (np.full((len(X), 3), np.nan), X[:, :2] * np.inf):
        with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="X contains"):
            clf.fit(wrong, y, task=task)
    with pytest.raises(ValueError, match="y contains one class"):
        clf.fit(X[:, :4], np.zeros(len(X)), task=task)
    assert clf.n_features_in_ == 7
    np.testing.assert_array_equal(clf.decision_function(X, task=task), before)


@named(ANY_NUMBER + TWO)
def test_several_tasks_need_a_task_to_predict(estimator: Any) -> None:
    X, y, task = two_tasks()
    clf = clone(estimator).fit(X, y, task=task)
    with pytest.raises(ValueError, match="task=None, but 2 tasks"):
        clf.predict(X)


@named(ANY_NUMBER + TWO)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_names_and_order_of_rows_do_not_matter(estimator: Any, n_classes: int) -> None:
    X, y, task = two_tasks(1, n_classes)
    clf = clone(estimator).fit(X, y, task=task)
    order = np.random.default_rng(0).permutation(len(X))
    labels, tasks = np.array(["a", "b", "c"])[y], np.array(["north", "south"])[task]
    named = clone(estimator).fit(X[order], labels[order], task=tasks[order].tolist())
    np.testing.assert_allclose(
        named.decision_function(X, task=tasks),
        clf.decision_function(X, task=task),
        rtol=1e-3,
        atol=1e-3,  # the solvers of logistic regression and SVMs stop near their optimum
    )
    assert named.classes_.tolist() == ["a", "b", "c"][:n_classes]
    assert named.tasks_.tolist() == ["north", "south"]
    one = named.predict(X[:5], task="south")
    np.testing.assert_array_equal(one, named.predict(X[:5], task=["south"] * 5))


@named(ANY_NUMBER + TWO)
def test_a_task_column_equals_the_keyword(estimator: Any) -> None:
    X, y, task = two_tasks(2)
    by_keyword = clone(estimator).fit(X, y, task=task)
    wide = np.column_stack([X, task])
    by_column = clone(estimator).set_params(task_column=-1).fit(wide, y)
    np.testing.assert_allclose(
        by_column.decision_function(wide), by_keyword.decision_function(X, task=task)
    )


@named(ANY_NUMBER + TWO)
def test_sparse_rows_give_the_same(estimator: Any) -> None:
    X, y, task = two_tasks(3)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense = clone(estimator).fit(X, y, task=task)
    sparse = clone(estimator).fit(sp.csr_array(X), y, task=task)
    np.testing.assert_allclose(
        sparse.decision_function(sp.csr_array(X), task=task),
        dense.decision_function(X, task=task),
        rtol=1e-5,
        atol=1e-5,
    )


@named(ANY_NUMBER + TWO)
def test_metadata_routing_needs_no_request(estimator: Any) -> None:
    X, y, task = two_tasks(4)
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), clone(estimator)).fit(X, y, task=task)
        assert 0.5 < pipeline.score(X, y, task=task) <= 1


@named(OWN_CLASSES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_that_a_task_has_not_seen_is_never_answered(estimator: Any, n_classes: int) -> None:
    X, y, task = random_world(5, n_classes=n_classes)
    seen = ~((task == 1) & (y == 0) | (task == 2) & (y == n_classes - 1))
    clf = clone(estimator).fit(X[seen], y[seen], task=task[seen])
    assert 0 not in clf.predict(X, task=1)
    assert n_classes - 1 not in clf.predict(X, task=2)
    assert np.isfinite(clf.decision_function(X, task=2)).all()


@named(TWO)
@pytest.mark.parametrize("lacking", [0, 1])
def test_a_class_missing_in_one_domain_can_still_be_answered(estimator: Any, lacking: int) -> None:
    X, y, task = random_world(6, n_tasks=2)
    seen = ~((task == lacking) & (y == 0))
    clf = clone(estimator).set_params(target=1).fit(X[seen], y[seen], task=task[seen])
    assert clf.classes_.tolist() == [0, 1, 2]
    assert np.isfinite(clf.decision_function(X, task=task)).all()


@named(TWO)
@pytest.mark.parametrize("n_tasks", [1, 3])
def test_two_domains_are_two(estimator: Any, n_tasks: int) -> None:
    X, y, task = random_world(7, n_tasks=n_tasks)
    with pytest.raises(ValueError, match=f"task has {n_tasks} different id.*one source and"):
        estimator.fit(X, y, task=task)


@named(TWO)
def test_the_target_is_the_smaller_task_or_named(estimator: Any) -> None:
    X, y, task = two_tasks(8)
    assert clone(estimator).fit(X, y, task=task).target_ == 1
    assert clone(estimator).set_params(target=0).fit(X, y, task=task).target_ == 0
    even = np.arange(len(X) // 2 * 2) % 2
    with pytest.raises(ValueError, match=r"target=None.*rows"):
        clone(estimator).fit(X[: len(even)], y[: len(even)], task=even)
    with pytest.raises(ValueError, match="target='west'"):
        clone(estimator).set_params(target="west").fit(X, y, task=task)


@named(ANY_NUMBER + TWO)
@pytest.mark.parametrize(("n", "p", "n_classes"), [(24, 300, 3), (600, 3, 2)], ids=["wide", "tall"])
def test_wide_and_tall(estimator: Any, n: int, p: int, n_classes: int) -> None:
    rng = np.random.default_rng(9)
    y, task = np.arange(n) % n_classes, (np.arange(n) // n_classes) % 6 // 5
    X = 4 * rng.normal(size=(n_classes, p))[y] / np.sqrt(p) + rng.normal(size=(n, p)) / np.sqrt(p)
    clf = clone(estimator).fit(X, y, task=task)
    assert clf.score(X, y, task=task) > 0.6


@named(ANY_NUMBER)
def test_one_task_needs_no_task(estimator: Any) -> None:
    X, y, _ = random_world(10, n_tasks=1)
    clf = clone(estimator).fit(X, y)
    assert clf.tasks_.tolist() == [0]
    np.testing.assert_array_equal(clf.predict(X), clf.predict(X, task=0))


@named(ANY_NUMBER)
def test_one_row_a_class_is_enough(estimator: Any) -> None:
    X = np.array([[0.0, 1.0], [4.0, 1.0], [0.5, 0.0], [4.5, 0.0]])
    clf = clone(estimator).fit(X, [0, 1, 0, 1], task=["a", "a", "b", "b"])
    assert clf.predict(X, task=["a", "a", "b", "b"]).tolist() == [0, 1, 0, 1]


@named(TWO)
def test_the_names_of_the_domains_may_be_swapped(estimator: Any) -> None:
    X, y, task = two_tasks(11)
    clf = clone(estimator).fit(X, y, task=task)
    swapped = clone(estimator).fit(X, y, task=1 - task)
    assert (clf.target_, swapped.target_) == (1, 0)
    np.testing.assert_allclose(
        swapped.decision_function(X, task=1 - task),
        clf.decision_function(X, task=task),
        rtol=1e-6,
        atol=1e-9,
    )
