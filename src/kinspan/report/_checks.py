"""The only file of this folder that doubts its input."""

from __future__ import annotations

from typing import Any

from kinspan._validation import check_fitted_model
from kinspan.spca import MultiTaskSPCA


def check_library() -> str:
    """The script of plotly.js, from the package that carries it."""
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415  # optional
    except ImportError as error:
        raise ImportError(
            "the report needs plotly, which is not installed: pip install 'kinspan[report]'"
        ) from error
    return str(get_plotlyjs())


def check_model(model: Any) -> None:
    """A fitted model."""
    way_out = "kinspan.load reads one from a file; of a pipeline, its last step"
    check_fitted_model(model, MultiTaskSPCA, way_out)


def check_title(title: Any) -> None:
    """Text, or nothing."""
    if title is not None and (not isinstance(title, str) or not title.strip()):
        raise ValueError(f"title={title!r}; use a text, or None")
