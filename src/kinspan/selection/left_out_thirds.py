"""A third of all rows is left out of everything, with labels and without: what it says of the rest.

Labelled rows tell whether rows without labels help: they are scored by rules of the other labels,
and by rules that the other rows without labels have taught too. Rows without labels tell whether
they fall into the groups that the others have taught.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinspan._rows.sums import cell_moments
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.class_moments import ClassMoments
from kinspan.risk import LeftOutErrors, calibration, left_out_errors
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import of_classes
from kinspan.selection.evidence import Evidence, evidence_of
from kinspan.selection.support import Support, support
from kinspan.selection.taught import Free, Labelled, Lines, places_in, ratio, with_probabilities

_PARTS = 3  # two would halve the labels, and each costs fits


class LeftOut(NamedTuple):
    """Labelled rows, each left out with a third of them, by both ways."""

    scores: Floats  # (2, rows, 1 or classes): by labelled rules and by taught ones, as log odds
    evidence: Evidence
    weights: Floats  # (rows,): how many rows each stands for
    size: float  # how much larger the scores of the taught rules should be than they are

    def errors(self, weight: Floats, known: Labelled) -> LeftOutErrors:
        """What they say of rules that are weighted means, (tasks,) the weight of the taught."""
        tasks, judged = self.evidence.tasks, self.evidence.own > 0
        w = weight[tasks][:, None]
        scores = of_classes((1.0 - w) * self.scores[0] + w * self.scores[1])
        scores = (scores + known.options.log_priors[tasks])[judged]
        priors = np.where(known.moments.present, known.options.priors, 0.0)
        classes = self.evidence.classes[judged]
        return left_out_errors(scores, tasks[judged], classes, self.weights[judged], priors)


class Thirds(NamedTuple):
    """What thirds say that were left out."""

    support: Support  # do rows without labels fall into the groups that others have taught?
    labelled: LeftOut | None  # None where no labelled row can be left out


class _Third(NamedTuple):
    support: Support
    out: Mask  # (rows,): labelled rows that are left out
    scores: Floats  # (2, rows, classes): of these


def thirds(rules: Lines, known: Labelled, free: Free) -> Thirds:
    """All rows, each left out with a third of them."""
    sample = known.sample
    if sample is not None:
        sample = sample.aligned(
            known.moments.tasks, known.moments.classes, known.moments.n_features
        ).effective()
    rest, parts = known._replace(sample=sample), _parts(sample)
    evidence = _evidence(rest, parts)
    is_judged = evidence is not None and evidence.own.any()
    if not is_judged:
        parts = np.full(len(parts), -1)
    found = [
        _third(rules, rest, free, parts == i, free.numbers() % _PARTS == i) for i in range(_PARTS)
    ]
    whole = found[0].support + found[1].support + found[2].support
    if not is_judged:
        return Thirds(whole, None)
    assert evidence is not None
    assert sample is not None
    return Thirds(whole, _left_out(found, evidence, sample.weights))


def _parts(sample: RowSample | None) -> Codes:
    """(rows,): the part of a labelled row; −1, never left out, if it is alone in its cell."""
    if sample is None:
        return np.empty(0, dtype=np.intp)
    number = np.bincount(sample.cells, minlength=sample.n_cells)[sample.cells]
    return np.where(number > 1, places_in(sample.cells) % _PARTS, -1)


def _evidence(known: Labelled, parts: Codes) -> Evidence | None:
    sample = known.sample
    if sample is None:
        return None
    codes = sample.task_codes, sample.class_codes
    return evidence_of(*codes, sample.weights, parts >= 0, known.moments.present)


def _third(rules: Lines, known: Labelled, free: Free, out: Mask, away: Mask) -> _Third:
    """Rules of the other rows, and what the third says of them.

    Where no label is left out, rows without labels teach twice, as they do in the end.
    """
    rest, labelled = known, rules
    if out.any():
        assert known.sample is not None
        moments = _without(known.moments, known.sample, out)
        rest = known._replace(moments=moments, sample=known.sample._kept(~out))
        labelled = rest.lines(moments)
    others = free.some(~away)
    both = with_probabilities(labelled, rest, others)
    taught = rest.lines(both)
    if not out.any():
        both = with_probabilities(taught, rest, others)
        taught = rest.lines(both)
    found = _support(taught, both, rest, free.some(away))
    return _Third(found, out, _scores(labelled, taught, known, free, out))


def _support(taught: Lines, both: ClassMoments, known: Labelled, away: Free) -> Support:
    """Whether rows fall into the groups that others have taught."""
    n_tasks, n_classes = both.present.shape
    tasks = np.repeat(np.arange(n_tasks), n_classes)
    means = known.scores(taught, both.means.reshape(-1, both.n_features), tasks)
    means = means.reshape(n_tasks, n_classes, n_classes)
    return support(known.scores(taught, away.rows, away.tasks), away.tasks, means, both.present)


def _scores(labelled: Lines, taught: Lines, known: Labelled, free: Free, out: Mask) -> Floats:
    """(2, rows, classes): of labelled rows that are left out, by both rules."""
    sample = known.sample
    if sample is None or not out.any():
        return np.empty((2, 0, known.moments.present.shape[1]))
    rows, tasks = sample.rows[out].astype(np.float64), sample.task_codes[out]
    scores = known.scores(labelled, rows, tasks), known.scores(taught, rows, tasks)
    return np.stack([scores[0], scores[1] / ratio(labelled, taught, known, free)])


def _left_out(found: list[_Third], evidence: Evidence, weights: Floats) -> LeftOut:
    """Scores of all labelled rows as log odds."""
    n_classes = evidence.present.shape[1]
    scores = np.zeros((2, len(weights), n_classes))
    for third in found:
        scores[:, third.out] = third.scores
    if n_classes == 2:
        scores = scores[..., 1:] - scores[..., :1]
    factors = calibration(scores, evidence.classes, evidence.own, evidence.present)
    scores = factors[:, None, None] * scores
    return LeftOut(scores, evidence, weights, float(factors[1] / factors[0]))


def _without(moments: ClassMoments, sample: RowSample, out: Mask) -> ClassMoments:
    """Moments without some sampled rows; of cells whose rows are all sampled, from the others."""
    shape, n_cells = moments.means.shape, moments.counts.size
    (all_n, *_), (n, m, s), (kept_n, kept_m, kept_s) = (
        cell_moments(sample.rows[some], sample.cells[some], n_cells, sample.weights[some])
        for some in (slice(None), out, ~out)
    )
    before = moments.counts.reshape(-1)
    is_whole = all_n > before * (1.0 - 1e-9)
    left = np.where(is_whole, kept_n, before - n)
    safe = np.where(left > 0, left, 1.0)
    away = m - moments.means.reshape(n_cells, -1)
    means = moments.means.reshape(n_cells, -1) - (n / safe)[:, None] * away
    squares = moments.squares.reshape(n_cells, -1) - s - (n * before / safe)[:, None] * away**2
    means = np.where(is_whole[:, None], kept_m, means)
    squares = np.where(is_whole[:, None], kept_s, np.maximum(squares, 0.0))
    return replace(
        moments,
        counts=left.reshape(shape[:2]),
        means=means.reshape(shape),
        squares=squares.reshape(shape),
    )
