"""Wrong labels: are they found, how many are there, and what does relying on them less gain?

`make wrong-labels`. Labels of training rows are replaced by others at random: 0, 10, 20 and 30 % of
every class of every task, or 30 % of every other class (of the first, where there are two).
Rankings of labels are compared, by the area under the ROC curve of wrong ones, with the probability
of the given label by logistic regression on other folds of the rows, fitted to each task and to the
rows of all tasks: what cleanlab ranks by. Accuracies on new rows, whose labels are right, are those
of label_noise=None, of label_noise="auto", and of a fit without the wrong rows, which nobody knows.

Data of the folder KINSPAN_DATA, ten draws of each. Limits: ranking no worse than both regressions,
within .01 for deep features; "auto" loses nothing on average and at most .3 points without wrong
labels, and gains with 30 % on digits and MNIST; rates within .05 up to 20 %; and no evidence where
no label is wrong.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._measure import RESULTS
from benchmarks._resumable import append_line
from kinspan import MultiTaskSPCA
from kinspan.datasets import (
    load_amazon_reviews,
    load_digit_pairs,
    load_mnist,
    load_office_caltech,
)

Floats = NDArray[np.float64]
WRONG = ("0 %", "10 %", "20 %", "30 %", "one class 30 %")
FIRST_DRAW = 0  # the method was developed on draws from 1000 on
MOST = 200  # rows per class and task that are predicted
_PAIRS = [(1, 4), (7, 9), (3, 8), (5, 6), (2, 9), (3, 5)]


class Rows(NamedTuple):
    """Labelled rows."""

    X: Any
    y: NDArray[Any]
    task: NDArray[Any]


class Line(NamedTuple):
    """What is measured on one draw."""

    data: str
    wrong: str
    draw: int
    accuracy: float  # per cent, label_noise=None
    gain: float  # points, label_noise="auto"
    gain_without_wrong: float  # points, of a fit without the wrong rows
    bias: float  # points, of the forecast, mean over tasks, with label_noise=None
    auto_bias: float  # points, the same with label_noise="auto"
    evidence: float  # the probability that there are wrong labels
    rate: float  # of wrong labels
    found: float  # the estimate of it
    class_error: float  # the mean distance between rates of classes and their estimates
    ranking: float  # the area under the curve
    own_regression: float  # the same of a regression for each task
    pooled_regression: float  # the same of one for all tasks


def digits(seed: int) -> tuple[Rows, Rows]:
    """All pairs of digits, 10 labels per class."""
    found = load_digit_pairs(10, random_state=seed)
    return Rows(found.X, found.y, found.task), Rows(found.X_test, found.y_test, found.task_test)


@cache
def _loaded(name: str) -> Rows:
    loaders: dict[str, Callable[[], Any]] = {
        "Amazon": load_amazon_reviews,
        "MNIST": lambda: load_mnist(_PAIRS),
        "Office-Caltech": lambda: load_office_caltech("efficientnet-lite2"),
    }
    found = loaders[name]()
    return Rows(np.asarray(found.X), np.asarray(found.y), np.asarray(found.task))


def drawn(name: str, n: int) -> Callable[[int], tuple[Rows, Rows]]:
    """Some labels per class of a set, and other rows to predict."""

    def draw(seed: int) -> tuple[Rows, Rows]:
        rows, rng = _loaded(name), np.random.default_rng([seed, 77])
        train, new = list[int](), list[int]()
        for t in np.unique(rows.task):
            for c in np.unique(rows.y):
                of_cell = rng.permutation(np.flatnonzero((rows.task == t) & (rows.y == c)))
                train += of_cell[:n].tolist()
                new += of_cell[n : n + MOST].tolist()
        return Rows(*(part[train] for part in rows)), Rows(*(part[new] for part in rows))

    return draw


SETS: dict[str, Callable[[int], tuple[Rows, Rows]]] = {
    "digits": digits,
    "Amazon": drawn("Amazon", 50),
    "MNIST": drawn("MNIST", 30),
    "Office-Caltech": drawn("Office-Caltech", 6),
}


def spoiled(rows: Rows, wrong: str, seed: int) -> NDArray[Any]:
    """Labels of which some are others; a fraction of a row is one row as often."""
    rng, labels = np.random.default_rng([seed, 78]), rows.y.copy()
    classes = np.unique(rows.y)
    share = float(wrong.split()[-2]) / 100
    spoilt = classes[::2] if wrong.startswith("one class") else classes
    for t in np.unique(rows.task):
        for c in spoilt:
            of_cell = np.flatnonzero((rows.task == t) & (rows.y == c))
            n = int(share * len(of_cell) + rng.random())
            chosen = rng.choice(of_cell, n, replace=False)
            others = classes[classes != c]
            labels[chosen] = rng.choice(others, n)
    return labels


def by_regression(rows: Rows) -> Floats:
    """The probability of every label by logistic regression on other folds."""
    _, codes = np.unique(rows.y, return_inverse=True)
    n_folds = int(max(2, min(5, np.bincount(codes).min())))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, and of classes with few rows
        p = cross_val_predict(model, rows.X, codes, cv=folds, method="predict_proba")
    return np.asarray(p[np.arange(len(codes)), codes])


def by_own_regression(rows: Rows) -> Floats:
    """The same with a regression for each task."""
    quality = np.empty(len(rows.y))
    for t in np.unique(rows.task):
        here = rows.task == t
        quality[here] = by_regression(Rows(*(part[here] for part in rows)))
    return quality


def line(name: str, wrong: str, seed: int) -> Line:
    """One draw of one set."""
    train, new = SETS[name](seed)
    noisy = train._replace(y=spoiled(train, wrong, seed))
    is_wrong = noisy.y != train.y

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of features with other units
        plain, auto = (
            MultiTaskSPCA(label_noise=how).fit(noisy.X, noisy.y, task=noisy.task)
            for how in (None, "auto")
        )
        right = MultiTaskSPCA().fit(
            *(part[~is_wrong] for part in noisy[:2]), task=noisy.task[~is_wrong]
        )
    accuracy, *others = (
        100.0 * of.score(new.X, new.y, task=new.task) for of in (plain, auto, right)
    )
    issues = plain.label_issues()
    quality = np.empty(len(noisy.y))
    quality[issues.index] = issues.label_quality
    ways = (quality, by_own_regression(noisy), by_regression(noisy))
    areas = [roc_auc_score(is_wrong, -q) if is_wrong.any() else np.nan for q in ways]
    measured = [
        *(accuracy, *(other - accuracy for other in others), _bias(plain, new), _bias(auto, new)),
        *(issues.evidence, float(is_wrong.mean()), issues.rate),
        *(_class_error(issues, noisy.y, is_wrong), *areas),
    ]
    return Line(name, wrong, seed, *map(float, measured))


def _bias(model: MultiTaskSPCA, new: Rows) -> float:
    """The forecast minus the true error, mean over tasks."""
    wrong = model.predict(new.X, task=new.task) != new.y
    errors = [wrong[new.task == t].mean() for t in model.tasks_]
    return float(100.0 * (model.forecast_error_ - errors).mean())


def _class_error(issues: Any, labels: NDArray[Any], is_wrong: NDArray[np.bool_]) -> float:
    """The mean distance between the rates of classes, over all tasks, and their estimates."""
    rates = issues.rates
    errors = [
        np.average(rates.rate[rates.label == c], weights=rates.labels[rates.label == c])
        - is_wrong[labels == c].mean()
        for c in np.unique(labels)
    ]
    return float(np.mean(np.abs(errors)))


def main(draws: int = 10) -> None:
    path, found = RESULTS / "wrong_labels.csv", list[Line]()
    path.unlink(missing_ok=True)
    for seed in range(FIRST_DRAW, FIRST_DRAW + draws):
        for name, wrong in ((name, wrong) for name in SETS for wrong in WRONG):
            found.append(line(name, wrong, seed))
            cells = [f"{value:.4f}" for value in found[-1][3:]]
            append_line(path, Line._fields, [*found[-1][:3], *cells])
    print(table(found))


def table(found: list[Line]) -> str:
    """Means over draws, as Markdown."""
    head = [
        *("data", "wrong labels", "accuracy", "gain", "worst draw", "without wrong rows"),
        *("forecast − error", "auto"),
        *("sure", "rate", "found", "by class ±", "ranking", "own regression", "pooled"),
    ]
    lines = ["| " + " | ".join(head) + " |", "|---|---|" + "--:|" * (len(head) - 2)]
    for data, wrong in dict.fromkeys(one[:2] for one in found):
        rows = [one for one in found if one[:2] == (data, wrong)]
        mean = Line(data, wrong, 0, *np.mean([one[3:] for one in rows], axis=0))
        worst, sure = min(one.gain for one in rows), sum(one.evidence >= 0.9 for one in rows)
        error = np.std([one.gain for one in rows]) / np.sqrt(max(len(rows) - 1, 1))
        areas = (mean.ranking, mean.own_regression, mean.pooled_regression)
        cells = [
            *(data, wrong, f"{mean.accuracy:.1f}", f"{mean.gain:+.2f} ± {error:.2f}"),
            *(f"{worst:+.1f}", f"{mean.gain_without_wrong:+.1f}"),
            *(f"{mean.bias:+.1f}", f"{mean.auto_bias:+.1f}", f"{sure} of {len(rows)}"),
            *(f"{value:.3f}" for value in (mean.rate, mean.found, mean.class_error)),
            *("" if np.isnan(value) else f"{value:.3f}" for value in areas),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
