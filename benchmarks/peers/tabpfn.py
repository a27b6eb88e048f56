"""TabPFN, if its weights are on disk: no release of the package contains them.

The package downloads them from a model hub after its licence was accepted in a browser. If
`TABPFN_WEIGHTS` names a file that was downloaded before, TabPFN is measured like all others; set
`TABPFN_ALLOW_CPU_LARGE_DATASET=true`, as some situations have more rows than it allows on a CPU.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks.peers.fits import Rule
from benchmarks.peers.samples import Sample
from benchmarks.peers.trees import categories, with_task


def weights() -> Path | None:
    """The file of weights, if it is there."""
    path = Path(os.environ.get("TABPFN_WEIGHTS", ""))
    return path if path.is_file() else None


def tabpfn(sample: Sample) -> Rule:
    """The original features, with the task as a category, as the package recommends."""
    X = with_task(sample.train)
    model = (
        import_module("tabpfn")
        .TabPFNClassifier(
            model_path=str(weights()),
            categorical_features_indices=categories(X.shape[1], sample.n_categorical + 1),
            device="cpu",
            random_state=0,
        )
        .fit(X, sample.train.y)
    )
    return lambda rows: np.asarray(model.predict(with_task(rows)))
