"""Parts that all pictures share: axes, colours, percentages."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from kinspan._validation.messages import naming
from kinspan.spca import MultiTaskSPCA

OURS, ALONE, OTHER, WARM = "#00736b", "#8a8a8a", "#d95f02", "#b2182b"


def check_estimator(estimator: Any) -> None:
    """A fitted model."""
    with naming("estimator"):
        check_is_fitted(estimator)
    if not isinstance(estimator, MultiTaskSPCA):
        raise TypeError(f"estimator={estimator!r}; pass a fitted MultiTaskSPCA")


def axes_for(ax: Any, width: float = 6.4, height: float = 4.8) -> Any:
    """The given axes, or those of a new figure."""
    if ax is not None:
        if not hasattr(ax, "transAxes"):
            raise TypeError(f"ax is of type {type(ax).__name__}; pass axes of matplotlib, or None")
        return ax
    try:
        from matplotlib import pyplot  # noqa: PLC0415  # optional, and slow to import
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib, which is not installed: pip install 'kinspan[plot]'"
        ) from error
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def as_percent(axis: Any) -> None:
    """Show the ticks of an axis in per cent."""
    axis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")


def without_frame(ax: Any) -> None:
    """Hide the top and right lines of the frame."""
    ax.spines[["top", "right"]].set_visible(False)


def shortened(name: Any, longest: int = 28) -> str:
    """A name as a label of limited length."""
    text = str(name)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
