"""Left-out rows that judge each other's rules → how many independent rows tell as much.

Two rows of a task are left out in turn, and each was in the rule that scored the other. Their
margins share that product: where a rule is mostly noise, they are wrong together.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from kinspan._rows.types import Floats


def independent_rows(rows: Floats, noise_share: Floats, error: float) -> Floats:
    """(tasks,): eq. (40a) of docs/theory.md, for a common error."""
    return np.asarray(rows / (1.0 + noise_share * _of_signs(error)))


def _of_signs(error: float) -> float:
    """The correlation of signs over that of nearly uncorrelated margins: φ(δ)²/(q(1 − q))."""
    q = min(max(error, 1e-9), 1.0 - 1e-9)
    return float(np.exp(-(ndtri(q) ** 2)) / (2.0 * np.pi * q * (1.0 - q)))
