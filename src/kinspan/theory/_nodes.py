"""Expectations over a standard normal number."""

from __future__ import annotations

import numpy as np

NODES = np.linspace(-10, 10, 401)  # evenly spaced: the sum converges exponentially fast
DENSITY = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()
