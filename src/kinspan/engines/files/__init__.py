"""Learning from files that are larger than memory: Parquet, Arrow, CSV, `.npy` and sparse `.npz`.

Statistics add, so files are read a batch at a time, by any number of processes, and memory does not
grow with the number of rows::

    from kinspan import MultiTaskSPCA
    from kinspan.engines import files

    clf = files.fit(MultiTaskSPCA(), "rows/*.parquet", task="tenant", label="churned", n_jobs=4)
    for answers in files.predict(clf, "new/", task="tenant", method="predict_proba"):
        ...  # in the order of the rows

With `checkpoint="begun"` that file keeps the statistics of finished files: if the process is
killed, the same call continues from there, with the same result to the last bit.

`files.statistics` does the same in two steps, with a report of what was read and skipped between
them; `files.from_batches` takes rows from any other source; `files.batches` gives rows to any other
program.

Tables (Parquet, Arrow, CSV) have columns, which are named: `task="tenant"`. Matrices (`.npy`,
`.npz`) have none: tasks and labels are values, or `.npy` files next to them: `task="tenant.npy"`.

Memory holds the statistics (their size is that of `row_sample` rows of every class of every task),
a batch of about 16 MB several times, and the buffers of pyarrow: for Parquet up to 2 MB per column,
for compressed Arrow files a record batch. None of it grows with the number of rows.

Parquet, Arrow and CSV need pyarrow: `pip install 'kinspan[files]'`.
"""

from kinspan.engines.files._batches import Answers, Batch, batches, predict
from kinspan.engines.files._from_batches import from_batches
from kinspan.engines.files._learning import fit, statistics
from kinspan.engines.files._report import FilesRead, ReadFile, SkippedFile
from kinspan.exceptions import FileError, LeftOutColumnsWarning, SkippedFilesWarning

__all__ = [
    "Answers",
    "Batch",
    "FileError",
    "FilesRead",
    "LeftOutColumnsWarning",
    "ReadFile",
    "SkippedFile",
    "SkippedFilesWarning",
    "batches",
    "fit",
    "from_batches",
    "predict",
    "statistics",
]
