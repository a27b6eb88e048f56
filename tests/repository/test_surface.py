"""What is public, and what an import may cost."""

from __future__ import annotations

import subprocess
import sys

import kinspan


def test_every_public_name_is_there_and_documented() -> None:
    for name in kinspan.__all__:
        assert getattr(kinspan, name).__doc__


def shown(code: str) -> str:
    """What a new interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_optional_libraries_are_not_imported() -> None:
    """Nor is anything that scikit-learn does not import itself (it takes pandas where it is)."""
    code = (
        "import sys, sklearn.metrics, sklearn.model_selection, joblib; before = set(sys.modules); "
        "import kinspan.spca, kinspan._saving.model_file, kinspan.datasets, kinspan.baselines; "
        "import kinspan.theory, kinspan.export; "
        "import kinspan.displays, kinspan.report, kinspan.engines.files, kinspan.model_selection; "
        "new = {m.split('.')[0] for m in set(sys.modules) - before}; "
        "optional = {'array_api_compat', 'cvxpy', 'dask', 'matplotlib', 'numba', 'onnx', "
        "'pandas', 'plotly', 'polars', 'pyarrow', 'quadprog', 'torch', 'tqdm', 'triton', "
        "'typer'}; print(sorted(new & optional))"
    )
    assert shown(code) == "[]"


def test_an_import_alone_imports_no_other_library() -> None:
    """Names are imported when they are used: scikit-learn takes a second."""
    code = (
        "import sys; before = set(sys.modules); import kinspan; "
        "new = {m.split('.')[0] for m in set(sys.modules) - before}; "
        "print(sorted(new - set(sys.stdlib_module_names)), 'MultiTaskSPCA' in dir(kinspan)); "
        "print(kinspan.answers.__name__, hasattr(kinspan, 'nothing'))"
    )
    assert shown(code) == "['kinspan'] True\nkinspan.answers False"


def test_steps_do_not_import_each_other() -> None:
    """The listing is the pipeline: only `selection` and `spca` join the steps."""
    steps = ("class_moments", "row_sample", "metric", "gram", "labels", "scores", "risk")
    code = (
        "import importlib, sys, types\n"
        f"for step in {steps!r}:\n"
        "    for name in [m for m in sys.modules if m.split('.')[0] == 'kinspan']:\n"
        "        del sys.modules[name]\n"
        "    sys.modules['kinspan'] = p = types.ModuleType('kinspan')\n"
        f"    p.__path__ = {list(kinspan.__path__)!r}\n"
        "    importlib.import_module('kinspan.' + step)\n"
        f"    print(*[m for m in {steps!r} if 'kinspan.' + m in sys.modules])\n"
    )
    assert shown(code).splitlines() == list(steps)
