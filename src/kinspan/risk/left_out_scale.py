"""Left-out rows and the scale of the features: what Δ' of docs/theory.md adds to inner products."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Floats
from kinspan.risk.inner_products import Products, Rows
from kinspan.risk.rule_parts import Residuals, RuleParts, ScaleChange

_LEAST_WIDTH = 16  # of a block of features: few rows of many features are not taken at once


def with_scale(
    products: Products,
    rules: RuleParts,
    residuals: Residuals,
    scale: ScaleChange,
    along: Floats,
    multiple: Floats,
    rows: Rows,
) -> Products:
    """With the scale of the features without the row.

    It adds little, and is computed in the precision of the changes.
    """
    n_columns, kind = rules.coef.shape[2], scale.change.dtype
    along, multiple = along.astype(kind), multiple.astype(kind)
    contrasts = rules.contrasts[:, None] / residuals.stretch[:, None]
    both_of = np.concatenate([rules.coef, contrasts], axis=2).astype(kind, copy=False)
    rules_and_contrasts = scale.basis.mixed(both_of)
    turned = [_turned(residuals, scale, s) for s in range(len(scale.shares))]
    x_coef = products.x_coef.copy()
    length = None if products.length is None else products.length.copy()
    for features in blocks(scale.change.shape[1], max(len(along) // 8, _LEAST_WIDTH)):
        both = scale.basis.in_features(rules_and_contrasts, features)
        coef, contrasts = both[:, :, :n_columns], both[:, :, n_columns:]
        for s, share in enumerate(scale.shares):
            change, r, of = scale.relative(share, features), turned[s](features), multiple[:, s]
            changed_x = along[:, s, None] * r
            changed_x += rows.of_cell(contrasts[:, s])
            changed_x *= change
            x_r = np.einsum("np,np->n", changed_x, r)[:, None]
            x_coef[:, s] += rows.by_task.times(changed_x, coef[:, s]) + of * x_r
            if length is not None:
                change_r = change * r
                r_coef = rows.by_task.times(change_r, coef[:, s])
                square = np.einsum("np,np->n", change_r, r)
                longer = rows.by_task.times(change, coef[:, s] ** 2)
                length[:, s] += longer + of * (2.0 * r_coef + of * square[:, None])
    return products._replace(x_coef=x_coef, length=length)


def _turned(residuals: Residuals, scale: ScaleChange, metric: int) -> Callable[[slice], Floats]:
    """Some features of the inverse metric times r."""
    if scale.shares[metric] == 0.0:
        return lambda features: scale.residuals[:, features]
    along = residuals.values / residuals.stretch[metric, : residuals.values.shape[1]]
    along = along.astype(scale.change.dtype, copy=False)
    return partial(scale.basis.in_features, scale.basis.mixed(along))
