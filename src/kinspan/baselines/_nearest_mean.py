"""Projections on a few directions → the rule that answers the nearest class mean.

Rows from which directions were learnt share noise with them: their class means lie further out
than those of new rows, which are estimated here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.scores import LinearRules


class Components(NamedTuple):
    """Orthonormal directions, and where new rows of every cell lie on them."""

    directions: Floats  # (components, features)
    means: Floats  # (cells, components), consistent estimates


def components_of_sums(
    means: Floats, loadings: Floats, cell_noise: Floats, n_components: int
) -> Components:
    """The leading principal directions of sums L·M of cell means M (Theorems 2 and 3).

    From the small matrix LMMᵀLᵀ = UΛUᵀ the directions are V = AᵀM with weights A = LᵀUΛ^−½. The
    mean score of a cell is Vx̄, less A·tr C/n, the noise that x̄ shares with V.
    """
    sums = loadings @ means
    values, vectors = np.linalg.eigh(sums @ sums.T)
    values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    kept = values > 1e-12 * max(values[0], 1e-300)
    length = np.where(kept, np.sqrt(np.where(kept, values, 1.0)), np.inf)
    weights = loadings.T @ vectors / length
    directions = weights.T @ means
    return Components(directions, means @ directions.T - cell_noise[:, None] * weights)


def nearest_mean_rule(components: Components) -> LinearRules:
    """argmin_j ‖Vx − m_j‖² as linear scores mᵀVx − ½‖m‖²; the paper prints argmax (Eq. 2)."""
    m = components.means
    return LinearRules(m @ components.directions, -0.5 * np.einsum("ji,ji->j", m, m))
