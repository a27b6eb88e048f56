"""What every reader of real data returns, made from one stored file or from one file a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, vstack

from kinspan.datasets._formats import LabelledRows, labelled_rows, read_npz, reading


@dataclass(frozen=True, eq=False)
class TaskDataset:
    """Labelled rows of several tasks."""

    name: str
    """What the rows are and which features they hold."""
    X: NDArray[Any] | csr_array[Any]
    """Features, (rows, features)."""
    y: NDArray[np.int64]
    """Class of each row, 0 to classes - 1, (rows,)."""
    task: NDArray[np.str_]
    """Name of the task of each row, (rows,)."""
    split: NDArray[np.str_] | None = None
    """'train' or 'test' for each row, (rows,); None where the source does not divide them."""
    classes: tuple[str, ...] = ()
    """Name of each class in the order of y; empty where the source does not name them."""


def stored_tasks(path: Path, name: str, X: Any) -> TaskDataset:
    """Add to the rows X of a stored file its `y`, `task` and `domains`."""
    y, task, domains = read_npz(path, "y", "task", "domains")
    with reading(path):
        rows = labelled_rows(X, y)
        if task.shape != rows.y.shape:
            raise ValueError(f"{len(rows.y)} rows do not go with tasks of shape {task.shape}")
        return TaskDataset(name=name, X=rows.X, y=recode(rows.y), task=domains[task])


def join_tasks(name: str, files: Sequence[tuple[str, LabelledRows]]) -> TaskDataset:
    """Stack the rows of files, each with the name of its task, in the order given."""
    _check_widths(files)
    return TaskDataset(
        name=name,
        X=_stack([rows.X for _, rows in files]),
        y=recode(np.concatenate([rows.y for _, rows in files])),
        task=np.repeat([task for task, _ in files], [len(rows.y) for _, rows in files]),
    )


def recode(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Number the labels 0, 1, … in their order: -1 and 1, or 1 to 10, become 0 and up."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def split_names(codes: NDArray[Any]) -> NDArray[np.str_]:
    """Write the codes 0 and 1 as 'train' and 'test'."""
    return np.asarray(np.array(["train", "test"])[codes])


def _stack(blocks: Sequence[Any]) -> Any:
    return csr_array(vstack(blocks)) if issparse(blocks[0]) else np.concatenate(blocks)


def _check_widths(files: Sequence[tuple[str, LabelledRows]]) -> None:
    widths = {task: rows.X.shape[1] for task, rows in files}
    if len(set(widths.values())) > 1:
        raise ValueError(
            f"the files of the tasks differ in their number of features: {widths}; "
            "take all of them from the same source"
        )
