"""The report of a fitted model, as a file."""

from __future__ import annotations

import os

from kinspan._storage.atomic_files import write_atomically
from kinspan._validation import check_choice, check_path
from kinspan.report import _checks
from kinspan.report.contents import contents
from kinspan.report.page import page
from kinspan.spca import MultiTaskSPCA

_FEW_TASKS, _LITTLE_WORK = 50, 3e6  # so many are left out in some ten seconds


def write_report(
    model: MultiTaskSPCA,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    leave_out: bool | None = None,
) -> None:
    """Write what a fitted model foretells as one HTML page, for a person who must decide.

    Tasks by need, forecasts against going alone, who helps whom, what more labels would buy, how
    related the tasks are, and what is doubtful about the data. The page is one file, asks no
    network, and is the same for the same model. It is written whole or not at all.

    Parameters
    ----------
    model : fitted MultiTaskSPCA
    path : str or path
        Where to write the page; a file that is there is replaced.
    title : str, optional
        The heading, by default the number of tasks.
    leave_out : bool, optional
        Whether every task is left out in turn to say by how many points it helps the others,
        exactly; that takes a fit for each. Otherwise the page shows the shares of the others in
        the rule of a task. By default it is done where it takes some seconds: up to 50 tasks, and
        three million for tasks² × classes × features.

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
    _checks.check_model(model)
    _checks.check_title(title)
    check_path(path)
    check_choice("leave_out", leave_out, (None, True, False))
    drawing = _checks.check_library()
    n_tasks, work = len(model.tasks_), len(model.tasks_) * model.moments_.means.size
    is_quick = n_tasks <= _FEW_TASKS and work <= _LITTLE_WORK
    shown = contents(model, title, is_quick if leave_out is None else bool(leave_out))
    write_atomically(path, page(shown, drawing))
