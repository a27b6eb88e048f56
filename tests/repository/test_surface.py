"""What is public, and what an import may cost."""

from __future__ import annotations

import subprocess
import sys

import kinspan


def test_every_public_name_is_there_and_documented() -> None:
    for name in kinspan.__all__:
        assert getattr(kinspan, name).__doc__


def test_optional_libraries_are_not_imported() -> None:
    """Nor is anything that scikit-learn does not import itself (it takes pandas where it is)."""
    code = (
        "import sys, sklearn.metrics, sklearn.model_selection; before = set(sys.modules); "
        "import kinspan, kinspan.datasets, kinspan.baselines, kinspan.theory, kinspan.export; "
        "new = {m.split('.')[0] for m in set(sys.modules) - before}; "
        "optional = {'array_api_compat', 'dask', 'matplotlib', 'numba', 'pandas', 'polars', "
        "'torch', 'tqdm', 'triton', 'typer'}; print(sorted(new & optional))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_steps_do_not_import_each_other() -> None:
    """The listing is the pipeline: only `_rules`, `_fit` and `spca` join the steps."""
    steps = ("class_moments", "row_sample", "metric", "gram", "labels", "scores", "risk")
    for step in steps:
        code = (
            f"import sys, types; sys.modules['kinspan'] = p = types.ModuleType('kinspan'); "
            f"p.__path__ = {list(kinspan.__path__)!r}; import kinspan.{step}; "
            f"print([m for m in {steps!r} if 'kinspan.' + m in sys.modules])"
        )
        shown = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert shown.stdout.strip() == f"['{step}']"
