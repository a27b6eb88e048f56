"""Parameters of the estimators → the same in the types that the mathematics takes."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import Any

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.keys import RowKey
from kinspan._rows.types import Floats, Ids
from kinspan._validation.messages import short, some
from kinspan._validation.numbers import is_number, real_numbers
from kinspan._validation.thresholds import check_threshold
from kinspan.exceptions import TooFewClassesError

MISSING = ("impute", "refuse")
_CHOICES: dict[str, tuple[Any, ...]] = {
    "labels": ("auto", "spectral", "plugin", "naive", "single"),
    "scale": ("auto", "pooled", "task", None),
    "multi_class": ("shared", "one-vs-all"),
    "unseen": ("error", "shared"),
    "unseen_classes": ("never", "share"),
    "missing": MISSING,
}


def check_priors(priors: Any, counts: Floats) -> Floats:
    """(tasks, classes) class priors, positive for every class."""
    if priors is None:
        chosen = np.ones(counts.shape)
    elif isinstance(priors, str) and priors == "empirical":
        chosen = np.where(counts > 0, counts, 1.0)
        chosen = chosen / chosen.sum(axis=1, keepdims=True)
        known = (counts > 0).sum(axis=1) > 1  # a new task gets the geometric mean of the others
        usual = np.exp(np.log(chosen[known]).mean(axis=0)) if known.any() else 1.0
        chosen = np.where(known[:, None], chosen, usual)
    else:
        chosen = np.broadcast_to(_check_prior_array(priors, counts.shape[1]), counts.shape)
    return np.asarray(chosen / chosen.sum(axis=1, keepdims=True))


def check_shares(priors: Any, counts: Floats) -> Floats | None:
    """(tasks,) shares of the second class among new rows, where they are given."""
    if priors is None or isinstance(priors, str):
        return None
    return check_priors(priors, counts)[:, 1]


def check_pos_label(pos_label: Any, classes: Ids) -> bool:
    """Whether it is the first of two classes; None is the second."""
    if pos_label is None:
        return False
    known = classes.tolist()
    if len(known) != 2:
        raise ValueError(
            f"pos_label={pos_label!r} is for two classes, and there are {len(known)}; use None"
        )
    place = -1
    if isinstance(pos_label, Hashable):
        place = int(identifiers.lookup(classes, identifiers.as_array([pos_label]))[0])
    if place < 0:
        raise ValueError(f"pos_label={short(pos_label)} is not among the classes, {some(known)}")
    return place == 0


def check_costs(class_weight: Any, classes: Ids, priors: Floats) -> Floats:
    """(classes,) or (tasks, classes): the cost of an error in every class."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return 1.0 / priors
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight={class_weight!r}; use None, 'balanced' or a dict")
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and any(label not in class_weight for label in labels):
        raise ValueError(f"class_weight names {some(unknown)}, but the classes are {some(labels)}")
    costs = real_numbers("class_weight", [class_weight.get(label, 1.0) for label in labels])
    if not np.isfinite(costs).all() or (costs <= 0).any():
        raise ValueError(f"class_weight={class_weight!r}; every weight must be positive and finite")
    return costs


def _check_prior_array(priors: Any, n_classes: int) -> Floats:
    if isinstance(priors, str):
        raise ValueError(
            f"priors={priors!r}; use None (equal), 'empirical', or one number per class"
        )
    array = real_numbers("priors", priors)
    if array.shape != (n_classes,):
        raise ValueError(f"priors has shape {array.shape}; {n_classes} classes need ({n_classes},)")
    if not np.isfinite(array).all() or (array <= 0).any():
        raise ValueError(f"priors={array.tolist()}; every class needs a positive finite prior")
    return array


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """A parameter that must be one of a few values."""
    if not any(
        value is choice or (isinstance(value, str) and value == choice) for choice in choices
    ):
        raise ValueError(f"{name}={value!r}; use one of {', '.join(map(repr, choices))}")


def check_type(name: str, value: Any, kind: type) -> None:
    """An argument of one of our own types."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is of type {type(value).__name__}; pass {kind.__name__}")


def check_path(path: Any) -> None:
    """The name of a file."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is {path!r}; pass the name of a file, as text or as a Path")


def check_parameters(estimator: Any) -> None:
    """The parameters of MultiTaskSPCA that do not depend on the data."""
    for name, choices in _CHOICES.items():
        check_choice(name, getattr(estimator, name), choices)
    check_metric(estimator.metric, estimator.row_sample)
    check_threshold(estimator.threshold)
    check_random_state(estimator.random_state)
    check_label_noise(estimator.label_noise)
    if estimator.label_noise is not None and estimator.row_sample == 0:
        raise ValueError(
            f"label_noise={estimator.label_noise!r} needs sampled rows; use row_sample=100, or "
            "label_noise=None"
        )
    forget = estimator.forget
    if not is_number(forget) or not 0 <= forget < 1:
        raise ValueError(f"forget={forget!r}; use a rate of at least 0 and below 1, such as 0.01")


