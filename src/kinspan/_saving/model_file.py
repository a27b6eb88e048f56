"""Models, statistics and moments in files of one kind: plain arrays and JSON, never pickle."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinspan import class_moments
from kinspan._memory import statistics
from kinspan._memory.learnt import Learnt, rule_parameters
from kinspan._memory.statistics import Statistics
from kinspan._memory.threads import snapshot
from kinspan._rows import identifiers
from kinspan._saving import rules
from kinspan._storage import container
from kinspan._storage.atomic_files import write_atomically
from kinspan._storage.container import Record, together
from kinspan._validation.fitted import check_loaded, names_of
from kinspan._validation.parameters import MISSING, check_parameters, check_path, check_type
from kinspan.class_moments import ClassMoments
from kinspan.exceptions import StoredDataError
from kinspan.spca import MultiTaskSPCA
from kinspan.tables.model import TableModel, table_model
from kinspan.tables.recipe import recipe_of

KIND = "model"


def save(what: MultiTaskSPCA | Statistics | ClassMoments, path: str | os.PathLike[str]) -> None:
    """Write a fitted model, statistics or moments to a file.

    The file has plain arrays and JSON in it and nothing that runs when it is read. It is written
    whole or not at all: a crash leaves what was there before. A process that is killed meanwhile
    may leave a hidden file `.kinspan-…` next to it, which the next one that saves there removes.

    Parameters
    ----------
    what : fitted MultiTaskSPCA, Statistics or ClassMoments
        A model keeps what it has learnt, sampled rows among it: it can go on learning.
    path : str or path

    Examples
    --------
    >>> import tempfile, kinspan
    >>> from kinspan.datasets import load_digit_pairs
    >>> digits = load_digit_pairs(n_per_class=3)
    >>> clf = kinspan.MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kinspan.save(clf, f"{folder}/digits.kinspan")
    ...     again = kinspan.load(f"{folder}/digits.kinspan")
    >>> bool((again.coef_ == clf.coef_).all())
    True
    """
    check_path(path)
    recipe = what._recipe if isinstance(what, TableModel) else None
    notes = None if recipe is None else {"recipe": recipe.to_json()}
    write_atomically(path, to_bytes(what, notes))


def load(path: str | os.PathLike[str]) -> Any:
    """Read what `save` wrote; StoredDataError where the file is anything else.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    MultiTaskSPCA, Statistics or ClassMoments
        The model of `kinspan fit` is a `kinspan.tables.TableModel`, which takes rows as its table
        had them.
    """
    model, notes = load_with_notes(path)
    recipe = recipe_of(notes)
    is_model = isinstance(model, MultiTaskSPCA)
    return model if recipe is None or not is_model else table_model(model, recipe)


def load_with_notes(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any] | None]:
    """The same, and the notes that were stored with it."""
    try:
        return with_notes(_read(path))
    except StoredDataError as error:
        raise StoredDataError(f"{os.fspath(path)}: {error}") from None


def to_bytes(
    what: MultiTaskSPCA | Statistics | ClassMoments, notes: dict[str, Any] | None = None
) -> bytes:
    """The bytes of what `save` writes, with notes that can be JSON."""
    kind, record = _recorded(what)
    if notes is not None:
        record = together(record, Record({"notes": notes}, {}))
    return container.pack(container.Contents(kind, record))


def from_bytes(buffer: bytes | bytearray | memoryview) -> Any:
    """What `to_bytes` made bytes of."""
    return with_notes(buffer)[0]


def with_notes(buffer: bytes | bytearray | memoryview) -> tuple[Any, dict[str, Any] | None]:
    """What `to_bytes` made bytes of, and its notes."""
    readers = {
        KIND: _to_model,
        statistics.KIND: Statistics.from_record,
        class_moments.KIND: ClassMoments.from_record,
    }
    kind, record = container.unpack(buffer, *readers)
    return readers[kind](record), record.meta.get("notes")


def _recorded(what: Any) -> tuple[str, Record]:
    if isinstance(what, ClassMoments):
        return class_moments.KIND, what.record()
    if isinstance(what, Statistics):
        return statistics.KIND, what.record()
    check_type("what", what, MultiTaskSPCA)
    check_is_fitted(what)
    check_parameters(what)
    return KIND, _of_model(snapshot(what))


def _read(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, of which a foreign one is not read beyond its first."""
    check_path(path)
    with Path(path).open("rb") as file:
        start = file.read(len(container.MAGIC))
        return start + file.read() if start == container.MAGIC else start + file.read(100)


