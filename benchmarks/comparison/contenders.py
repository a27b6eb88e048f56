"""Every method of the comparison, as one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

from benchmarks.accuracy.peers import GAMMAS
from benchmarks.comparison import fits, tabpfn
from benchmarks.comparison.fits import Rule

Parameters = dict[str, Any]


class Contender(NamedTuple):
    """One method."""

    name: str
    fit: Callable[..., Rule]  # a sample, and parameters as keywords
    grid: Sequence[Parameters] = ({},)  # to choose from by cross-validation
    needs: str = "sklearn"  # the module it is imported from
    several_tasks: bool = False  # whether it needs several tasks to be this method

    @property
    def is_here(self) -> bool:
        """Whether the library is installed, with everything that it needs."""
        there = find_spec(self.needs) is not None
        return there and (self.needs != "tabpfn" or tabpfn.weights() is not None)


C_GRID = [{"C": C} for C in (1e-4, 1e-3, 1e-2, 1e-1, 1.0)]
SMALL_LEAVES: Parameters = {"min_child_samples": 5, "min_data_per_group": 5, "cat_smooth": 1.0}
LEAF_WISE: list[Parameters] = [
    {},  # the defaults
    {"num_leaves": 7},
    {"num_leaves": 7, **SMALL_LEAVES},
    {"num_leaves": 15, **SMALL_LEAVES, "learning_rate": 0.05, "n_estimators": 300},
]
HISTOGRAMS: list[Parameters] = [
    {},
    {"max_leaf_nodes": 7},
    {"max_leaf_nodes": 7, "min_samples_leaf": 5},
    {"max_leaf_nodes": 15, "min_samples_leaf": 5, "learning_rate": 0.05, "max_iter": 300},
]
several = partial(Contender, several_tasks=True)
OURS = Contender("kinspan", fits.ours, needs="kinspan")

CONTENDERS = {
    c.name: c
    for c in [
        OURS,
        Contender("kinspan, own priors", partial(fits.ours, priors="empirical"), needs="kinspan"),
        Contender("logistic, pooled", fits.logistic_pooled, C_GRID),
        several("logistic, per task", fits.logistic_per_task, C_GRID),
        Contender("LDA, pooled", fits.lda_pooled),
        several("LDA, per task", fits.lda_per_task),
        several("scikit-lego `GroupedClassifier`", fits.grouped, C_GRID, "sklego"),
        several("scikit-lego `HierarchicalClassifier`", fits.hierarchical, C_GRID, "sklego"),
        several("skada `CORAL`", fits.coral, C_GRID, "skada"),
        several("adapt `BalancedWeighting`", fits.balanced, GAMMAS, "adapt"),
        Contender("`HistGradientBoosting`", fits.histograms, HISTOGRAMS),
        Contender("LightGBM", fits.lightgbm, LEAF_WISE, "lightgbm"),
        several("LightGBM, per task", fits.lightgbm_per_task, LEAF_WISE, "lightgbm"),
        Contender("TabPFN", tabpfn.fitted, needs="tabpfn"),
    ]
}
