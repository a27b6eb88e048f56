"""Parts that all pictures share: axes, colours, percentages."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from kinspan._validation.messages import naming
from kinspan.spca import MultiTaskSPCA

# What a colour means, in every picture; the report page has the same.
OURS = "#00736b"  # kinspan with all tasks: forecasts, help, what is shared
ALONE = "#8a8a8a"  # every task alone
POOLED = "#2b6cb0"  # all tasks as if they were one
ACTUAL = "#1d2326"  # what happened: errors on test rows
HARM = "#b3470f"  # tasks that harm, or are opposite
PLAIN = "#bdbdbd"  # no meaning
KINDS = ("#5e3c99", "#b8860b", "#c2548b", "#2b8cbe", "#4d4d4d")  # classes, or tasks, apart


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


def legend_beside(ax: Any, **options: Any) -> None:
    """A legend on the right of the axes, where it covers nothing."""
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), **options)


def legend_above(ax: Any) -> None:
    """A legend in one line above the axes, where it covers nothing."""
    ax.legend(
        frameon=False,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=4,
        columnspacing=1.2,
        handletextpad=0.4,
    )


def without_frame(ax: Any) -> None:
    """Hide the top and right lines of the frame."""
    ax.spines[["top", "right"]].set_visible(False)


def shortened(name: Any, longest: int = 28) -> str:
    """A name as a label of limited length."""
    text = str(name)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
