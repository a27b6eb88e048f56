"""Batches of rows from any source → statistics."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kinspan._memory.piles import Pile, total
from kinspan._progress.bars import is_shown
from kinspan._validation.labelled_rows import check_labelled_rows, check_some_labels
from kinspan._validation.weights import check_frequencies
from kinspan._validation.without_labels import set_apart
from kinspan.engines.files._progress import rows_bar
from kinspan.engines.files._report import FilesRead
from kinspan.engines.files._sums import sampling_of, with_rows
from kinspan.tables.ids import CodedIds, as_kind, kind_of
from kinspan.tables.layout import FileLayout
from kinspan.tables.rows import FileRows


def from_batches(
    batches: Iterable[Sequence[Any]],
    *,
    row_sample: int = 100,
    random_state: int | None = None,
    missing: str = "impute",
    unlabelled: Any = None,
    progress: bool | str = "auto",
) -> FilesRead:
    """Statistics of rows that come in batches from any source, such as the cursor of a database.

    Parameters
    ----------
    batches : iterable of (X, y), (X, y, task) or (X, y, task, sample_weight)
        The arguments of `model.fit`. A batch is not kept after it was counted, and may be empty.
        Features of data frames meet by name; a batch may lack some, and have more.
    row_sample, random_state, missing, unlabelled, progress
        As in `statistics`.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.engines import files
    >>> def rows():
    ...     rng = np.random.default_rng(0)
    ...     for _ in range(20):  # or more than fit into memory
    ...         y, shop = rng.integers(0, 2, 1000), rng.integers(0, 5, 1000)
    ...         yield rng.normal(size=(1000, 3)) + y[:, None], y, shop
    >>> files.from_batches(rows()).fit(MultiTaskSPCA()).tasks_
    array([0, 1, 2, 3, 4])
    """
    sampling = sampling_of(row_sample, random_state, missing)
    begin = time.perf_counter()
    pile: Pile = ()
    n_rows, layout, is_weighted = 0, None, False
    with rows_bar(is_shown(progress), None) as advance:
        for number, batch in _numbered(batches):
            X, y, task, weights = _four(batch, number)
            try:
                if np.shape(y) == (0,):
                    continue
                found = _labelled(X, y, task, unlabelled)
                rows, layout = _as_first(found, weights, layout, f"batch {number}")
                if not sampling.allows_holes:
                    _refuse_other_columns(layout, pile)
                pile = with_rows(pile, rows, sampling, layout.names)
            except ValueError as error:
                raise ValueError(f"batch {number} (counted from 0): {error}") from error
            n_rows, is_weighted = n_rows + rows.X.shape[0], is_weighted or weights is not None
            advance(rows.X.shape[0])
    if layout is None or not pile:
        raise ValueError("batches has no rows, or none of positive weight")
    whole = total(pile)
    names = whole.feature_names
    if is_weighted:
        check_frequencies(whole.moments, whole.sample)
    return FilesRead(whole, names, names, n_rows, (), (), {}, time.perf_counter() - begin)


def _numbered(batches: Any) -> Iterator[tuple[int, Any]]:
    try:
        if not isinstance(batches, (Mapping, str, bytes)):
            return enumerate(batches)
    except TypeError:
        pass
    raise TypeError(
        f"batches is of type {type(batches).__name__}; pass an iterable of (X, y) or (X, y, task)"
    )


def _four(batch: Any, number: int) -> tuple[Any, Any, Any, Any]:
    """X, y, task and weights, None where a batch has fewer."""
    if not isinstance(batch, Sequence) or len(batch) < 2:
        raise TypeError(
            f"batches: number {number}, from 0, is of type {type(batch).__name__}; use (X, y), "
            "(X, y, task) or (X, y, task, sample_weight)"
        )
    X, y, task, weights = (*batch[:4], None, None)[:4]
    return X, y, task, weights


class _Checked(NamedTuple):
    """The rows of a batch, without weights."""

    features: Any
    label: CodedIds
    task: CodedIds
    names: tuple[str, ...] | None  # of columns


def _labelled(X: Any, y: Any, task: Any, unlabelled: Any) -> _Checked:
    """The rows of a batch; some may have no label."""
    has_rows = hasattr(y, "__len__") and getattr(y, "ndim", 1) > 0
    labels, lacking = set_apart(y, len(y) if has_rows else 0, unlabelled)
    if lacking is None:
        rows = check_labelled_rows(X, y, task, None)
        label = CodedIds.of(rows.labels)
    else:
        rows = check_labelled_rows(X, np.zeros(len(lacking)), task, None)
        there = CodedIds.of(check_some_labels(labels, len(lacking), lacking))
        codes = np.full(len(lacking), -1)
        codes[~lacking] = there.codes
        label = CodedIds(there.ids, codes)
    found = rows.names
    is_named = found is not None and all(isinstance(column, str) for column in found)
    names = tuple(found) if found is not None and is_named else None  # as in scikit-learn
    return _Checked(rows.features, label, CodedIds.of(rows.tasks), names)


def _as_first(
    found: _Checked, weights: Any, layout: FileLayout | None, name: str
) -> tuple[FileRows, FileLayout]:
    """The rows of a batch, which has the layout of the first; labels may come later."""
    features, label, tasks, names = found
    if weights is not None:
        weights = np.broadcast_to(np.asarray(weights, dtype=np.float64), features.shape[0])
    if layout is None:
        layout = FileLayout(name, names, names, {"task": kind_of(tasks.ids)}, {})
    if (names is None) != (layout.features is None):
        raise ValueError(f"its columns are {names}, but those of {layout.first} {layout.features}")
    layout = layout._replace(features=names)
    if len(label.ids):
        kinds = {"label": kind_of(label.ids), **layout.kinds}
        layout = layout._replace(kinds=kinds)
        label = as_kind(label, "y", kinds["label"], layout.first)
    tasks = as_kind(tasks, "task", layout.kinds["task"], layout.first)
    return FileRows(0, features, tasks, label, weights), layout


def _refuse_other_columns(layout: FileLayout, pile: Pile) -> None:
    """Columns that other batches have would be missing values."""
    known = pile[0][1].feature_names if pile else layout.features
    if layout.features != known:
        raise ValueError(f"its columns are {layout.features}, but those before it {known}")
