"""Run where kinspan is installed with its core dependencies only: what a first user would do."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

import numpy as np

import kinspan
from kinspan.datasets import load_digit_pairs
from kinspan.report import write_report

OPTIONAL = ("pandas", "pyarrow", "matplotlib", "typer", "tqdm", "dask", "numba", "onnx", "plotly")


def _refusal(clf: kinspan.MultiTaskSPCA) -> str:
    """What is said where an extra is missing."""
    try:
        write_report(clf, "never.html")
    except ImportError as error:
        return str(error)
    return "nothing"


def main() -> None:
    """Fit, forecast, predict, stream, save and load; and what needs an extra names it."""
    present = [name for name in OPTIONAL if importlib.util.find_spec(name)]
    assert not present, f"not only the core is installed: {present}"
    digits = load_digit_pairs(n_per_class=3)
    clf = kinspan.MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    accuracy = clf.score(digits.X_test, digits.y_test, task=digits.task_test)
    assert accuracy > 0.95
    assert np.isfinite(clf.forecast_error_).all()
    stream = kinspan.MultiTaskSPCA()
    for rows in np.array_split(np.arange(len(digits.y)), 5):
        stream.partial_fit(digits.X[rows], digits.y[rows], task=digits.task[rows])
    np.testing.assert_allclose(stream.coef_, clf.coef_, rtol=1e-9)
    with tempfile.TemporaryDirectory() as folder:
        kinspan.save(clf, Path(folder) / "model.kinspan")
        again = kinspan.load(Path(folder) / "model.kinspan")
    assert (again.coef_ == clf.coef_).all()
    str(clf.explain_transfer("3 vs 8")), str(clf.labels_needed("3 vs 8", 0.01))
    assert "kinspan[report]" in _refusal(clf)
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Python {version}: accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
