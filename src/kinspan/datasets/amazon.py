"""Amazon product reviews (Blitzer et al. 2007): four products, positive or negative."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from kinspan._validation.parameters import check_choice
from kinspan.datasets._dataset import TaskDataset, join_tasks, split_names, stored_tasks
from kinspan.datasets._folder import Folder, Source, data_folder, find_file, need_published
from kinspan.datasets._formats import FileRows, read_mat, read_npz, read_svmlight, reading

PRODUCTS = ("books", "dvd", "electronics", "kitchen")
CLASSES = ("negative", "positive")
N_COUNTS = 5000

FREQUENCIES = Source(
    stored="amazon_reviews_tfidf400.npz",
    published=[
        ("books_400.mat",),
        ("dvd_400.mat",),
        ("elec_400.mat", "electronics_400.mat"),
        ("kitchen_400.mat",),
    ],
    way_out="the four *_400.mat files are published in the repositories "
    "Sami-fak/DistributedMTLSPCA and scikit-adaptation/skada-bench (data/amazon_review)",
)
COUNTS = Source(
    stored="amazon_reviews_bow5000.npz",
    published=[(f"{name}_{part}.svmlight",) for name in PRODUCTS for part in ("train", "test")],
    way_out="the eight *.svmlight files are published in the repository "
    "GRAAL-Research/domain_adversarial_neural_network (data)",
)


def load_amazon_reviews(
    features: Literal["tfidf400", "counts5000"] = "tfidf400", *, data: Folder = None
) -> TaskDataset:
    """Read the Amazon reviews: tasks books, dvd, electronics, kitchen; class 1 is positive.

    Parameters
    ----------
    features : {"tfidf400", "counts5000"}, default="tfidf400"
        "tfidf400": the 400 word features of the paper's authors, about 2000 reviews per task. The
        paper calls them tf-idf; the rows are counts divided by their sum.
        "counts5000": 5000 counts of words and word pairs as CSR, with the training and test rows of
        the source, 27 677 in all.
    data : path or None, default=None
        Folder that holds ``amazon_reviews_tfidf400.npz`` or the published ``*_400.mat`` files,
        or ``amazon_reviews_bow5000.npz`` or the published ``*.svmlight`` files; None takes the
        environment variable ``KINSPAN_DATA``.

    Examples
    --------
    >>> from kinspan.datasets import load_amazon_reviews
    >>> reviews = load_amazon_reviews(data="folder")  # doctest: +SKIP
    >>> reviews.X.shape  # doctest: +SKIP
    (7996, 400)
    """
    check_choice("features", features, ("tfidf400", "counts5000"))
    source = FREQUENCIES if features == "tfidf400" else COUNTS
    folder = data_folder(data, source.stored, source.way_out)
    dataset = _frequencies(folder) if features == "tfidf400" else _counts(folder)
    return replace(dataset, classes=CLASSES)


def _frequencies(folder: Path) -> TaskDataset:
    name = "Amazon reviews, 400 word frequencies"
    stored = find_file(folder, FREQUENCIES.stored)
    if stored is not None:
        return stored_tasks(stored, name, read_npz(stored, "X")[0])
    rows = map(_row_shares, need_published(folder, FREQUENCIES))
    return join_tasks(name, list(zip(PRODUCTS, rows, strict=True)))


def _row_shares(path: Path) -> FileRows:
    """Divide each row of a published file by its sum, as in the stored file."""
    rows = read_mat(path)
    sums = rows.X.sum(axis=1, keepdims=True, dtype=np.float64)
    return rows._replace(X=(rows.X / np.where(sums == 0, 1, sums)).astype(np.float32))


def _counts(folder: Path) -> TaskDataset:
    name = "Amazon reviews, 5000 counts"
    stored = find_file(folder, COUNTS.stored)
    if stored is not None:
        return _stored_counts(name, stored)
    rows = [read_svmlight(path, N_COUNTS) for path in need_published(folder, COUNTS)]
    dataset = join_tasks(name, list(zip(np.repeat(PRODUCTS, 2), rows, strict=True)))
    part = np.repeat([0, 1] * len(PRODUCTS), [len(file.y) for file in rows])
    return replace(dataset, split=split_names(part))


def _stored_counts(name: str, path: Path) -> TaskDataset:
    values, indices, pointers, shape, part = read_npz(
        path, "data", "indices", "indptr", "shape", "split"
    )
    with reading(path):
        X = csr_array((values, indices, pointers), shape=tuple(shape.tolist()))
        X.check_format(full_check=True)
    return replace(stored_tasks(path, name, X), split=split_names(part))
