"""Errors and warnings can be caught by their public names, and survive other processes."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import kinspan
from kinspan import MultiTaskSPCA, exceptions


def test_every_class_of_errors_is_here_and_is_documented() -> None:
    """Private modules define none of their own."""
    package = Path(exceptions.__file__).parent
    elsewhere = [path for path in package.rglob("*.py") if path.name != "exceptions.py"]
    derived = re.compile(r"^class \w+\([^)]*(Error|Warning|Exception)\b", re.MULTILINE)
    assert [path for path in elsewhere if derived.search(path.read_text(encoding="utf-8"))] == []
    for name in exceptions.__all__:
        kind = getattr(exceptions, name)
        assert inspect.getdoc(kind)
        assert issubclass(kind, (ValueError, UserWarning))
        assert kind.__module__ == "kinspan.exceptions"
        assert getattr(kinspan, name, kind) is kind


def test_a_file_error_names_its_file_after_a_journey() -> None:
    error = pickle.loads(pickle.dumps(exceptions.FileError(Path("a.csv"), "it is empty")))
    assert (error.path, error.reason, str(error)) == (
        Path("a.csv"),
        "it is empty",
        "a.csv: it is empty",
    )


def test_one_class_so_far_can_be_caught_and_hides_attributes() -> None:
    clf = MultiTaskSPCA().partial_fit(np.eye(3), [1, 1, 1])
    with pytest.raises(exceptions.TooFewClassesError, match="y contains one class, 1"):
        clf.predict(np.eye(3))
    assert not hasattr(clf, "coef_")
