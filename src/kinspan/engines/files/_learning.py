"""Files → statistics, and the model fitted on them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any

from kinspan._memory.features import union_of
from kinspan._progress.bars import is_shown
from kinspan._validation.messages import some
from kinspan._validation.parameters import check_choice, check_n_jobs
from kinspan.engines.files._adding import added, first_layout
from kinspan.engines.files._checkpoint import Checkpoint, asked_for
from kinspan.engines.files._progress import rows_bar
from kinspan.engines.files._report import FilesRead, check_model, described
from kinspan.engines.files._sums import Job, Sampling, sampling_of
from kinspan.exceptions import LeftOutColumnsWarning, SkippedFilesWarning
from kinspan.tables.dialect import check_dialect
from kinspan.tables.paths import find
from kinspan.tables.reading import n_rows_of
from kinspan.tables.request import Request, check_request


def statistics(
    paths: Any,
    *,
    label: Any,
    task: Any = None,
    features: Sequence[str] | str | None = None,
    sample_weight: Any = None,
    row_sample: int = 100,
    random_state: int | None = None,
    missing: str = "impute",
    unlabelled: Any = None,
    as_text: Sequence[str] | str = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    batch_rows: int | None = None,
    n_jobs: int | None = 1,
    on_error: str = "raise",
    progress: bool | str = "auto",
    checkpoint: Any = None,
) -> FilesRead:
    """Read files of any size in constant memory: everything that a fit needs, and a report.

    Parameters
    ----------
    paths : path, pattern, folder, or a list of these
        Parquet, Arrow and Feather, CSV and TSV (also compressed: `.csv.gz`), `.npy`, and `.npz`
        with a CSR matrix. All such files of a folder and its subfolders are read, sorted by name;
        names that begin with a dot or an underscore are ignored.
    label, task : name of a column
        The class and the task of every row. In `.npy` and `.npz` files, which have no columns: the
        name of a `.npy` file next to the matrix (`{stem}` in it is the name of the matrix), or the
        values, for a single file. For any file: a function from its path to one of these, or
        to one id for all its rows. `task=None` is one task.
    features : list of columns, one column of vectors, or None
        None takes all numeric columns that have no other role here. Their order is that of the
        first file. A file may lack some of them, or have more, unless missing values are refused:
        features meet by name, and are missing in the rows of files without them.
    sample_weight : name of a column, optional
        Frequencies: weight 2 is the row twice, weight 0 its absence.
    row_sample : int, default=100
        Rows kept of every class of every task; 0 keeps none.
    random_state : int, optional
        The key of the hash that chooses them, as for `MultiTaskSPCA`.
    missing : {"impute", "refuse"}, default="impute"
        Whether missing numbers of features are filled in by the fit, or an error.
    unlabelled : label, optional
        What stands for no label, besides missing ones (empty cells), as for `MultiTaskSPCA`.
    as_text : columns
        Tasks or labels to read as text although they look like numbers (`"007"`).
    delimiter : str, optional
        Of text files: by default a tab in `.tsv` files and a comma in others.
    encoding, decimal : str, optional
        Of text files, such as `"windows-1252"` and `","`: by default UTF-8 and a point.
    batch_rows : int, optional
        Rows read at once; by default about 16 MB of numbers.
    n_jobs : int, default=1
        Processes, as in joblib. The result is the same, to the last bit, for any number.
    on_error : {"raise", "skip"}, default="raise"
        What to do with a file that cannot be read, or has columns of another type than the first:
        raise a `FileError`, or leave it out entirely, report it and issue a
        `SkippedFilesWarning`.
    progress : {"auto", True, False}, default="auto"
        A bar with rows per second, by default in terminals where tqdm is installed.
    checkpoint : path, optional
        A file that keeps the statistics of finished files, written every ten seconds at most. If
        the process is interrupted or killed, the same call continues from there, with the same
        result to the last bit; other arguments or files are refused. The file contains sampled
        rows, as a model does, and is removed at the end.

    Returns
    -------
    FilesRead

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.engines import files
    >>> folder = tempfile.TemporaryDirectory()
    >>> rows = "age,clinic,ill\\n30,north,no\\n50,north,yes\\n41,south,no\\n60,south,yes\\n"
    >>> _ = pathlib.Path(folder.name, "first.csv").write_text(rows)
    >>> read = files.statistics(folder.name, task="clinic", label="ill")
    >>> read.feature_names, read.n_rows
    (('age',), 4)
    >>> clf = read.fit(MultiTaskSPCA())
    >>> folder.cleanup()
    """
    dialect = check_dialect(delimiter, encoding, decimal)
    places = task, label, sample_weight, features
    request = check_request(*places, as_text, dialect, batch_rows, unlabelled)
    sampling = sampling_of(row_sample, random_state, missing)
    return _read(paths, request, sampling, n_jobs, on_error, progress, checkpoint)


def fit(
    model: Any,
    paths: Any,
    *,
    label: Any,
    task: Any = None,
    features: Sequence[str] | str | None = None,
    sample_weight: Any = None,
    as_text: Sequence[str] | str = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    batch_rows: int | None = None,
    n_jobs: int | None = 1,
    on_error: str = "raise",
    progress: bool | str = "auto",
    checkpoint: Any = None,
) -> Any:
    """Fit a model on files of any size in constant memory, as `model.fit` on all their rows.

    It returns the model, as `fit` does everywhere in scikit-learn; for the report of what was read,
    `read = files.statistics(…)`, `print(read)` and `read.fit(model)` are the same in two steps.

    Parameters
    ----------
    model : MultiTaskSPCA
        Fitted in place. It then knows the names of the features: `predict` takes frames with these
        columns, and refuses others. Its `task_column`, if any, is the task of the files.
    paths, label, features, sample_weight, as_text, delimiter, encoding, decimal
        As in `statistics`.
    batch_rows, n_jobs, on_error, progress, checkpoint
        As in `statistics`.
    task
        As in `statistics`; by default the `task_column` of the model.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.engines import files
    >>> digits = load_digit_pairs(n_per_class=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("X", "y", "task"):
    ...         np.save(pathlib.Path(folder, f"{name}.npy"), getattr(digits, name))
    ...     clf = files.fit(MultiTaskSPCA(), folder, label="y.npy", task="task.npy")
    >>> clf.score(digits.X_test, digits.y_test, task=digits.task_test) > 0.9
    True
    """
    task = getattr(model, "task_column", None) if task is None else task
    check_model(model, (task,) if isinstance(task, str) else None, ())
    dialect = check_dialect(delimiter, encoding, decimal)
    places = task, label, sample_weight, features
    request = check_request(*places, as_text, dialect, batch_rows, model.unlabelled)
    sampling = sampling_of(model.row_sample, model.random_state, model.missing)
    read = _read(paths, request, sampling, n_jobs, on_error, progress, checkpoint)
    if read.left_out:
        named = some([f"{name} ({kind})" for name, kind in read.left_out.items()])
        text = f"columns are not numeric and were left out: {named}; name features= to choose"
        warnings.warn(text, LeftOutColumnsWarning, stacklevel=2)
    return read.fit(model)


def _read(
    paths: Any,
    request: Request,
    sampling: Sampling,
    n_jobs: int | None,
    on_error: str,
    progress: bool | str,
    checkpoint: Any,
) -> FilesRead:
    """The statistics of all files, with a report."""
    if request.label is None:
        raise ValueError(
            "label=None; name the column that holds the class of every row, or, for a .npy or "
            ".npz matrix, pass the name of a .npy file or the values"
        )
    check_choice("on_error", on_error, ("raise", "skip"))
    check_n_jobs(n_jobs)
    shown, found, begin = is_shown(progress), find(paths, request), time.perf_counter()
    how = {"row_sample": sampling.size, "random_state": sampling.key.name}
    how |= {} if sampling.allows_holes else {"missing": "refuse"}
    how |= {} if request.unlabelled is None else {"unlabelled": repr(request.unlabelled)}
    asked = {} if checkpoint is None else asked_for(request, found, **how)
    kept = Checkpoint(checkpoint, found, asked)
    layout = first_layout(found, request, on_error)
    with rows_bar(shown, n_rows_of(found) if shown else None) as advance:
        all_rows, files, skipped = added(
            found, Job(request, layout, sampling), n_jobs, on_error, advance, kept
        )
    kept.remove()
    if skipped:
        message = f"{len(skipped)} of {len(found)} files skipped: {described(skipped)}"
        warnings.warn(message, SkippedFilesWarning, stacklevel=3)
    return FilesRead(
        all_rows,
        all_rows.feature_names,
        union_of(layout.columns, all_rows.feature_names),
        sum(file.n_rows for file in files),
        tuple(files),
        tuple(skipped),
        layout.left_out,
        time.perf_counter() - begin,
    )
