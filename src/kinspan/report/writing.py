"""A fitted model → its report, as a file."""

from __future__ import annotations

import os
from typing import Any

from kinspan._storage.atomic_files import write_atomically
from kinspan._validation.fitted import check_fitted_model
from kinspan._validation.messages import naming
from kinspan._validation.parameters import check_choice, check_path
from kinspan.answers.score_forecasts import score_forecasts
from kinspan.report.contents import contents
from kinspan.report.page import page
from kinspan.spca import MultiTaskSPCA

_FEW_TASKS, _LITTLE_WORK = 50, 3e6  # leaving out so many takes about ten seconds
_WAY_OUT = "kinspan.load reads one from a file; of a pipeline, pass its last step"


def write_report(
    model: MultiTaskSPCA,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    leave_out: bool | None = None,
    scores: Any = (),
) -> None:
    """Write the forecasts of a fitted model as one HTML page, for the person who must decide.

    The page shows the tasks by need, forecasts against going alone, who helps whom, what more
    labels would bring, how related the tasks are, and what is doubtful about the data. It is one
    file that needs no network, is the same for the same model, and is written completely or not at
    all.

    Parameters
    ----------
    model : fitted MultiTaskSPCA
    path : str or path
        Where to write the page; an existing file is replaced.
    title : str, optional
        The heading, by default the number of tasks.
    leave_out : bool, optional
        Whether to leave out every task in turn, which says by how many points it helps
        the others and takes one fit per task. Otherwise the page shows the shares of the other
        tasks in the rule of each task. By default tasks are left out where that takes a few
        seconds: up to 50 tasks, and up to three million for tasks² × classes × features.
    scores : list of names, or of {name: level}
        Scores to forecast for every task, besides the error, as in `MultiTaskSPCA.forecast`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.report import write_report
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(clf, f"{folder}/report.html", leave_out=False)
    ...     shown = Path(f"{folder}/report.html").read_text(encoding="utf-8")
    >>> "3 vs 8" in shown
    True
    """
    check_fitted_model(model, MultiTaskSPCA, _WAY_OUT)
    if title is not None and (not isinstance(title, str) or not title.strip()):
        raise ValueError(f"title={title!r}; use a text, or None")
    check_path(path)
    check_choice("leave_out", leave_out, (None, True, False))
    drawing = _drawing_library()
    n_tasks, work = len(model.tasks_), len(model.tasks_) * model.moments_.means.size
    is_quick = n_tasks <= _FEW_TASKS and work <= _LITTLE_WORK
    several = [scores] if isinstance(scores, (str, dict)) else scores
    with naming("scores"):
        forecasts = [score_forecasts(model, score, argument="scores") for score in several]
    is_left_out = is_quick if leave_out is None else bool(leave_out)
    shown = contents(model, title, is_left_out, forecasts)
    write_atomically(path, page(shown, drawing))


def _drawing_library() -> str:
    """The script of plotly.js, from the package that ships it."""
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415  # optional
    except ImportError as error:
        raise ImportError(
            "the report needs plotly, which is not installed: pip install 'kinspan[report]'"
        ) from error
    return str(get_plotlyjs())
