"""Is the forecast of the error right? Compared with held-out rows of real data: `make forecast`.

Amazon reviews, each product in turn with 10, 20 or 50 labels per class and the others with 100,
twenty draws; Office-31 (EfficientNet-Lite2), a quarter of each target class labelled, three draws.
Limits: mean absolute gap at most .055 at 20 labels and .035 at 50, intervals that cover 80–97 %,
calibration error of the probabilities (ten bins) at most .05 at 50; on Office-31 a gap of at most
.025.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks._measure import RESULTS
from kinspan import MultiTaskSPCA
from kinspan.datasets import TaskDataset, load_amazon_reviews, load_office31

FIELDS = ["data", "labels", "target", "error", "forecast", "gap", "covered", "calibration"]
FIELDS += ["alone", "metric"]


def amazon_draws(data: TaskDataset, n: int, seed: int) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Every target with the training rows of one draw."""
    rng = np.random.default_rng(seed)
    cells = {
        (t, c): rng.permutation(np.flatnonzero((data.task == t) & (data.y == c)))
        for t in np.unique(data.task)
        for c in (0, 1)
    }
    for target in np.unique(data.task):
        yield (
            str(target),
            np.concatenate([i[: n if t == target else 100] for (t, _), i in cells.items()]),
        )


def office_draws(data: TaskDataset, seed: int) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Every target with a quarter of each of its classes, and all rows of the others."""
    rng = np.random.default_rng(seed)
    for target in np.unique(data.task):
        rows = [np.flatnonzero(data.task != target)]
        for c in np.unique(data.y):
            of_class = rng.permutation(np.flatnonzero((data.task == target) & (data.y == c)))
            rows.append(of_class[: max(1, round(len(of_class) / 4))])
        yield str(target), np.concatenate(rows)


def measure(data: TaskDataset, target: str, train: NDArray[np.intp]) -> list[float]:
    """Error, forecast, gap, coverage, calibration error, forecast alone, metric of one target."""
    model = MultiTaskSPCA().fit(data.X[train], data.y[train], task=data.task[train])
    test = np.setdiff1d(np.flatnonzero(data.task == target), train)
    probability = model.predict_proba(data.X[test], task=target)
    right = model.classes_[probability.argmax(axis=1)] == data.y[test]
    error, t = 1.0 - float(right.mean()), model.tasks_.tolist().index(target)
    low, high = model.forecast_interval_[t]
    forecast = float(model.forecast_error_[t])
    calibration = calibration_error(probability.max(axis=1), right)
    figures = [error, forecast, abs(forecast - error), low <= error <= high, calibration]
    return [float(f) for f in [*figures, model.single_task_error_[t], model.metric_[t]]]


def calibration_error(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Mean absolute difference between confidence and accuracy over ten bins of confidence."""
    bins = np.minimum((confidence * 10).astype(int), 9)
    return float(
        sum(
            abs(confidence[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
            for b in np.unique(bins)
        )
    )


def main() -> None:
    amazon, office = load_amazon_reviews(), load_office31()
    runs = [
        (f"Amazon {n}", str(n), amazon, target, train)
        for n in (10, 20, 50)
        for seed in range(20)
        for target, train in amazon_draws(amazon, n, seed)
    ]
    runs += [
        ("Office-31", "quarter", office, target, train)
        for seed in range(3)
        for target, train in office_draws(office, seed)
    ]
    labels = [[name, n, target] for name, n, _, target, _ in runs]
    figures = [measure(data, target, train) for _, _, data, target, train in runs]
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "forecast.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for label, row in zip(labels, figures, strict=True):
            writer.writerow([*label, *(f"{value:.4f}" for value in row)])
    for name in dict.fromkeys(label[0] for label in labels):
        means = np.mean([r for of, r in zip(labels, figures, strict=True) if of[0] == name], axis=0)
        print(
            name, *(f"{field} {value:.3f}" for field, value in zip(FIELDS[3:], means, strict=True))
        )


if __name__ == "__main__":
    main()
