"""The scikit-learn contract: every common check where one task makes sense, by hand elsewhere."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

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
from tests.worlds import random_world

TWO_DOMAINS = [CDLS(target=1, n_iterations=2), MMDT(target=1)]


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn ships no types
    [
        SingleTaskSPCA(),
        NaiveSPCA(scale="task"),
        PCAClassifier(),
        SPCAClassifier(),
        MultiTaskLSSVM(labels="naive", shared_strength=1.0, task_strengths=1.0),
        FeatureAugmentation(),
    ]
)
def test_common_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.long
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [NaiveSPCA("eigenvector"), MultiTaskLSSVM()]
)
def test_common_checks_of_other_parameters(estimator: Any, check: Any) -> None:
    check(estimator)


def name_of(estimator: Any) -> str:
    return type(estimator).__name__


@pytest.fixture(params=TWO_DOMAINS, ids=name_of)
def two_domains(request: Any) -> Any:
    return clone(request.param)


@pytest.fixture
def world() -> Any:
    return random_world(0, n=120, n_tasks=2)


def test_clone_and_parameters(two_domains: Any) -> None:
    copy = clone(two_domains.set_params(progress=True))
    assert copy.get_params() == two_domains.get_params()
    assert copy.progress is True
    assert not hasattr(copy, "coef_")


def test_fit_returns_itself_and_leaves_parameters_alone(two_domains: Any, world: Any) -> None:
    before = two_domains.get_params()
    assert two_domains.fit(world.X, world.y, task=world.task) is two_domains
    assert two_domains.get_params() == before


def test_not_fitted(two_domains: Any) -> None:
    with pytest.raises(NotFittedError):
        two_domains.predict(np.zeros((2, 3)), task=1)


def test_pickling_keeps_everything(two_domains: Any, world: Any) -> None:
    clf = two_domains.fit(world.X, world.y, task=world.task)
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(
        copy.decision_function(world.X, task=world.task),
        clf.decision_function(world.X, task=world.task),
    )


def test_fitting_twice_gives_the_same(two_domains: Any, world: Any) -> None:
    first = clone(two_domains).fit(world.X, world.y, task=world.task)
    second = two_domains.fit(world.X, world.y, task=world.task).fit(*world[:2], task=world.task)
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_features_are_remembered(two_domains: Any, world: Any) -> None:
    frame = pd.DataFrame(world.X, columns=[f"f{i}" for i in range(7)])
    clf = two_domains.fit(frame, world.y, task=world.task)
    assert clf.feature_names_in_.tolist() == list(frame.columns)
    assert clf.n_features_in_ == 7
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame[frame.columns[::-1]], task=1)
    with pytest.raises(ValueError, match="features"):
        two_domains.fit(world.X, world.y, task=world.task).predict(world.X[:, :3], task=1)


def test_nan_is_found(two_domains: Any, world: Any) -> None:
    broken = world.X.copy()
    broken[3, 2] = np.nan
    with pytest.raises(ValueError, match="X contains NaN in column 2"):
        two_domains.fit(broken, world.y, task=world.task)
    clf = two_domains.fit(world.X, world.y, task=world.task)
    with pytest.raises(ValueError, match="X contains NaN in column 2"):
        clf.predict(broken, task=world.task)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (CDLS(target=1, landmark_share=0.0), "landmark_share=0.0"),
        (CDLS(target=1, n_components=0), "n_components=0"),
        (CDLS(target=1, n_iterations=-2), "n_iterations=-2"),
        (CDLS(target=1, C=-1.0), "C=-1.0"),
        (MMDT(target=1, source_C=0.0), "source_C=0.0"),
        (MMDT(target=1, target_C=np.inf), "target_C=inf"),
        (MMDT(target=1, n_iterations=0), "n_iterations=0"),
        (NaiveSPCA("mean"), "variant='mean'"),
        (SingleTaskSPCA(scale="rows"), "scale='rows'"),
        (PCAClassifier(n_components=99), "n_components=99"),
        (SPCAClassifier(n_components=4), "n_components=4"),
        (MultiTaskLSSVM(labels="optimal"), "labels='optimal'"),
        (MultiTaskLSSVM(shared_strength=-1), "shared_strength=-1"),
        (MultiTaskLSSVM(task_strengths=[1.0, 2.0, 3.0]), "task_strengths="),
        (MultiTaskLSSVM(task_strengths=-0.5), "task_strengths=-0.5"),
        (MultiTaskLSSVM(shared_strength=0, task_strengths=0), "without any strength"),
        (FeatureAugmentation(unseen="guess"), "unseen='guess'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_parameter_is_named(estimator: Any, message: str, world: Any) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(world.X, world.y, task=world.task)
