"""Rules and sampled rows → scores of the rows by rules that have not seen them, in closed form.

Row i of class c is removed from its cell mean, from the centre of its task, from the scale of the
features and the metric, from the noise level of its task and from the noise for which thresholds
are corrected; and from what the target's direction takes over of its own contrast. With r = x − x̄_c
in the metric, every change is an inner product with r: no rule is fitted again.

All rules in one basis are treated at once, in every metric that is diagonal there. Rows come in
blocks, so that what is between rows and scores stays small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.large import in_double, times
from kinspan._rows.types import Floats
from kinspan.risk.inner_products import Products, Rows
from kinspan.risk.left_out_scale import with_scale
from kinspan.risk.rule_parts import Residuals, RuleParts, SharedPart
from kinspan.risk.shrunk_rules import kept_again, offsets_again

_LEAST_ROWS = 64  # of a block of rows: vectors of a task are read again for every block


def leave_one_out_scores(rules: RuleParts, residuals: Residuals) -> Floats:
    """(rows, metrics, columns): scores by rules that have not seen the row; NaN for an only one."""
    n = len(residuals.tasks)
    scores = np.empty((n, *rules.offset.shape[1:]))
    for rows in blocks(n, _width(rules, residuals), least=_LEAST_ROWS):
        tasks = slice(residuals.tasks[rows.start], residuals.tasks[rows.stop - 1] + 1)
        scores[rows] = _scores(rules.of(tasks), residuals.some(rows))
    return scores


def _width(rules: RuleParts, residuals: Residuals) -> int:
    """Numbers per row in the widest array."""
    along = [part.basis.shape[0] * part.basis.shape[1] for part in rules.shared]
    here = residuals.values.shape[1] // 8 if isinstance(residuals.values, np.ndarray) else 0
    return int(max(rules.offset[0].size, here, sum(along)))


def _scores(rules: RuleParts, residuals: Residuals) -> Floats:
    rows = Rows.of(residuals, rules.counts.shape[1])
    n, g = rows.of_cell(rules.counts), np.minimum(residuals.weights, 1.0)  # of equal rows, one
    alone = n - g <= 1e-9 * n
    fraction = g / np.where(alone, 1.0, n - g)  # the cell mean moves by −fraction · r
    larger = 1.0 + fraction * rows.of_cell(rules.class_shares)  # the centre moves away from the row
    found = _products(rules, residuals, larger, rows)
    moved = _by_contrast(rows.of_task(rules.own), rows.of_cell(rules.centring))
    moved *= -fraction[:, None, None]  # coef moves by that times r
    found = _with_own_part(found, moved)
    share = (fraction * n)[:, None] * residuals.metric_weight
    downdate = share / np.maximum(1.0 - share * found.square, 1e-6)  # Sherman and Morrison
    for part, on_part in zip(rules.shared, _on_shared(rules, residuals, rows), strict=True):
        smaller = downdate[:, part.metric]
        away = fraction * (1.0 + smaller * found.square[:, part.metric])
        contrasts = smaller[:, None] * on_part.turned - away[:, None] * rows.of_cell(rules.centring)
        _add_shared_part(found, part, on_part.basis, rules, larger, moved, contrasts, rows)
    pulled = downdate[..., None] * found.r_coef
    x_coef, length = found.x_coef + found.x_r[..., None] * pulled, found.length
    if length is not None:
        length = length + pulled * found.r_coef
    found = found._replace(x_coef=x_coef, length=length)
    if residuals.scale is not None:
        along = larger[:, None] + downdate * found.x_r
        multiple = moved + pulled
        found = with_scale(found, rules, residuals, residuals.scale, along, multiple, rows)
    unseen = found.square * residuals.longer
    noise = _noise_without(rules, residuals, unseen, rows) - rows.of_cell(rules.cell_noise)
    scores, length, ratio = found.x_coef, found.length, None
    if length is not None and rules.shrunk:
        ratio = kept_again(rules, length, noise, rows)
        scores, length = scores * ratio, length * ratio**2
    if length is not None and rules.half_level is not None:
        scores = scores - rows.of_task(rules.half_level)[..., None] * length
    scores = scores * _level_ratio(rules, residuals, fraction * n, unseen, rows)[..., None]
    scores += rows.of_task(rules.offset)
    scores += noise[..., None] * _undone(rules, rows, 1.0 if ratio is None else ratio)
    if ratio is not None:
        scores += offsets_again(rules, ratio, rows)
    scores[alone] = np.nan
    return scores


def _by_contrast(of_columns: Floats, contrasts: Floats) -> Floats:
    """(rows, metrics, columns), times (rows, columns of a candidate) of every candidate."""
    n, n_columns = contrasts.shape
    per_candidate = of_columns.reshape(n, -1, n_columns) * contrasts[:, None, :]
    return np.asarray(per_candidate.reshape(of_columns.shape))


def _undone(rules: RuleParts, rows: Rows, ratio: Floats | float) -> Floats:
    """(rows, metrics, columns): what offsets add per noise of the cell mean, eq. (26)."""
    own = _by_contrast(rows.of_task(rules.undone) * ratio, rows.of_cell(rules.centring))
    undone = own * rows.of_cell(rules.class_shares)[:, None, None]
    if rules.half_level is not None:
        undone += rows.of_task(rules.half_level)[..., None] * own**2
    return np.asarray(undone)


def _products(rules: RuleParts, residuals: Residuals, larger: Floats, rows: Rows) -> Products:
    """With the rules of all rows, around the centre without the row.

    In double precision: candidates that are nearly the same are weighed by small differences.
    """
    r, shape = in_double(residuals.values), (len(rules.coef), -1, rules.coef.shape[3])
    axes = r.shape[1]
    inverse = 1.0 / residuals.stretch[:, :axes]
    square, of_present = residuals.squared_lengths(), rows.of_present(rules.contrasts)
    cells = of_present[:, :axes]
    turned = cells[:, None] * inverse
    for s, bent in enumerate(residuals.bent):
        turned[:, s] += bent.inverse_beyond(cells)
    x_r = rows.by_present.times(r, turned) + larger[:, None] * square
    flat = rules.coef.reshape(shape)
    r_coef = rows.by_task.times(r, flat[..., :axes]).reshape(-1, *rules.coef.shape[1:3])
    of_means = rows.present_by_task.times(of_present, flat)
    x_coef = rows.by_present.of_rows(of_means).reshape(r_coef.shape)
    x_coef += larger[:, None, None] * r_coef
    length = None
    if rules.half_level is not None:
        length = np.einsum("tslp,tslp,sp->tsl", rules.coef, rules.coef, residuals.stretch)
        for s, bent in enumerate(residuals.bent):
            length[:, s] += bent.lengths_beyond(rules.coef[:, s])
        length = rows.of_task(length)
    return Products(x_coef, r_coef, length, x_r, square)


def _with_own_part(before: Products, moved: Floats) -> Products:
    """After every coefficient has moved by a multiple of the residual."""
    step = moved * before.square[..., None]
    length = before.length
    if length is not None:
        length = length + moved * (2.0 * before.r_coef + step)
    return before._replace(
        x_coef=before.x_coef + moved * before.x_r[..., None],
        r_coef=before.r_coef + step,
        length=length,
    )


class _OnShared(NamedTuple):
    """Inner products of residuals with what a shared part is made of."""

    basis: Floats  # (rows, vectors, columns): with the directions of the others
    turned: Floats  # (rows, columns): with own contrasts, in the metric


def _on_shared(rules: RuleParts, residuals: Residuals, rows: Rows) -> list[_OnShared]:
    """Of all shared parts at once.

    If its row is left out, the residual is added to own contrasts: the cell mean moves away from
    the row, and the metric becomes smaller along the row. In inner products that is as if the
    contrasts had moved.
    """
    if not rules.shared:
        return []
    axes, n = residuals.values.shape[1], len(residuals.tasks)
    flat = [part.basis[..., :axes].reshape(-1, axes) for part in rules.shared]
    # Of two classes one contrast is enough. Contrasts sum to zero: centring keeps them.
    contrasts = rules.contrasts[:, -rules.centring.shape[2] :, :axes]
    turned = [contrasts / residuals.stretch[part.metric, :axes] for part in rules.shared]
    on_basis = times(residuals.values, np.concatenate(flat).T)
    on_turned = rows.by_task.times(residuals.values, np.concatenate(turned, axis=1))
    ends = np.cumsum([len(part) for part in flat])[:-1]
    return [
        _OnShared(of_basis.reshape(n, *part.basis.shape[:2]), of_turned)
        for part, of_basis, of_turned in zip(
            rules.shared,
            np.split(on_basis, ends, axis=1),
            np.split(on_turned, len(flat), axis=1),
            strict=True,
        )
    ]


def _add_shared_part(
    found: Products,
    part: SharedPart,
    r_basis: Floats,
    rules: RuleParts,
    larger: Floats,
    moved: Floats,
    contrasts: Floats,
    rows: Rows,
) -> None:
    """After the part along directions of the others has followed the target's own contrast."""
    columns = (slice(None), part.metric, part.columns)
    n_vectors, n_columns, p = part.basis.shape
    flat = part.basis.reshape(-1, p)
    along = np.einsum("nbl,nl->nb", r_basis, contrasts)
    followed = part.vectors @ part.gain @ part.vectors.transpose(0, 2, 1)  # symmetric
    change = rows.by_task.times(along, followed)
    r_change = np.einsum("nb,nbl->nl", change, r_basis)
    of_cells = (rows.of_present(rules.contrasts) @ flat.T).reshape(-1, n_vectors, n_columns)
    of_means = rows.by_present.times(change, of_cells.transpose(0, 2, 1))
    found.x_coef[columns] += of_means + larger[:, None] * r_change
    found.r_coef[columns] += r_change
    if found.length is not None and part.products is not None:
        with_coef = rows.by_task.times(change, part.products.coef.transpose(0, 2, 1))
        crossed = with_coef + moved[columns] * r_change
        squared = np.einsum("lnb,nb->nl", change @ part.products.basis, change)
        found.length[columns] += 2.0 * crossed + squared


