"""Many small, related classification tasks: one closed-form fit, nothing to tune.

The method, one step per file or package (the listing of this package is the method)::

    X, y, task
      → class_moments   1  counts, means and second moments of every cell (one class of one task)
      → row_sample      1b a bounded sample of rows of every cell, chosen by their content
                           ← merge here: batches, files, machines, sites
      → metric          2  a common scale and a share of the covariance
      → gram            3  contrasts and their unbiased inner products: how related the tasks are
      → labels          4  the weight of every task for every target
      → scores          5  directions and rules; rows → scores and probabilities
      → risk            6  the error to expect, from rows that are left out in closed form
      → selection       6b candidates for the rules, combined for every task by the evidence
      → spca            7  all of it as a scikit-learn classifier

After step 1 nothing grows with the number of samples.
"""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinspan._memory.statistics import Statistics
    from kinspan._saving.model_file import load, save
    from kinspan.class_moments import ClassMoments
    from kinspan.exceptions import (
        InexactRemovalWarning,
        PrecisionWarning,
        StoredDataError,
        UnitsWarning,
    )
    from kinspan.model_selection import (
        TaskReport,
        TaskStratifiedKFold,
        make_task_scorer,
        task_report,
    )
    from kinspan.row_sample import RowSample
    from kinspan.spca import MultiTaskSPCA

__version__ = "0.1.0"

__all__ = [
    "ClassMoments",
    "InexactRemovalWarning",
    "MultiTaskSPCA",
    "PrecisionWarning",
    "RowSample",
    "Statistics",
    "StoredDataError",
    "TaskReport",
    "TaskStratifiedKFold",
    "UnitsWarning",
    "load",
    "make_task_scorer",
    "save",
    "task_report",
]

# Where the public names are defined: they are imported when they are used first, because importing
# scikit-learn takes longer than anything that most programs do with kinspan.
_MODULES = {
    "ClassMoments": "class_moments",
    "InexactRemovalWarning": "exceptions",
    "MultiTaskSPCA": "spca",
    "PrecisionWarning": "exceptions",
    "RowSample": "row_sample",
    "Statistics": "_memory.statistics",
    "StoredDataError": "exceptions",
    "UnitsWarning": "exceptions",
    "load": "_saving.model_file",
    "save": "_saving.model_file",
}


def __getattr__(name: str) -> Any:
    if name in __all__:
        module = _import_module(f"kinspan.{_MODULES.get(name, 'model_selection')}")
        value = globals()[name] = getattr(module, name)
        return value
    if not name.startswith("_") and _find_spec(f"kinspan.{name}") is not None:
        return _import_module(f"kinspan.{name}")  # a room, as if it had been imported
    raise AttributeError(f"module 'kinspan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