def _of_model(model: MultiTaskSPCA) -> Record:
    """Parameters, what was learnt, and the rules, so that reading does not find them again."""
    names = names_of(model)
    learnt = model._learnt
    declared = learnt.declared
    parameters = {**model.get_params(), **learnt.parameters}  # those that rules are found with
    del parameters["random_state"]  # it may be a secret; samples keep the name of their key
    if parameters["missing"] == MISSING[0]:
        del parameters["missing"]  # the default, which earlier versions do not know
    if parameters["label_noise"] is None:
        del parameters["label_noise"]  # likewise
    if parameters["unlabelled"] is None:
        del parameters["unlabelled"]  # likewise
    if parameters["pos_label"] is None:
        del parameters["pos_label"]
    if parameters["threshold"] is None:
        del parameters["threshold"]
    elif isinstance(parameters["threshold"], dict):
        parameters["threshold"] = _Json(parameters["threshold"])
    about = {
        "parameters": {name: _of_parameter(v) for name, v in parameters.items()},
        "n_features_in": int(model.n_features_in_),
        "feature_names_in": names,
        "declared": None if declared is None else identifiers.to_json(declared),
    }
    whole, free = learnt.statistics, learnt.statistics.unlabelled
    parts = [Record(about, {}), whole.record().under("statistics")]
    if free is not None and free.sample is None:  # moments alone are where all versions find them
        parts[1] = replace(whole, unlabelled=None).record().under("statistics")
        parts.append(free.moments.record().under("unlabelled"))
    if len(model.classes_) > 1:
        parts.append(rules.record_of(learnt.rules).under("rules"))
    return together(*parts)


def _to_model(record: Record) -> MultiTaskSPCA:
    with container.reading(KIND):
        meta = record.meta
        parameters = {name: _to_parameter(value) for name, value in meta["parameters"].items()}
        model = MultiTaskSPCA(**parameters)
        model._learnt = _to_learnt(record, rule_parameters(model))
        model.n_features_in_ = int(meta["n_features_in"])
        if meta["feature_names_in"] is not None:
            model.feature_names_in_ = np.array(meta["feature_names_in"], dtype=object)
        check_loaded(model)
    return model


def _to_learnt(record: Record, parameters: dict[str, Any]) -> Learnt:
    meta, declared = record.meta, record.meta["declared"]
    whole = Statistics.from_record(record.part("statistics"))
    found = None
    if "unlabelled" in meta:  # without sampled rows they are next to the statistics
        free = Statistics(ClassMoments.from_record(record.part("unlabelled")), None)
        whole = whole.next_to(replace(free, feature_names=whole.feature_names))
    if "rules" in meta:
        found = rules.rules_of(record.part("rules"))
    expected = None if declared is None else identifiers.from_json(declared)
    return Learnt(parameters, ((1, whole),), expected, found)


class _Json(NamedTuple):
    """A dictionary by text, of numbers, text and matrices."""

    value: dict[str, Any]


def _of_parameter(value: Any) -> Any:
    """Parameters as JSON: dictionaries by class and arrays of priors have no form there."""
    if isinstance(value, _Json):
        return {"json": {name: _plain(part) for name, part in value.value.items()}}
    if isinstance(value, dict):
        keys = identifiers.to_json(identifiers.as_array(list(value)))
        return {"classes": keys, "weights": [float(v) for v in value.values()]}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [float(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) or value is None else np.asarray(value).tolist()


def _to_parameter(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "json" in value:
        return dict(value["json"])
    return dict(
        zip(identifiers.from_json(value["classes"]).tolist(), value["weights"], strict=True)
    )
