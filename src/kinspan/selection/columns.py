"""Rules of all candidates of a basis → what leaving a row out needs to know of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.metric import Root
from kinspan.risk import RuleParts, SharedPart, SharedProducts, ShrunkPart
from kinspan.selection.solutions import Problem, Solution

Solved = tuple[Problem, Solution]


def rule_parts(solved: Sequence[Sequence[Solved]], roots: Sequence[Root]) -> RuleParts:
    """What leaving out a row needs to know of rules.

    For every metric, all of its solutions.
    """
    first, is_discriminant = solved[0][0][0], solved[0][0][0].is_discriminant
    columns = _Columns.of(solved, roots)
    in_metrics = [some[0][0].scaled for some in solved]
    level = np.stack([scaled.noise_level for scaled in in_metrics], axis=1)
    two = first.scaled.counts.shape[1] == 2
    return RuleParts(
        *columns,
        np.stack([scaled.cell_noise for scaled in in_metrics], axis=2),
        roots[0].restored(first.class_means.values),
        first.contrasts.coefficients.transpose(0, 2, 1)[..., 1 if two else 0 :],
        first.scaled.class_shares,
        first.scaled.counts,
        0.5 * level if is_discriminant and not two else None,
        level * first.scaled.scale.shape[1] if is_discriminant else None,
        [
            _shared_part(solved[s][j], s, j, roots[s].root)
            for s, j in np.ndindex(len(solved), len(solved[0]))
            if _has_shared_part(solved[s][j][1])
        ],
        [
            _shrunk_part([some[j] for some in solved], j, level)
            for j in range(len(solved[0]))
            if solved[0][j][1].shrunk is not None
        ],
    )


class _Columns(NamedTuple):
    """The scores of all solutions, side by side, in every metric."""

    coef: Floats  # (tasks, metrics, columns, directions), for rows before the metric
    offset: Floats  # (tasks, metrics, columns), without −½‖coef‖²
    own: Floats  # (tasks, metrics, columns)
    undone: Floats  # (tasks, metrics, columns)

    @classmethod
    def of(cls, solved: Sequence[Sequence[Solved]], roots: Sequence[Root]) -> _Columns:
        """Of all solutions in all metrics."""
        n_tasks, n_classes, p = solved[0][0][1].rules.coef.shape
        n = 1 if n_classes == 2 else n_classes
        shape = n_tasks, len(solved), n * len(solved[0])
        found = cls(np.empty((*shape, p)), *(np.empty(shape) for _ in range(3)))
        for s, j in np.ndindex(len(solved), len(solved[0])):
            columns = (slice(None), s, slice(n * j, n * (j + 1)))
            _of_scores(solved[s][j][1].rules.coef, out=found.coef[columns])
            offset, own, undone = _offsets(*solved[s][j])
            found.offset[columns] = _of_scores(offset)
            found.own[columns], found.undone[columns] = own, undone
        for s, root in enumerate(roots):
            root.turned_back(found.coef[:, s], out=found.coef[:, s])
        return found


def _of_scores(of_classes: Floats, out: Floats | None = None) -> Floats:
    """(tasks, classes, …) → (tasks, scores, …): of two classes, the second minus the first.

    Their directions mirror each other: −½‖coef‖² is the same for both.
    """
    if of_classes.shape[1] == 2:
        return np.subtract(of_classes[:, 1:], of_classes[:, :1], out=out)
    if out is None:
        return of_classes
    out[...] = of_classes
    return out


def _offsets(problem: Problem, solution: Solution) -> tuple[Floats, Floats, Floats]:
    """Of a solution: offsets without −½‖coef‖², and how rules follow contrasts, twice."""
    scaled, (coef, offset) = problem.scaled, solution.rules
    own = undone = solution.own
    if problem.is_discriminant and coef.shape[1] > 2:  # of two, the same for both
        length = np.einsum("tlp,tlp->tl", coef, coef)
        offset = offset + 0.5 * scaled.noise_level[:, None] * length
    if solution.response is not None:
        own = np.repeat((solution.response.kept / scaled.noise_level)[:, None], len(own.T), 1)
    if own.shape[1] == 2:  # contrasts mirror each other, and both rules follow one of them
        own, undone = (part.sum(axis=1, keepdims=True) for part in (own, undone))
    return offset, own, undone


def _shrunk_part(in_metrics: Sequence[Solved], place: int, level: Floats) -> ShrunkPart:
    n_classes = in_metrics[0][1].rules.coef.shape[1]
    shares = [solution.shrunk for _, solution in in_metrics if solution.shrunk is not None]
    share = np.stack(shares, axis=1)
    return ShrunkPart(slice(place * n_classes, (place + 1) * n_classes), share, share / level)


def _has_shared_part(solution: Solution) -> bool:
    return solution.response is not None and bool(solution.response.vectors.size)


def _shared_part(solved: Solved, metric: int, place: int, root: Floats) -> SharedPart:
    """Directions of the others."""
    problem, response = solved[0], solved[1].response
    assert response is not None
    basis = _of_scores(np.tensordot(response.rows, problem.contrasts.values, axes=1)) / root
    columns = slice(place * basis.shape[1], (place + 1) * basis.shape[1])
    gain = response.gain / problem.scaled.noise_level[:, None, None]
    products = None
    if basis.shape[1] > 1:  # of two classes, both rules are equally long
        by_column = basis.transpose(1, 0, 2)
        stretched = (by_column * root**2).transpose(0, 2, 1)
        coef = (solved[1].rules.coef / root).transpose(1, 0, 2)
        products = SharedProducts((coef @ stretched).transpose(1, 2, 0), by_column @ stretched)
    return SharedPart(metric, columns, basis, response.vectors, gain, products)