def _level_ratio(
    rules: RuleParts, residuals: Residuals, removed: Floats, square: Floats, rows: Rows
) -> Floats:
    """(rows, metrics): the noise level of the task over what it is without the row."""
    if rules.trace is None:
        return np.ones(square.shape)
    freedom = np.maximum(rules.counts - 1.0, 0.0).sum(axis=1)
    left = (rows.of_task(freedom) - np.minimum(residuals.weights, 1.0))[:, None]
    total = rows.of_task(rules.trace * freedom[:, None])
    without = np.maximum(total - removed[:, None] * square, 0.05 * total)
    without = without / np.maximum(left, 1e-300)
    known = (left > 1e-9) & (without > 0)
    return np.where(known, rows.of_task(rules.trace) / np.where(known, without, 1.0), 1.0)


def _noise_without(rules: RuleParts, residuals: Residuals, square: Floats, rows: Rows) -> Floats:
    """(rows, metrics): the squared sampling error of a cell mean, estimated from its other rows.

    A single remaining row shows no spread: the spread of the task is used.
    """
    n = rules.counts
    freedom = np.maximum(n - 1.0, 0.0)
    scatter = rules.cell_noise * (n * freedom)[..., None]
    of_task = scatter.sum(axis=1) / np.maximum(freedom.sum(axis=1), 1e-300)[:, None]
    g, n = np.minimum(residuals.weights, 1.0), rows.of_cell(n)
    left = np.maximum(n - g, 1e-9)[:, None]
    others = np.maximum(rows.of_cell(scatter) - (g * n)[:, None] / left * square, 0.0)
    several = left > 1.0 + 1e-9
    of_others = others / np.where(several, left - 1.0, 1.0)
    spread = np.where(several, of_others, rows.of_task(of_task))
    return np.asarray(spread / left)
