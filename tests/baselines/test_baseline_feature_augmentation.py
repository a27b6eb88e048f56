"""Feature augmentation: the same as the augmented matrix written out, without the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import LinearSVC

from kinspan.baselines import FeatureAugmentation
from kinspan.baselines.feature_augmentation import augmented
from kinspan.datasets import gaussian_mixture, related_means
from tests.worlds import random_world


def written_out(X: Any, task: Any, n_tasks: int) -> Any:
    p = X.shape[1]
    wide = np.zeros((len(X), (n_tasks + 1) * p))
    for i, t in enumerate(task):
        wide[i, :p] = X[i]
        wide[i, (t + 1) * p : (t + 2) * p] = X[i]
    return wide


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=0.5, tol=1e-8, max_iter=10_000),
        RidgeClassifier(solver="sparse_cg", tol=1e-12),
        LinearSVC(fit_intercept=False, dual=False, tol=1e-8),
        SGDClassifier(random_state=0),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_the_classifier_of_augmented_rows(estimator: Any, n_classes: int) -> None:
    X, y, task = random_world(0, n_classes=n_classes)
    clf = FeatureAugmentation(estimator).fit(X, y, task=task)
    wide = written_out(X, task, 4)
    fitted = estimator.fit(sp.csr_array(wide), y)
    np.testing.assert_allclose(
        clf.decision_function(X, task=task), fitted.decision_function(wide), rtol=1e-4, atol=1e-4
    )
    np.testing.assert_array_equal(clf.predict(X, task=task), fitted.predict(wide))


def test_augmented_rows_hold_every_number_twice() -> None:
    X, _, task = random_world(1, n_tasks=30)
    wide = augmented(X, task, 30)
    assert wide.nnz == 2 * X.size
    np.testing.assert_array_equal(wide.toarray(), written_out(X, task, 30))
    sparse = augmented(sp.csr_array(np.where(X > 0, X, 0)), task, 30)
    assert sparse.nnz == 2 * (X > 0).sum()


def test_related_tasks_help_and_unseen_tasks_get_the_shared_part() -> None:
    means, counts = related_means([1, 0.9, 0.9], 50), [[300, 300], [8, 8], [40, 40]]
    train = gaussian_mixture(means, counts, random_state=0)
    test = train.sample(1000, random_state=0)
    few, rows = train.task == 1, test.task == 1
    learner = LogisticRegression(C=0.01)
    clf = FeatureAugmentation(learner, unseen="shared").fit(train.X, train.y, task=train.task)
    alone = learner.fit(train.X[few], train.y[few]).score(test.X[rows], test.y[rows])
    assert clf.score(test.X[rows], test.y[rows], task=1) > alone + 0.05
    assert clf.coef_.shape == (4, 1, 50)
    new = clf.decision_function(test.X, task="new")
    np.testing.assert_allclose(new, test.X @ clf.coef_[-1, 0] + clf.intercept_[-1, 0])
    assert clf.score(test.X[rows], test.y[rows], task="new") > 0.75


def test_labels_reach_the_classifier_so_that_class_weight_may_name_them() -> None:
    X, y, task = random_world(2, n_classes=2)
    names = np.array(["no", "yes"])[y]
    heavy = LogisticRegression(class_weight={"yes": 100.0}, max_iter=1000)
    plain, weighted = (
        FeatureAugmentation(learner).fit(X, names, task=task).predict(X, task=task)
        for learner in (LogisticRegression(max_iter=1000), heavy)
    )
    assert (weighted == "yes").mean() > (plain == "yes").mean() + 0.1
    mixed = FeatureAugmentation().fit(X, [("a", 1) if j else 7 for j in y], task=task)
    assert mixed.score(X, [("a", 1) if j else 7 for j in y], task=task) > 0.8


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (LinearDiscriminantAnalysis(), "does not take sparse rows"),
        (BernoulliNB(), "has no coef_"),
    ],
)
def test_other_classifiers_are_refused(estimator: Any, message: str) -> None:
    X, y, task = random_world(3)
    with pytest.raises(ValueError, match=message):
        FeatureAugmentation(estimator).fit(X, y, task=task)


def test_the_given_classifier_is_left_alone() -> None:
    X, y, task = random_world(4)
    learner = LogisticRegression(max_iter=1000)
    clf = FeatureAugmentation(learner).fit(X, y, task=task)
    assert not hasattr(learner, "coef_")
    assert clf.estimator_.coef_.shape == (3, 35)
