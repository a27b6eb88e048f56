"""TabPFN, where its weights are on disk: no release of the package carries them.

The package fetches them from a model hub after its licence was accepted in a browser. Where the
file was fetched before, name it in `TABPFN_WEIGHTS`, and TabPFN takes part like all others; with
`TABPFN_ALLOW_CPU_LARGE_DATASET=true`, as some situations have more rows than it allows on a CPU.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks.comparison import fits
from benchmarks.comparison.samples import Sample


def weights() -> Path | None:
    """The file of weights, if it is there."""
    path = Path(os.environ.get("TABPFN_WEIGHTS", ""))
    return path if path.is_file() else None


def fitted(sample: Sample) -> fits.Rule:
    """The features as they are, the task a category, as its package recommends."""
    X = fits.with_task(sample.rows)
    model = (
        import_module("tabpfn")
        .TabPFNClassifier(
            model_path=str(weights()),
            categorical_features_indices=fits.categories(X.shape[1], sample.n_categorical + 1),
            device="cpu",
            random_state=0,
        )
        .fit(X, sample.y)
    )
    return lambda new: np.asarray(model.predict(fits.with_task(new)))
