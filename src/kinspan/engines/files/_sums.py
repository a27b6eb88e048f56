"""Rows → statistics of batches, parts and files, always added in the same order."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from kinspan._memory.cutoff import below_cutoff
from kinspan._memory.piles import Pile, piled, total
from kinspan._memory.statistics import Statistics
from kinspan._rows.keys import PUBLIC, RowKey
from kinspan._rows.types import Ids
from kinspan._validation.labelled_rows import CheckedRows, apart
from kinspan._validation.messages import NOT_FREQUENCIES
from kinspan._validation.parameters import (
    MISSING,
    check_choice,
    check_random_state,
    check_row_sample,
)
from kinspan.exceptions import FileError
from kinspan.tables.errors import naming_file
from kinspan.tables.ids import CodedIds
from kinspan.tables.layout import FileLayout
from kinspan.tables.reading import layout_in, parts_of, rows_of
from kinspan.tables.request import Request
from kinspan.tables.rows import FileRows
from kinspan.tables.table import Part
from kinspan.tables.tally import Advance


class Outcome(NamedTuple):
    """The statistics of a file, or of a part of it, or its error."""

    path: Path
    n_rows: int
    statistics: Statistics | None  # None if all weights are zero
    error: FileError | None


class Sampling(NamedTuple):
    """How rows are sampled."""

    size: int  # rows kept of every cell
    key: RowKey = PUBLIC  # of the hash that chooses them
    allows_holes: bool = True  # whether NaN is a missing value


def sampling_of(row_sample: Any, random_state: Any, missing: Any) -> Sampling:
    """From arguments, checked."""
    check_choice("missing", missing, MISSING)
    size, key = check_row_sample(row_sample), check_random_state(random_state)
    return Sampling(size, key, missing == "impute")


class Job(NamedTuple):
    """What a process needs to read files."""

    request: Request
    layout: FileLayout
    sampling: Sampling


def statistics_of(
    rows: FileRows, sampling: Sampling, names: NDArray[Any] | None
) -> Statistics | None:
    """Statistics of a batch; None where all weights are zero."""
    label, task = rows.label, rows.task
    if label is None:
        raise ValueError("there are no labels to learn from")
    if task is None:
        task = CodedIds.constant(0, rows.X.shape[0])
    weights = rows.weights
    if weights is not None:
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError(NOT_FREQUENCIES)
        if not weights.any():
            return None
    lacking, allowed = label.codes < 0, sampling.allows_holes
    checked = CheckedRows(rows.X, label.codes[~lacking], task.codes, weights, names, allowed)
    checked = apart(checked, lacking if lacking.any() else None)
    found = Statistics.from_checked(checked, sampling.size, key=sampling.key, is_part=True)
    return _with_ids(found, task.ids, label.ids)


def with_rows(pile: Pile, rows: FileRows, sampling: Sampling, names: NDArray[Any] | None) -> Pile:
    """Add the statistics of a batch."""
    batch = statistics_of(rows, sampling, names)
    return pile if batch is None else piled(pile, below_cutoff(batch, pile))


def _with_ids(found: Statistics, tasks: Ids, classes: Ids) -> Statistics:
    """Replace codes by ids, which are in the same order; rows without labels keep their class."""
    moments, sample, free = found.moments, found.sample, found.unlabelled
    moments = replace(
        moments, tasks=_at(tasks, moments.tasks), classes=_at(classes, moments.classes)
    )
    if sample is not None:
        sample = replace(
            sample, tasks=_at(tasks, sample.tasks), classes=_at(classes, sample.classes)
        )
    if free is not None:
        free = _with_ids(free, tasks, np.zeros(1, dtype=np.int64))
    return replace(found, moments=moments, sample=sample, unlabelled=free)


def _at(ids: Ids, codes: Ids) -> Ids:
    """The ids of codes; codes of nothing have any type."""
    return np.asarray(ids[np.asarray(codes, dtype=np.intp)])


def of_part(path: Path, part: Part | None, job: Job, advance: Advance | None = None) -> Outcome:
    """Read a file or a part of it."""
    layout = job.layout
    pile: Pile = ()
    n_rows = 0
    try:
        if job.sampling.allows_holes:  # and so columns that are missing in all rows of a file
            layout = layout_in(path, job.request, layout)
        for rows in rows_of(path, part, job.request, layout):
            end = rows.first_row + rows.X.shape[0]
            with naming_file(path, f"rows {rows.first_row} to {end - 1}: "):
                pile = with_rows(pile, rows, job.sampling, layout.names)
            n_rows += rows.X.shape[0]
            if advance is not None:
                advance(rows.X.shape[0])
    except FileError as error:
        return Outcome(path, 0, None, error)
    return Outcome(path, n_rows, total(pile) if pile else None, None)


def of_files(
    files: list[Path], job: Job, n_jobs: int | None, advance: Advance
) -> Generator[Outcome, None, None]:
    """The outcome of every file, in their order, as soon as its last part was read."""
    parts = [parts_of(path) for path in files]
    work = [(path, part) for path, cut in zip(files, parts, strict=True) for part in cut]
    with closing(_of_parts(work, job, n_jobs, advance)) as outcomes:
        for path, cut in zip(files, parts, strict=True):
            yield _joined(path, islice(outcomes, len(cut)))


def _of_parts(
    work: list[tuple[Path, Part | None]], job: Job, n_jobs: int | None, advance: Advance
) -> Generator[Outcome, None, None]:
    if min(effective_n_jobs(n_jobs), len(work)) == 1:
        yield from (of_part(path, part, job, advance) for path, part in work)
        return
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    outcomes = parallel(delayed(of_part)(path, part, job) for path, part in work)
    try:
        for outcome in outcomes:
            advance(outcome.n_rows)
            yield outcome
    finally:
        with warnings.catch_warnings():  # after an error, unfinished work is expected
            warnings.simplefilter("ignore")
            outcomes.close()


def _joined(path: Path, parts: Iterator[Outcome]) -> Outcome:
    """The outcome of a file; it failed if one of its parts did."""
    pile: Pile = ()
    n_rows, error = 0, None
    for part in parts:  # to the last, because those of the next file follow
        error = error or part.error
        pile = pile if part.statistics is None or error else piled(pile, part.statistics)
        n_rows += part.n_rows
    if error is not None:
        return Outcome(path, 0, None, error)
    return Outcome(path, n_rows, total(pile) if pile else None, None)
