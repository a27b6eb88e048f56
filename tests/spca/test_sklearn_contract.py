"""The scikit-learn contract: every common check, with no expected failure."""

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kinspan import MultiTaskSPCA


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn ships no types
    [MultiTaskSPCA()]
)
def test_common_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.long
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        MultiTaskSPCA(labels="plugin"),
        MultiTaskSPCA(labels="naive", scale="task"),
        MultiTaskSPCA(labels="single", scale=None),
        MultiTaskSPCA(multi_class="one-vs-all", priors="empirical"),
        MultiTaskSPCA(unseen="shared", unseen_classes="share"),
    ]
)
def test_common_checks_of_other_parameters(estimator: Any, check: Any) -> None:
    check(estimator)
