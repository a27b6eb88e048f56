"""Rows with tasks and labels → cross-validation folds, stratified by task *and* class."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from kinspan._rows.types import Mask
from kinspan._validation.messages import naming
from kinspan._validation.without_labels import set_apart
from kinspan.model_selection._even_folds import even_folds
from kinspan.model_selection._row_ids import RowIds, row_ids, same_length, task_ids

Indices = NDArray[np.intp]


class TaskStratifiedKFold(BaseCrossValidator):
    """K folds, stratified by task and class.

    Between any two folds the number of rows of a cell (one class of one task) differs by at most
    one; so do the number of rows of a task, of a class, and the sizes of the folds. Cells with
    fewer rows than there are folds are spread in the same way and are not an error. Rows without
    labels (None, NaN or NA in y) are in every training set and in no test set.

    Task ids are passed in one of three ways: as ``groups``, the only way scikit-learn offers
    without metadata routing; as ``task``, which is requested when metadata routing is on; or as
    the column ``task_column`` of X. Task ids and labels are any hashable values.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2 and at most the number of rows.
    shuffle : bool, default=False
        Whether the rows of a cell are assigned to folds at random. Otherwise they are assigned in
        blocks, in their order.
    random_state : int, RandomState or None, default=None
        Seed of the shuffle.
    task_column : str, int or None, default=None
        Name or index of the column of X that holds the task.
    unlabelled : label, optional
        What stands for no label in y, besides missing values, as in `MultiTaskSPCA`.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.model_selection import TaskStratifiedKFold
    >>> task = np.repeat(["a", "b"], 4)
    >>> y = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    >>> for _, test in TaskStratifiedKFold(n_splits=2).split(y, y, groups=task):
    ...     print(test, task[test], y[test])
    [0 2 4 6] ['a' 'a' 'b' 'b'] [0 1 0 1]
    [1 3 5 7] ['a' 'a' 'b' 'b'] [0 1 0 1]
    """

    __metadata_request__split: ClassVar[dict[str, bool]] = {"groups": True, "task": True}

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = False,
        random_state: int | np.random.RandomState | None = None,
        task_column: str | int | None = None,
        unlabelled: Hashable | None = None,
    ) -> None:
        if not isinstance(n_splits, (int, np.integer)) or n_splits < 2:
            raise ValueError(f"n_splits={n_splits!r}: pass a whole number of folds, at least 2")
        if not isinstance(shuffle, (bool, np.bool_)):
            raise ValueError(f"shuffle={shuffle!r}: pass True or False")
        if random_state is not None and not shuffle:
            raise ValueError(
                f"random_state={random_state!r} has no effect with shuffle=False; set shuffle=True"
            )
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.task_column = task_column
        self.unlabelled = unlabelled

    def get_n_splits(
        self, X: Any = None, y: Any = None, groups: Any = None, *, task: Any = None
    ) -> int:
        """Return the number of folds; the arguments exist for compatibility."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None, *, task: Any = None
    ) -> Iterator[tuple[Indices, Indices]]:
        """Yield the row indices of the training and the test set of every fold.

        Parameters
        ----------
        X : array-like with one row per sample
            Only its column ``task_column`` is used.
        y : array-like of shape (n_samples,)
            Class labels; rows without one are only taught from.
        groups, task : array-like of shape (n_samples,)
            Task ids, as one of the two.

        Yields
        ------
        train, test : arrays of row indices
        """
        task, label, rows = self._cells(X, y, groups, task)
        fold = np.full(len(rows), -1)
        fold[rows] = self._folds(task, label)
        for test_fold in range(self.n_splits):
            yield np.flatnonzero(fold != test_fold), np.flatnonzero(fold == test_fold)

    def _cells(self, X: Any, y: Any, groups: Any, task: Any) -> tuple[RowIds, RowIds, Mask]:
        """Tasks and labels of the rows that have labels, and which rows these are."""
        if y is None:
            raise ValueError("y=None: stratified folds need the class label of every row")
        n_rows = same_length(X=X, y=y)
        labels, lacking = set_apart(y, n_rows, self.unlabelled)
        rows = np.ones(n_rows, dtype=bool) if lacking is None else ~lacking
        n_labelled = int(rows.sum())
        label = row_ids(labels, "y", n_labelled)
        if groups is not None and task is not None:
            raise ValueError("the task is given twice, as task and as groups; keep one of them")
        ids = task_ids(X, groups if task is None else task, self.task_column, n_rows)
        if ids is None:
            raise ValueError(
                "the task of the rows is unknown; pass it as groups (or as task with metadata "
                "routing), or name its column: TaskStratifiedKFold(task_column=...)"
            )
        if self.n_splits > n_labelled:
            which = "rows" if lacking is None else "rows with labels in y"
            raise ValueError(
                f"n_splits={self.n_splits} is more than the {n_labelled} {which}; lower it"
            )
        return ids._replace(codes=ids.codes[rows]), label, rows

    def _folds(self, task: RowIds, label: RowIds) -> Indices:
        """Fold of every row."""
        rows = np.arange(len(task.codes))
        task_code, label_code = task.codes, label.codes
        if self.shuffle:
            with naming("random_state"):
                random = check_random_state(self.random_state)
            rows = random.permutation(rows)
            # Also the codes: otherwise the only row of a cell would always be in the same fold.
            task_code = random.permutation(len(task.distinct))[task_code]
            label_code = random.permutation(len(label.distinct))[label_code]
        key = task_code * len(label.distinct) + label_code
        cells, counts = np.unique(key, return_counts=True)
        table = even_folds(counts, *np.divmod(cells, len(label.distinct)), self.n_splits)
        fold = np.empty(len(rows), dtype=np.intp)
        in_cell_order = rows[np.argsort(key[rows], kind="stable")]
        fold_of_block = np.tile(np.arange(self.n_splits), len(cells))
        fold[in_cell_order] = np.repeat(fold_of_block, table.ravel())
        return fold
