"""The real files, where they are: rows per task and classes as their description says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import RidgeClassifier

from kinspan.datasets import (
    load_amazon_reviews,
    load_mnist,
    load_office31,
    load_office_caltech,
    load_office_home,
)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(autouse=True)
def _real_data(monkeypatch: pytest.MonkeyPatch) -> None:
    if not DATA.is_dir():
        pytest.skip("the real data are not in shared/data beside the repository")
    monkeypatch.setenv("KINSPAN_DATA", str(DATA))


def rows_per_task(dataset: Any) -> dict[str, int]:
    tasks, counts = np.unique(dataset.task, return_counts=True)
    return dict(zip(tasks.tolist(), counts.tolist(), strict=True))


def test_amazon_frequencies() -> None:
    reviews = load_amazon_reviews()
    assert reviews.X.shape == (7996, 400)
    assert rows_per_task(reviews) == {
        "books": 2000,
        "dvd": 1999,
        "electronics": 1998,
        "kitchen": 1999,
    }
    np.testing.assert_allclose(np.asarray(reviews.X.sum(axis=1)), 1, rtol=1e-5)
    assert set(reviews.y) == {0, 1}


def test_amazon_counts() -> None:
    reviews = load_amazon_reviews("counts5000")
    assert isinstance(reviews.X, csr_array)
    assert reviews.X.shape == (27_677, 5000)
    assert reviews.split is not None
    train = reviews.task[reviews.split == "train"]
    assert np.unique(train, return_counts=True)[1].tolist() == [2000] * 4
    assert set(reviews.y) == {0, 1}


@pytest.mark.parametrize(
    ("load", "source", "target", "known"),
    [
        (load_amazon_reviews, "electronics", "kitchen", 0.834),
        (load_office_caltech, "caltech10", "amazon", 0.525),
        (load_office31, "amazon", "webcam", 0.789),
    ],
)
def test_a_class_means_the_same_in_another_task(
    load: Any, source: str, target: str, known: float
) -> None:
    data = load()
    train, test = data.task == source, data.task == target
    ridge = RidgeClassifier().fit(data.X[train], data.y[train])
    # the known accuracies are of classifiers tuned to each dataset, this one is not
    assert ridge.score(data.X[test], data.y[test]) > known - 0.1


def test_mnist() -> None:
    mnist = load_mnist()
    assert mnist.X.shape == (70_000, 784)
    assert mnist.split is not None
    assert (mnist.split == "train").sum() == 60_000
    assert np.unique(mnist.y).tolist() == list(range(10))


def test_surf() -> None:
    surf = load_office_caltech()
    assert surf.X.shape == (2533, 800)
    assert rows_per_task(surf) == {"amazon": 958, "caltech10": 1123, "dslr": 157, "webcam": 295}
    np.testing.assert_allclose(np.square(np.asarray(surf.X)).sum(axis=1), 1)


def test_surf_and_deep_features_are_of_the_same_images_per_class() -> None:
    surf, deep = load_office_caltech(), load_office_caltech("efficientnet-lite2")
    assert surf.classes == deep.classes
    for task in np.unique(surf.task):
        np.testing.assert_array_equal(
            np.bincount(surf.y[surf.task == task]), np.bincount(deep.y[deep.task == task])
        )


def test_office31() -> None:
    office = load_office31()
    assert rows_per_task(office) == {"amazon": 2817, "dslr": 498, "webcam": 795}
    assert len(office.classes) == office.y.max() + 1 == 31
    assert office.X.dtype == np.float32


def test_office_home() -> None:
    office = load_office_home()
    assert rows_per_task(office) == {
        "Art": 2427,
        "Clipart": 4365,
        "Product": 4439,
        "RealWorld": 4357,
    }
    assert len(office.classes) == office.y.max() + 1 == 65
