"""Projections on the directions of each task."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from tests.worlds import fitted


def test_transform_projects_on_the_direction_of_the_task() -> None:
    clf, (X, _, task) = fitted(12)
    projected = clf.transform(X, task=task)[:, 0]
    for t in range(4):
        decision = clf.decision_function(X[task == t], task=t)
        slope, _ = np.polyfit(projected[task == t], decision, 1)
        assert slope > 0
        np.testing.assert_allclose(np.corrcoef(projected[task == t], decision)[0, 1], 1.0)


def test_transform_of_many_classes_spans_the_rules() -> None:
    clf, (X, y, task) = fitted(13, n_classes=4, n_components=2, scale=None)
    assert clf.transform(X, task=task).shape == (300, 2)
    assert clf.get_feature_names_out().tolist() == ["multitaskspca0", "multitaskspca1"]
    whole = clone(clf).set_params(n_components=None).fit(X, y, task=task)
    np.testing.assert_allclose(
        whole.transform(X, task=task)[:, :2], clf.transform(X, task=task), atol=1e-9
    )
    # Unit-length orthogonal directions in scaled units: noise keeps its variance.
    basis = whole.transform(np.eye(7), task=0)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-9)


def test_fit_transform_equals_fit_then_transform() -> None:
    clf, (X, y, task) = fitted(14)
    np.testing.assert_array_equal(
        clf.fit_transform(X, y, task=task), clf.fit(X, y, task=task).transform(X, task=task)
    )


def test_set_output_gives_named_columns() -> None:
    clf, (X, _, task) = fitted(15)
    frame = clf.set_output(transform="pandas").transform(X, task=task)
    assert list(frame.columns) == ["multitaskspca0"]