def check_metric(metric: Any, row_sample: Any) -> None:
    """The share of the covariance in the metric, and the number of rows it comes from."""
    check_row_sample(row_sample)
    if isinstance(metric, str) and metric == "auto":
        return
    if not is_number(metric) or not 0 <= metric < 1:
        raise ValueError(f"metric={metric!r}; use 'auto' or a share of at least 0 and below 1")
    if metric > 0 and row_sample == 0:
        raise ValueError(f"metric={metric!r} needs sampled rows; use row_sample=100, or metric=0")


def check_label_noise(label_noise: Any, n_classes: int | None = None) -> Floats | None:
    """(classes,) shares of wrong labels, where they are given; None where they are not."""
    if label_noise is None or (isinstance(label_noise, str) and label_noise == "auto"):
        return None
    way_out = "use None, 'auto', or a share of at least 0 and below 0.5, one or one per class"
    if isinstance(label_noise, (str, dict)):
        raise ValueError(f"label_noise={label_noise!r}; {way_out}")
    rates = real_numbers("label_noise", label_noise)
    if rates.ndim > 1 or not np.isfinite(rates).all() or (rates < 0).any() or (rates >= 0.5).any():
        raise ValueError(f"label_noise={label_noise!r}; {way_out}")
    if n_classes is not None and rates.shape not in ((), (n_classes,)):
        raise ValueError(
            f"label_noise has shape {rates.shape}; {n_classes} classes need ({n_classes},)"
        )
    return rates if n_classes is None else np.broadcast_to(rates, (n_classes,))


def check_random_state(random_state: Any) -> RowKey:
    """The key of the hash of rows."""
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if random_state is not None and not (whole and random_state >= 0):
        raise ValueError(
            f"random_state, of type {type(random_state).__name__}, is no whole number or negative; "
            "use None or a whole number, such as secrets.randbits(128)"
        )
    return RowKey.of(random_state)


def check_row_sample(row_sample: Any) -> int:
    """The number of rows to keep of every cell."""
    is_whole = isinstance(row_sample, (int, np.integer)) and not isinstance(row_sample, bool)
    if not is_whole or row_sample < 0:
        raise ValueError(
            f"row_sample={row_sample!r}; use the number of rows to keep of a cell, or 0"
        )
    return int(row_sample)


def check_n_components(n_components: int | None, available: int) -> int:
    """The number of components of `transform`."""
    if n_components is None:
        return available
    if not isinstance(n_components, (int, np.integer)) or not 1 <= n_components <= available:
        raise ValueError(
            f"n_components={n_components!r}; use a number from 1 to {available}, or None"
        )
    return int(n_components)


def check_several_classes(classes: Ids) -> None:
    """A classifier needs two classes."""
    if len(classes) == 0:
        raise TooFewClassesError("y has no label in any row; a classifier needs two classes")
    if len(classes) < 2:
        raise TooFewClassesError(
            f"y contains one class, {classes.tolist()[0]!r}; a classifier needs at least two"
        )


def check_declared(labels: Ids, declared: Ids) -> None:
    """Labels among the classes that `classes` announced."""
    unknown = identifiers.encode(labels[identifiers.lookup(declared, labels) < 0])[0].tolist()
    if unknown:
        raise ValueError(
            f"y contains {some(unknown)}, which classes did not announce; it has "
            f"{some(declared.tolist())}. Announce it with classes= in this call, or do without it"
        )


def check_positive(name: str, value: Any) -> int:
    """A parameter that is a whole number from 1."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r}; use a whole number of at least 1")
    return int(value)


def check_n_jobs(n_jobs: Any) -> None:
    """A number of processes, as joblib counts them."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and n_jobs != 0):
        raise ValueError(
            f"n_jobs={n_jobs!r}; use a whole number of processes, -1 for one per core, or None"
        )


def check_error_rate(error: Any) -> float:
    """A rate of errors to reach."""
    if not is_number(error) or not 0 < error < 1:
        raise ValueError(f"wanted={error!r}; use a rate above 0 and below 1, such as 0.05")
    return float(error)


def check_more_labels(more: Any) -> Floats:
    """Numbers of labels to add."""
    array = real_numbers("more", more)
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError(f"more={more!r}; use numbers of labels, 0 or more")
    return array
