"""What estimators have learnt before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.utils.validation import check_is_fitted

from kinspan._validation.messages import some


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Put the attributes of an estimator back if an error interrupts its fit."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def check_fitted(estimator: Any) -> None:
    """Refuse to speak of what was never learnt."""
    check_is_fitted(estimator)


def check_mergeable(model: Any, other: Any) -> None:
    """Another fitted model of the same features."""
    if not isinstance(other, type(model)):
        raise TypeError(
            f"other is a {type(other).__name__}; "
            f"merge a fitted {type(model).__name__} or Statistics"
        )
    check_is_fitted(other)
    names = [getattr(part, "feature_names_in_", None) for part in (model, other)]
    if names[0] is None or names[1] is None:
        return
    strange = [name for name in names[1].tolist() if name not in names[0].tolist()]
    if strange:
        raise ValueError(f"the other model has features that this one has not: {some(strange)}")
    if names[0].tolist() != names[1].tolist():
        raise ValueError("the other model has the same features, but in another order or number")
