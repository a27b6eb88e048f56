"""Eigenvalues of the relatedness of tasks: the bulk of the noise, and the spikes beyond it."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Floats
from kinspan.displays._canvas import (
    ACTUAL,
    OURS,
    PLAIN,
    axes_for,
    check_estimator,
    legend_beside,
    without_frame,
)
from kinspan.labels.spikes import bulk, marchenko_pastur
from kinspan.metric import scaled_by
from kinspan.selection.solutions import contrasts_of, spectrum


class SpectrumDisplay:
    """Eigenvalues of AAᵀ/P, where the rows of A are the contrasts of tasks in units of their noise.

    The eigenvalues of independent noise follow the law of Marčenko and Pastur; directions that
    tasks share are spikes beyond its edge. Correlated features widen the bulk.

    Parameters
    ----------
    eigenvalues : array
        Of AAᵀ/P, descending.
    ratio : float
        Tasks over coordinates.

    Attributes
    ----------
    edge_ : float
        The right end of the bulk, (1 + √ratio)².
    n_spikes_ : int
        Eigenvalues beyond it.
    ax_, figure_
        What was drawn.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import gaussian_mixture, related_means
    >>> from kinspan.displays import SpectrumDisplay
    >>> world = gaussian_mixture(related_means([0.9] * 40, 200), 20, random_state=0)
    >>> clf = MultiTaskSPCA().fit(world.X, world.y, task=world.task)
    >>> SpectrumDisplay.from_estimator(clf).n_spikes_
    1
    """

    def __init__(self, eigenvalues: Floats, ratio: float) -> None:
        self.eigenvalues, self.ratio = eigenvalues, ratio

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> SpectrumDisplay:
        """Draw the spectrum of a fitted MultiTaskSPCA, of its tasks that have all classes."""
        check_estimator(estimator)
        moments = estimator._whole.moments.effective()
        whole = moments.present.all(axis=1)
        if whole.sum() < 2:
            raise ValueError(
                f"{whole.sum()} of {len(whole)} tasks have samples of all classes; the spectrum "
                "needs at least two of them"
            )
        scale = estimator._rules.scale[:-1]
        scaled = scaled_by(
            moments.chosen(whole, np.ones(len(moments.classes), dtype=bool)),
            scale[whole] if len(scale) > 1 else scale,
        )
        decomposed = spectrum(contrasts_of(scaled, "shared").task_rows()[0])
        eigenvalues = decomposed.values**2 / decomposed.dimension
        ratio = float(whole.sum() / decomposed.dimension)
        return cls(eigenvalues[eigenvalues > 0], ratio).plot(ax)

    def plot(self, ax: Any = None) -> SpectrumDisplay:
        """Draw eigenvalues and bulk on the given axes, or on new ones."""
        ax = axes_for(ax, 7.4)
        low, high = bulk(self.ratio)
        is_spike = self.eigenvalues > high
        self.edge_, self.n_spikes_ = high, int(is_spike.sum())
        inside, spikes = self.eigenvalues[~is_spike], self.eigenvalues[is_spike]
        is_wide = bool(self.eigenvalues.max() > 6 * high)
        if len(inside):
            n_bins = int(np.clip(np.sqrt(len(inside)) * 2, 5, 60))
            space = np.geomspace if is_wide else np.linspace
            edges = space(max(min(low, inside.min()), 1e-6 * high), high, n_bins + 1)
            height = np.histogram(inside, edges)[0] / len(self.eigenvalues) / np.diff(edges)
            ax.stairs(height, edges, fill=True, color=PLAIN, label="eigenvalues")
        x = np.linspace(low, high, 400)
        density = marchenko_pastur(x, self.ratio) / min(self.ratio, 1.0)  # of those not zero
        ax.plot(x, density, color=ACTUAL, label="expected of noise")
        if len(spikes):
            top = 0.06 * ax.get_ylim()[1]
            ax.vlines(spikes, 0, top, color=OURS, label=f"{len(spikes)} beyond its edge")
            ax.plot(spikes, np.full(len(spikes), top), "o", color=OURS, markersize=4)
        if is_wide:
            ax.set_xscale("log")
        ax.set(xlabel="eigenvalue", ylabel="density")
        ax.set_ylim(bottom=0.0)
        without_frame(ax)
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
