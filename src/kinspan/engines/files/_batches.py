"""Files → batches of rows in their order, and the answers of a model for them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from kinspan._rows.types import Floats, Ids
from kinspan._validation import messages
from kinspan._validation.parameters import check_choice
from kinspan.tables.dialect import check_dialect
from kinspan.tables.errors import naming_file
from kinspan.tables.ids import is_plain, kind_of
from kinspan.tables.lacking import widened
from kinspan.tables.paths import find, is_matrix
from kinspan.tables.reading import columns_of, layout_of, rows_of
from kinspan.tables.request import Request, check_request


class Batch(NamedTuple):
    """Some rows of a file; the first four are what `model.partial_fit` takes."""

    X: Any  # (rows, features) array, or CSR from .npz
    y: Ids | None  # (rows,), where a label was named
    task: Ids | None
    sample_weight: Floats | None
    path: Path
    first_row: int  # the position of the first row in its file, from 0


class Answers(NamedTuple):
    """The answers of a model for some rows of a file."""

    values: NDArray[Any]  # one per row
    task: Ids | None  # (rows,), where a task was named
    path: Path
    first_row: int  # the position of the first row in its file, from 0


def batches(
    paths: Any,
    *,
    label: Any = None,
    task: Any = None,
    features: Sequence[str] | str | None = None,
    sample_weight: Any = None,
    as_text: Sequence[str] | str = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    batch_rows: int | None = None,
) -> Iterator[Batch]:
    """Rows of files in their order, a batch at a time, in constant memory.

    Parameters
    ----------
    paths, label, task, features, sample_weight, as_text, delimiter, encoding, decimal, batch_rows
        As in `statistics`; here nothing but `paths` is needed.

    Yields
    ------
    Batch

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from kinspan.engines import files
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = pathlib.Path(folder.name, "a.csv").write_text("size,shop\\n1,x\\n2,y\\n3,y\\n")
    >>> for batch in files.batches(folder.name, task="shop", batch_rows=2):
    ...     print(batch.first_row, batch.X.ravel(), batch.task)
    0 [1. 2.] ['x' 'y']
    2 [3.] ['y']
    >>> folder.cleanup()
    """
    dialect = check_dialect(delimiter, encoding, decimal)
    request = check_request(task, label, sample_weight, features, as_text, dialect, batch_rows)
    return _batches(find(paths, request), request)


def _batches(
    files: list[Path], request: Request, kinds: dict[str, str] | None = None
) -> Iterator[Batch]:
    """Batches of all files; a model may know the kinds of ids in advance."""
    layout = None
    for path in files:
        layout = layout or layout_of(path, request)
        here = layout or layout_of(path, request, ("task", "label"))  # without rows, or ids
        if here is None:
            continue
        if kinds:
            here = here._replace(first="the model", kinds=kinds)
        for rows in rows_of(path, None, request, here):
            label, task = (
                None if coded is None else coded.values() for coded in (rows.label, rows.task)
            )
            yield Batch(rows.X, label, task, rows.weights, path, rows.first_row)


def predict(
    model: Any,
    paths: Any,
    *,
    task: Any = None,
    method: str = "predict",
    features: Sequence[str] | str | None = None,
    as_text: Sequence[str] | str = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    batch_rows: int | None = None,
) -> Iterator[Answers]:
    """The answers of a fitted model for the rows of files, in their order, in constant memory.

    Parameters
    ----------
    model : MultiTaskSPCA
        A fitted model. Columns are found by the names that it knows; files may lack those of which
        some task of the model has no value.
    task
        As in `statistics`; by default the `task_column` of the model.
    method : {"predict", "predict_proba", "decision_function", "transform"}, default="predict"
        What to ask of the model.
    paths, features, as_text, delimiter, encoding, decimal, batch_rows
        As in `statistics`; `features` is needed only if the model knows no names.

    Yields
    ------
    Answers

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.engines import files
    >>> folder = tempfile.TemporaryDirectory()
    >>> rows = "size,shop,sold\\n1,x,no\\n2,y,no\\n3,y,yes\\n2,x,yes\\n"
    >>> _ = pathlib.Path(folder.name, "a.csv").write_text(rows)
    >>> clf = files.fit(MultiTaskSPCA(), folder.name, task="shop", label="sold")
    >>> [answers.values.tolist() for answers in files.predict(clf, folder.name, task="shop")]
    [['no', 'no', 'yes', 'yes']]
    >>> folder.cleanup()
    """
    check_choice("method", method, _METHODS)
    with messages.naming("model"):
        check_is_fitted(model)
    task = model.task_column if task is None else task
    known = getattr(model, "feature_names_in_", None)
    if features is None and known is not None:
        features = [name for name in known if name != model.task_column]
    dialect = check_dialect(delimiter, encoding, decimal)
    request = check_request(task, None, None, features, as_text, dialect, batch_rows)
    ask = getattr(without_names(model), method)
    kind = kind_of(model.tasks_)
    kinds = {"task": kind} if task is not None and is_plain(kind) else {}
    found = find(paths, request)
    may_lack = _may_lack(model)
    if not may_lack or any(is_matrix(path) for path in found):
        return _answers(ask, _batches(found, request, kinds))
    return _answers(ask, (b for path in found for b in _wide(path, request, kinds, may_lack)))


_METHODS = ("predict", "predict_proba", "decision_function", "transform")


def without_names(model: Any) -> Any:
    """The same model for plain arrays, whose columns were selected by name before."""
    plain = copy.copy(model)
    vars(plain).pop("feature_names_in_", None)
    plain.n_features_in_ -= plain.task_column is not None
    plain.task_column = None
    return plain


def _may_lack(model: Any) -> set[str]:
    """Features that files may lack: some task of the model has no value of them."""
    known = getattr(model, "feature_names_in_", None)
    if known is None or model.missing != "impute":
        return set()
    names = [name for name in known if name != model.task_column]
    return set(np.array(names, dtype=object)[model._learnt.is_optional])


def _wide(
    path: Path, request: Request, kinds: dict[str, str], may_lack: set[str]
) -> Iterator[Batch]:
    """Batches of a file, with NaN for features that it lacks, and may lack."""
    wanted, names = request.features, columns_of(path, request)
    assert isinstance(wanted, tuple)
    kept = tuple(name for name in wanted if name in names or name not in may_lack)
    for batch in _batches([path], request._replace(features=kept), kinds):
        yield batch._replace(X=widened(batch.X, kept, wanted))


def _answers(ask: Any, found: Iterator[Batch]) -> Iterator[Answers]:
    for batch in found:
        last = batch.first_row + batch.X.shape[0] - 1
        with naming_file(batch.path, f"rows {batch.first_row} to {last}: "):
            values = ask(batch.X, task=batch.task)
        yield Answers(values, batch.task, batch.path, batch.first_row)
