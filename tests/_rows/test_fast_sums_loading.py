"""When numba is loaded, and what happens where it is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="numba is not installed: pip install 'kinspan[fast]'"
)


def run(code: str, **environment: str) -> str:
    shown = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return shown.stdout.strip()


FORCED = (
    "import sys, numpy as np; {before}; "
    "from kinspan import ClassMoments; from kinspan._rows import machine_code; "
    "machine_code.MANY_NUMBERS = {many}; X = np.arange(12.0).reshape(6, 2); "
    "m = ClassMoments.from_samples(X, [0, 0, 0, 0, 1, 1]); "
    "print(m.squares.tolist(), 'numba' in sys.modules and sys.modules['numba'] is not None)"
)
SQUARES = "[[[20.0, 20.0], [2.0, 2.0]]]"


@needs_numba
def test_numba_is_loaded_from_a_number_of_numbers_on() -> None:
    """Neither an import nor a small fit does."""
    code = (
        "import sys; from kinspan import MultiTaskSPCA; "
        "from kinspan.datasets import load_digit_pairs; d = load_digit_pairs(n_per_class=3); "
        "MultiTaskSPCA().fit(d.X, d.y, task=d.task); print('numba' in sys.modules); "
        + FORCED.format(before="pass", many=13)
        + "; machine_code.MANY_NUMBERS = 12; m = ClassMoments.from_samples(X, [0, 0, 0, 0, 1, 1]); "
        "print(m.squares.tolist(), 'numba' in sys.modules)"
    )
    assert run(code).splitlines() == ["False", f"{SQUARES} False", f"{SQUARES} True"]


def test_everything_works_without_numba() -> None:
    without = "sys.modules['numba'] = None"
    assert run(FORCED.format(before=without, many=0)) == f"{SQUARES} False"


@pytest.mark.long
@needs_numba
def test_no_folder_for_machine_code_is_no_error() -> None:
    nowhere = {"NUMBA_CACHE_LOCATOR_CLASSES": "NoSuchLocator"}
    assert run(FORCED.format(before="pass", many=0), **nowhere) == f"{SQUARES} True"
