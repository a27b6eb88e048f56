"""Every method of the table: kinspan, and others with a pooled scale and without a scale."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.peers import fits
from benchmarks.peers.fits import Rule
from benchmarks.peers.peer import OURS, Peer
from benchmarks.peers.samples import Sample, spread

WIDEST_LDA = 1500  # features: with 5 000 one of its fits takes 40 seconds
LDA = partial(Peer, widest=WIDEST_LDA)


def scaled(fit: Callable[[Sample], Rule], sample: Sample) -> Rule:
    """Fitted to features over their deviation within the classes of tasks."""
    scale = spread(sample.train).scale
    rule = fit(sample.changed(lambda rows: rows.X / scale))
    return lambda rows: rule(rows._replace(X=rows.X / scale))


def _ours(scale: str | None) -> list[Peer]:
    return [
        Peer(f"{labels}, scale {scale}", partial(fits.ours, labels=labels, scale=scale))
        for labels in ("naive", "single", "plugin")
    ]


def _baselines(scale: str | None) -> list[Peer]:
    how: Any = partial(partial, scaled) if scale else lambda fit: fit
    return [
        Peer(f"logistic pooled, scale {scale}", how(fits.logistic_pooled)),
        Peer(f"logistic per task, scale {scale}", how(fits.logistic_per_task)),
        LDA(f"LDA pooled, scale {scale}", how(fits.lda_pooled)),
        LDA(f"LDA per task, scale {scale}", how(fits.lda_per_task)),
    ]


SCALES = ("pooled", None)
PEERS = [OURS, *(peer for scale in SCALES for peer in [*_ours(scale), *_baselines(scale)])]
METHODS = {peer.name: peer for peer in PEERS}
BASELINES = [peer.name for scale in SCALES for peer in _baselines(scale)]
GROUPS = {"ours": [name for name in METHODS if name not in BASELINES], "baselines": BASELINES}


def named(wanted: list[str]) -> list[Peer]:
    """The methods of these names or groups, in the order of the table."""
    names = {name for each in wanted for name in GROUPS.get(each, [each])}
    return [peer for peer in METHODS.values() if peer.name in names]
