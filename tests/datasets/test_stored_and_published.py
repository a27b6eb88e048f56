"""The stored `.npz` files and the published formats give the same rows."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from sklearn.datasets import dump_svmlight_file

from kinspan.datasets import (
    TaskDataset,
    load_amazon_reviews,
    load_mnist,
    load_office31,
    load_office_caltech,
    load_office_home,
)

PRODUCTS = ("books", "dvd", "electronics", "kitchen")
DOMAINS = ("amazon", "caltech10", "dslr", "webcam")


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(0)


def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("stored", "published"):
        (tmp_path / name).mkdir()
    return tmp_path / "stored", tmp_path / "published"


def dense(dataset: TaskDataset) -> NDArray[Any]:
    return dataset.X.toarray() if isinstance(dataset.X, csr_array) else dataset.X


def assert_same(one: TaskDataset, other: TaskDataset) -> None:
    assert (one.name, one.classes) == (other.name, other.classes)
    assert type(one.X) is type(other.X)
    assert one.X.dtype == other.X.dtype
    np.testing.assert_array_equal(dense(one), dense(other))
    for field in ("y", "task", "split"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


def test_amazon_frequencies(tmp_path: Path, generator: np.random.Generator) -> None:
    stored, published = folders(tmp_path)
    counts = generator.integers(0, 4, size=(4, 6, 5), dtype=np.uint8)
    counts[..., 0] += 1
    y = np.tile([1, 1, 1, 0, 0, 0], (4, 1))
    for t, name in enumerate(["books", "dvd", "elec", "kitchen"]):
        matrix = {"fts": counts[t], "labels": y[t][:, None]}
        scipy.io.savemat(published / f"{name}_400.mat", matrix)
    rows = counts.reshape(24, 5)
    np.savez(
        stored / "amazon_reviews_tfidf400.npz",
        X=(rows / rows.sum(axis=1, keepdims=True)).astype(np.float32),
        y=y.ravel(),
        task=np.repeat(range(4), 6),
        domains=np.array(PRODUCTS),
    )
    one = load_amazon_reviews(data=stored)
    assert_same(one, load_amazon_reviews(data=published))
    np.testing.assert_allclose(dense(one).sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(one.task, np.repeat(PRODUCTS, 6))
    np.testing.assert_array_equal(one.y, y.ravel())


def test_amazon_rows_without_a_word_stay_zero(tmp_path: Path) -> None:
    for name in ("books", "dvd", "electronics", "kitchen"):
        matrix = {"fts": csc_array(np.eye(3)[[0, 1]] * [1, 0, 1]), "labels": [0, 1]}
        scipy.io.savemat(tmp_path / f"{name}_400.mat", matrix)
    reviews = load_amazon_reviews(data=tmp_path)
    np.testing.assert_array_equal(dense(reviews)[:2], [[1, 0, 0], [0, 0, 0]])


def test_amazon_counts(tmp_path: Path, generator: np.random.Generator) -> None:
    stored, published = folders(tmp_path)
    X = csr_array(generator.poisson(0.002, size=(24, 5000)).astype(np.float32))
    y = np.tile([-1, 1, 1], 8)
    task, split = np.repeat(range(4), 6), np.tile([0, 0, 0, 0, 1, 1], 4)
    for t, name in enumerate(PRODUCTS):
        for code, part in enumerate(["train", "test"]):
            rows = np.flatnonzero((task == t) & (split == code))
            path = published / f"{name}_{part}.svmlight"
            dump_svmlight_file(X[rows], y[rows], str(path), zero_based=True)
    np.savez(
        stored / "amazon_reviews_bow5000.npz",
        data=X.data,
        indices=X.indices.astype(np.uint16),
        indptr=X.indptr,
        shape=X.shape,
        y=y,
        task=task,
        split=split,
        domains=np.array(PRODUCTS),
    )
    one = load_amazon_reviews("counts5000", data=stored)
    assert_same(one, load_amazon_reviews("counts5000", data=published))
    assert isinstance(one.X, csr_array)
    np.testing.assert_array_equal(dense(one), X.toarray())
    np.testing.assert_array_equal(one.y, y > 0)
    np.testing.assert_array_equal(one.split, np.where(split == 0, "train", "test"))


def write_idx(path: Path, array: NDArray[np.uint8]) -> None:
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    raw = header + array.tobytes()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)


@pytest.fixture
def mnist_folders(tmp_path: Path, generator: np.random.Generator) -> tuple[Path, Path]:
    stored, published = folders(tmp_path)
    images = generator.integers(0, 256, size=(140, 3, 2), dtype=np.uint8)
    y = np.tile(np.arange(10, dtype=np.uint8), 14)
    write_idx(published / "train-images-idx3-ubyte", images[:100])
    write_idx(published / "train-labels-idx1-ubyte.gz", y[:100])
    write_idx(published / "t10k-images.idx3-ubyte.gz", images[100:])
    write_idx(published / "t10k-labels.idx1-ubyte", y[100:])
    split = np.repeat([0, 1], [100, 40])
    np.savez(stored / "mnist.npz", X=images.reshape(140, 6), y=y, split=split)
    return stored, published


def test_mnist(mnist_folders: tuple[Path, Path]) -> None:
    one, other = (load_mnist(data=folder) for folder in mnist_folders)
    assert_same(one, other)
    assert one.X.dtype == np.uint8
    assert set(one.task) == {"digits"}
    np.testing.assert_array_equal(one.y, np.arange(140) % 10)
    np.testing.assert_array_equal(one.split, np.repeat(["train", "test"], [100, 40]))


def test_mnist_pairs_share_no_image(mnist_folders: tuple[Path, Path]) -> None:
    pairs = [(3, 8), (3, 5), (4, 1)]
    whole, tasks = load_mnist(data=mnist_folders[0]), load_mnist(pairs, data=mnist_folders[0])
    assert_same(tasks, load_mnist(pairs, data=mnist_folders[1]))
    row_of = {row.tobytes(): i for i, row in enumerate(dense(whole))}
    rows = [row_of[row.tobytes()] for row in dense(tasks)]
    assert len(set(rows)) == len(rows) == 5 * 14
    digits = [int(t.split(" vs ")[y]) for t, y in zip(tasks.task, tasks.y, strict=True)]
    np.testing.assert_array_equal(whole.y[rows], digits)
    assert whole.split is not None
    np.testing.assert_array_equal(whole.split[rows], tasks.split)


@pytest.mark.parametrize("pairs", [[(1, 1)], [(1, 4), (4, 1)], [(1, 10)], []])
def test_mnist_pairs_must_be_distinct_pairs_of_digits(pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match=r"pairs is .*; give"):
        load_mnist(pairs)


@pytest.mark.parametrize("names", ["{}_SURF_L10.mat", "surf/{}.mat", "features/surf/{}.mat"])
def test_surf(tmp_path: Path, generator: np.random.Generator, names: str) -> None:
    stored, published = folders(tmp_path)
    counts = generator.integers(0, 9, size=(4, 20, 5), dtype=np.uint8)
    counts[..., 0] += 1
    labels = np.tile(np.arange(1, 11), 2)
    for t, domain in enumerate(["amazon", "Caltech10", "dslr", "webcam"]):
        path = published / names.format(domain)
        path.parent.mkdir(parents=True, exist_ok=True)
        scipy.io.savemat(path, {"fts": counts[t], "labels": labels[:, None]})
    np.savez(
        stored / "office_caltech10_surf800.npz",
        X=counts.reshape(80, 5),
        y=np.tile(labels - 1, 4),
        task=np.repeat(range(4), 20),
        domains=np.array(DOMAINS),
    )
    one = load_office_caltech(data=stored)
    assert_same(one, load_office_caltech(data=published))
    np.testing.assert_allclose(np.linalg.norm(dense(one), axis=1), 1)
    np.testing.assert_allclose(dense(one)[0] * np.linalg.norm(counts[0, 0]), counts[0, 0])


def test_surf_z_scores_are_left_as_published(
    tmp_path: Path, generator: np.random.Generator
) -> None:
    scores = generator.normal(size=(4, 10, 5))
    for t, domain in enumerate(DOMAINS):
        X, y = ("Xs", "Ys") if domain == "dslr" else ("Xt", "Yt")
        matrix = {X: scores[t], y: np.arange(1.0, 11)[:, None]}
        scipy.io.savemat(tmp_path / f"{domain}_zscore_SURF_L10.mat", matrix)
    surf = load_office_caltech(data=tmp_path)
    assert surf.name == "Office-Caltech, SURF z-scores"
    np.testing.assert_array_equal(dense(surf), scores.reshape(40, 5))
    np.testing.assert_array_equal(surf.y, np.tile(range(10), 4))


@pytest.mark.parametrize(
    ("load", "file"),
    [
        (lambda folder: load_office_caltech("efficientnet-lite2", data=folder), "office_caltech10"),
        (lambda folder: load_office31(data=folder), "office31"),
        (lambda folder: load_office_home(data=folder), "office_home"),
    ],
)
def test_deep_features_are_decoded(
    tmp_path: Path, generator: np.random.Generator, load: Any, file: str
) -> None:
    features = generator.exponential(size=(30, 7))
    feature_max = features.max(axis=0).astype(np.float32)
    np.savez(
        tmp_path / f"{file}_efflite2_1280.npz",
        X_root255=np.round(255 * np.sqrt(features / feature_max)).astype(np.uint8),
        feature_max=feature_max,
        y=np.tile(range(3), 10),
        task=np.repeat([0, 1], 15),
        domains=np.array(["here", "there"]),
        classes=np.array(["cup", "pen", "pot"]),
    )
    deep = load(tmp_path)
    assert "EfficientNet-Lite2" in deep.name
    assert deep.X.dtype == np.float32
    assert deep.classes == ("cup", "pen", "pot")
    np.testing.assert_array_equal(deep.task, np.repeat(["here", "there"], 15))
    np.testing.assert_allclose(
        np.sqrt(deep.X / feature_max), np.sqrt(features / feature_max), atol=0.51 / 255
    )


@pytest.mark.parametrize(
    ("load", "pair", "prefix"),
    [
        (load_office31, ("amazon", "webcam"), "amazon"),
        (load_office_home, ("Art", "RealWorld"), "Art"),
    ],
)
def test_csv_pairs(
    tmp_path: Path, generator: np.random.Generator, load: Any, pair: tuple[str, str], prefix: str
) -> None:
    features = generator.normal(size=(10, 4)).astype(np.float32)
    y = np.tile(range(5), 2)
    for rows, name in ((slice(0, 6), pair[0]), (slice(6, 10), pair[1])):
        lines = [
            ",".join([*map(repr, map(float, X)), str(label)])
            for X, label in zip(features[rows], y[rows], strict=True)
        ]
        (tmp_path / f"{prefix}_{name}.csv").write_text("\n".join(lines))
    office = load(tuple(name.upper() for name in pair), data=tmp_path)
    np.testing.assert_array_equal(office.X, features)
    np.testing.assert_array_equal(office.y, y)
    np.testing.assert_array_equal(office.task, np.repeat(pair, [6, 4]))
