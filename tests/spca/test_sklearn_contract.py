"""The scikit-learn contract: every common check, but for those that forgetting contradicts."""

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kinspan import MultiTaskSPCA


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn ships no types
    [MultiTaskSPCA()]
)
@pytest.mark.filterwarnings("ignore::kinspan.exceptions.CopiesWarning")
def test_common_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::kinspan.exceptions.CopiesWarning")
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        MultiTaskSPCA(labels="plugin"),
        MultiTaskSPCA(labels="naive", scale="task"),
        MultiTaskSPCA(labels="single", scale=None),
        MultiTaskSPCA(multi_class="one-vs-all", priors="empirical"),
        MultiTaskSPCA(unseen="shared", unseen_classes="share"),
        MultiTaskSPCA(label_noise="auto"),
    ]
)
def test_common_checks_of_other_parameters(estimator: Any, check: Any) -> None:
    check(estimator)


def against_forgetting(_: Any) -> dict[str, str]:
    """What is forgotten depends on the order of rows, which these checks shuffle."""
    check = "check_sample_weight_equivalence_on_{}_data"
    return {check.format(kind): "the order of rows matters" for kind in ("dense", "sparse")}


@pytest.mark.long
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [MultiTaskSPCA(forget=0.01)], expected_failed_checks=against_forgetting
)
def test_common_checks_with_forgetting(estimator: Any, check: Any) -> None:
    check(estimator)
