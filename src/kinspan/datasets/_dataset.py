"""One stored file, or one file per task → a dataset of several tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, vstack

from kinspan.datasets._formats import FileRows, file_rows, read_npz, reading


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
    """'train' or 'test' for each row, (rows,); None if the source does not split them."""
    classes: tuple[str, ...] = ()
    """Name of each class in the order of y; empty if the source does not name them."""


def stored_tasks(path: Path, name: str, X: Any) -> TaskDataset:
    """Make a dataset of rows X and the arrays `y`, `task` and `domains` of their stored file."""
    y, task, domains = read_npz(path, "y", "task", "domains")
    with reading(path):
        rows = file_rows(X, y)
        if task.shape != rows.y.shape:
            raise ValueError(f"{len(rows.y)} rows do not go with tasks of shape {task.shape}")
        return TaskDataset(name=name, X=rows.X, y=recode(rows.y), task=domains[task])


def read_efficientnet(path: Path, name: str) -> TaskDataset:
    """Decode pooled EfficientNet-Lite2 features of images, X = (root / 255)² · feature_max.

    The eight bits are within 0.4 % of the extracted features. These are not the ResNet-50 or VGG
    features of the paper, and the name of the dataset says so.
    """
    root, feature_max, classes = read_npz(path, "X_root255", "feature_max", "classes")
    with reading(path):
        X = np.square(root.astype(np.float32) / np.float32(255))
        X *= feature_max
    dataset = stored_tasks(path, f"{name}, EfficientNet-Lite2", X)
    return replace(dataset, classes=tuple(map(str, classes)))


def join_tasks(name: str, files: Sequence[tuple[str, FileRows]]) -> TaskDataset:
    """Stack the rows of files, each with the name of its task, in the given order."""
    widths = {task: rows.X.shape[1] for task, rows in files}
    if len(set(widths.values())) > 1:
        raise ValueError(
            f"the files of the tasks differ in their number of features: {widths}; "
            "take all of them from the same source"
        )
    X = [rows.X for _, rows in files]
    return TaskDataset(
        name=name,
        X=csr_array(vstack(X)) if issparse(X[0]) else np.concatenate(X),
        y=recode(np.concatenate([rows.y for _, rows in files])),
        task=np.repeat([task for task, _ in files], [len(rows.y) for _, rows in files]),
    )


def recode(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Number the labels 0, 1, … in their order: -1 and 1, or 1 to 10, become 0 and up."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def split_names(codes: NDArray[Any]) -> NDArray[np.str_]:
    """Translate the codes 0 and 1 into 'train' and 'test'."""
    return np.asarray(np.array(["train", "test"])[codes])
