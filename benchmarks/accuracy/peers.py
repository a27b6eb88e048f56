"""Every method of the table, and what is tried of its parameters."""

from __future__ import annotations

from functools import partial

from benchmarks.peers import fits
from benchmarks.peers.peer import C_GRID, GAMMAS, OURS, Peer
from kinspan.baselines import NaiveSPCA, SingleTaskSPCA

HOME = "Office-Home deep, a quarter"
FEWER_C = C_GRID[1:3]
STRENGTHS = [{"strength": s} for s in (None, 1.0, 10.0, 100.0)]
SETTLED = {HOME: {"C": 1e-3}}  # where a choice by cross-validation would take hours
SINGLE = Peer("single task", partial(fits.ours, labels="single"))
PLAIN_SINGLE = Peer("single task, no metric", partial(fits.with_tasks, SingleTaskSPCA()))

PEERS = {
    p.name: p
    for p in [
        OURS,
        SINGLE,
        PLAIN_SINGLE,
        Peer("naive", partial(fits.ours, labels="naive")),
        Peer("naive, no metric", partial(fits.with_tasks, NaiveSPCA())),
        Peer("plug-in", partial(fits.ours, labels="plugin")),
        Peer("one-vs-all", partial(fits.ours, multi_class="one-vs-all"), several_classes=True),
        Peer("MTL-LSSVM", fits.lssvm, STRENGTHS),
        Peer("CDLS, others pooled", fits.cdls, [{"C": 1.0}]),
        Peer("logistic pooled", fits.logistic_pooled, C_GRID),
        Peer("logistic per task", partial(fits.alone, fits.logistic_pooled), C_GRID),
        Peer("logistic, target weighted", fits.logistic_weighted, C_GRID),
        Peer("LDA pooled", fits.lda_pooled),
        Peer("LDA per task", partial(fits.alone, fits.lda_pooled)),
        Peer("feature augmentation", fits.augmented, C_GRID, settled=SETTLED),
        Peer("scikit-lego grouped", fits.grouped, FEWER_C, "sklego", {HOME: {"C": 1e-2}}),
        Peer("scikit-lego hierarchical", fits.hierarchical, FEWER_C, "sklego", SETTLED),
        Peer("skada CORAL", fits.coral, C_GRID, "skada", SETTLED),
        Peer("adapt balanced weighting", fits.balanced, GAMMAS, "adapt"),
    ]
}
