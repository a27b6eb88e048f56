"""Every method of the comparison, and what is tried of its parameters."""

from __future__ import annotations

from functools import partial

from benchmarks.peers import fits, trees
from benchmarks.peers.peer import C_GRID, GAMMAS, OURS, Parameters, Peer
from benchmarks.peers.tabpfn import tabpfn

MORE_C = [*C_GRID, {"C": 1.0}]
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
several = partial(Peer, several_tasks=True)

CONTENDERS = {
    c.name: c
    for c in [
        OURS,
        Peer("kinspan, own priors", partial(fits.ours, priors="empirical")),
        Peer("logistic, pooled", fits.logistic_pooled, MORE_C, "sklearn"),
        several("logistic, per task", fits.logistic_per_task, MORE_C, "sklearn"),
        Peer("LDA, pooled", fits.lda_pooled, needs="sklearn"),
        several("LDA, per task", fits.lda_per_task, needs="sklearn"),
        several("scikit-lego `GroupedClassifier`", fits.grouped, MORE_C, "sklego"),
        several("scikit-lego `HierarchicalClassifier`", fits.hierarchical, MORE_C, "sklego"),
        several("skada `CORAL`", fits.coral, MORE_C, "skada"),
        several("adapt `BalancedWeighting`", fits.balanced, GAMMAS, "adapt"),
        Peer("`HistGradientBoosting`", trees.histograms, HISTOGRAMS, "sklearn"),
        Peer("LightGBM", trees.lightgbm, LEAF_WISE, "lightgbm"),
        several("LightGBM, per task", trees.lightgbm_per_task, LEAF_WISE, "lightgbm"),
        Peer("TabPFN", tabpfn, needs="tabpfn"),
    ]
}
