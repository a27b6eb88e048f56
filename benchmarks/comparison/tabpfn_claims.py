"""Claims about TabPFN that can be checked without its weights: one function each, which raises
where the claim is wrong.

The first line of a docstring is the claim as the table shows it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import distribution, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.comparison.rows import Answer


def weights_are_not_in_it() -> None:
    """No file of the package is larger than 1 MB: the weights are downloaded at the first fit."""
    package = distribution("tabpfn")
    paths = [Path(str(package.locate_file(file))) for file in package.files or []]
    largest = max(path.stat().st_size for path in paths if path.exists())
    assert largest < 1e6, largest


def fit_needs_the_hub() -> None:
    """Without weights on disk and without access to the hub, `fit` fails."""
    os.environ |= {"TABPFN_NO_BROWSER": "1", "HF_HUB_OFFLINE": "1"}
    X = np.random.default_rng(0).standard_normal((40, 3))
    model = import_module("tabpfn").TabPFNClassifier(device="cpu", model_path="auto")
    try:
        model.fit(X, X[:, 0] > 0)
    except Exception as error:
        if type(error).__module__ == "tabpfn.errors":
            return
        raise
    raise AssertionError("it was fitted")


def default_is_not_commercial() -> None:
    """Its metadata: the code is Apache 2.0, the default weights are non-commercial."""
    _says("TabPFN-3 and TabPFN-3.5 model weights are released under non-commercial licenses")
    _says("TabPFN-3.5 is used by default")
    assert metadata("tabpfn")["License-Expression"] == "Apache-2.0"


def older_weights_are_apache() -> None:
    """Its metadata: the weights of version 2 are under Apache 2.0 and require attribution."""
    _says("Prior Labs License (Apache 2.0 with an additional attribution requirement)")


def licence_in_a_browser() -> None:
    """Its metadata: the first fit requires accepting a licence in a browser or setting a token."""
    _says("open a browser window")
    _says("`TABPFN_TOKEN`")


def sizes() -> None:
    """Its metadata: up to 1 000 000 rows and 20 000 features; on a CPU up to 5 000 rows."""
    _says("**1,000,000 rows** and **20,000 features**")
    _says("allow up to 5000 samples")


def training_set_at_every_predict() -> None:
    """Its metadata: every call of `predict` processes the training set again."""
    _says("Each `predict` call recomputes the training set")


CLAIMS: dict[str, Callable[[], None]] = {
    claim.__name__: claim
    for claim in [
        weights_are_not_in_it,
        fit_needs_the_hub,
        licence_in_a_browser,
        default_is_not_commercial,
        older_weights_are_apache,
        sizes,
        training_set_at_every_predict,
    ]
}


def checked() -> Iterator[Answer]:
    """Every claim, if the package is installed."""
    if find_spec("tabpfn") is None:
        return
    for name, claim in CLAIMS.items():
        why_not = ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                claim()
            except Exception as error:
                why_not = f"{type(error).__name__}: {error}"[:160]
        yield Answer(name, "TabPFN", not why_not, why_not, metadata("tabpfn")["Version"])


def _says(words: str) -> None:
    description: Any = metadata("tabpfn").json["description"]
    assert words in description, words
