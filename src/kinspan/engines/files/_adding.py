"""Files, one after the other → the sum of their statistics; files that cannot be read are named."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from kinspan._memory.piles import Pile, piled, total
from kinspan._memory.statistics import Statistics
from kinspan._validation.messages import some
from kinspan._validation.weights import check_frequencies
from kinspan.engines.files._checkpoint import Checkpoint, Finished
from kinspan.engines.files._report import ReadFile, SkippedFile, described
from kinspan.engines.files._sums import Job, Outcome, of_files
from kinspan.exceptions import FileError
from kinspan.tables.layout import FileLayout
from kinspan.tables.paths import format_of
from kinspan.tables.reading import layout_of
from kinspan.tables.request import Request
from kinspan.tables.tally import Advance

_LOG = logging.getLogger("kinspan")


def first_layout(files: list[Path], request: Request, on_error: str) -> FileLayout:
    """The layout of the first file that has rows; others are checked when they are read."""
    reasons = []
    for path in files:
        try:
            layout = layout_of(path, request)
        except FileError as error:
            if on_error == "raise":
                raise
            reasons.append(SkippedFile(error.path, error.reason))
        else:
            if layout is not None:
                return layout
    last = files[-1]  # its labels may come further below than where types are inferred
    layout = None if reasons or format_of(last) != "csv" else layout_of(last, request, ("label",))
    if layout is None:
        raise ValueError(_nothing(files, reasons))
    return layout


def added(
    files: list[Path],
    job: Job,
    n_jobs: int | None,
    on_error: str,
    advance: Advance,
    kept: Checkpoint,
) -> tuple[Statistics, list[ReadFile], list[SkippedFile]]:
    """The statistics of all files, the files that were read, and those that were skipped."""
    begun = kept.begun()
    advance(sum(file.n_rows for file in begun.read))

    def steps() -> Generator[Finished, None, None]:
        done = begun
        with closing(of_files(files[done.n_files :], job, n_jobs, advance)) as outcomes:
            for outcome in outcomes:
                done = _with(done, outcome, job.layout, on_error)
                yield done

    pile, read, skipped, _ = kept.last(begun, steps())
    if not pile:
        raise ValueError(_nothing(files, skipped))
    whole = total(pile)
    if job.request.sample_weight is not None:
        check_frequencies(whole.moments, whole.sample)
    return whole, read, skipped


def _with(done: Finished, outcome: Outcome, layout: FileLayout, on_error: str) -> Finished:
    """One more file, or its error."""
    pile, read, skipped, _ = done
    error = outcome.error or _other_width(outcome, pile, layout)
    if error is not None:
        if on_error == "raise":
            raise error
        _LOG.warning("skipped %s", error)
        skipped.append(SkippedFile(error.path, error.reason))
        return done
    _LOG.info("read %s: %d rows", outcome.path, outcome.n_rows)
    read.append(ReadFile(outcome.path, outcome.n_rows))
    pile = pile if outcome.statistics is None else piled(pile, outcome.statistics)
    return Finished(pile, read, skipped)


def _other_width(outcome: Outcome, pile: Pile, layout: FileLayout) -> FileError | None:
    """Matrices have no names of columns, but may have different numbers of them."""
    if not pile or outcome.statistics is None:
        return None
    widths = [part.moments.n_features for part in (outcome.statistics, pile[0][1])]
    if layout.features is not None or widths[0] == widths[1]:
        return None
    return FileError(
        outcome.path, f"it has {widths[0]} features, but {layout.first} has {widths[1]}"
    )


def _nothing(files: list[Path], skipped: list[SkippedFile]) -> str:
    if skipped:
        return f"none of {len(files)} files could be read: {described(skipped)}"
    return (
        f"no row to learn from in {some([str(path) for path in files])}: there are none, or none "
        "with a task, a label and a positive weight"
    )
