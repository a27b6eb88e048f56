"""MNIST (LeCun, Cortes and Burges): handwritten digits, as one task or as pairs of digits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._validation.messages import naming
from kinspan.datasets._dataset import TaskDataset, split_names
from kinspan.datasets._folder import Folder, Source, data_folder, find_file, need_published
from kinspan.datasets._formats import FileRows, file_rows, read_idx, read_npz, reading
from kinspan.datasets._pairs import Pair, deal


def _known_as(name: str) -> tuple[str, ...]:
    dotted = name.replace("-idx", ".idx")
    return (name, f"{name}.gz", dotted, f"{dotted}.gz")


MNIST = Source(
    stored="mnist.npz",
    published=[
        _known_as(f"{part}-{kind}-ubyte")
        for part in ("train", "t10k")
        for kind in ("images-idx3", "labels-idx1")
    ],
    way_out="the four idx files, gzipped or not, are published as 'The MNIST database of "
    "handwritten digits' by Y. LeCun, C. Cortes and C. J. C. Burges",
)


def load_mnist(pairs: Sequence[Pair] | None = None, *, data: Folder = None) -> TaskDataset:
    """Read MNIST: 60 000 training and 10 000 test images of ten digits, 784 pixels 0 to 255.

    Parameters
    ----------
    pairs : sequence of pairs of digits or None, default=None
        None: one task "digits" of ten classes. Otherwise each pair is a binary task, such as
        "1 vs 4", whose first digit is class 0. The images of a digit in several pairs are dealt to
        them in turn, so that no image is in two tasks.
    data : path or None, default=None
        Folder that holds ``mnist.npz`` or the four published idx files; None takes the environment
        variable ``KINSPAN_DATA``.

    Examples
    --------
    The target pair of Figure 3 of the paper and the pairs that help it:

    >>> from kinspan.datasets import load_mnist
    >>> pairs = [(1, 4), (7, 9), (3, 8), (5, 6), (2, 9), (3, 5)]
    >>> mnist = load_mnist(pairs, data="folder")  # doctest: +SKIP
    >>> mnist.task[0]  # doctest: +SKIP
    '1 vs 4'
    """
    if pairs is not None:
        _check_pairs(pairs)
    folder = data_folder(data, MNIST.stored, MNIST.way_out)
    stored = find_file(folder, MNIST.stored)
    rows, part = _stored(stored) if stored else _published(*need_published(folder, MNIST))
    if pairs is None:
        task, classes = np.full(len(rows.y), "digits"), tuple("0123456789")
        return TaskDataset("MNIST", rows.X, rows.y, task, split_names(part), classes)
    dealt = deal(rows.y, pairs)
    split = split_names(part[dealt.image])
    return TaskDataset("MNIST", rows.X[dealt.image], dealt.y, dealt.task, split)


def _stored(path: Path) -> tuple[FileRows, NDArray[Any]]:
    X, y, part = read_npz(path, "X", "y", "split")
    with reading(path):
        return file_rows(X, y), part


def _published(*paths: Path) -> tuple[FileRows, NDArray[Any]]:
    train, test = _images(*paths[:2]), _images(*paths[2:])
    rows = FileRows(np.concatenate([train.X, test.X]), np.concatenate([train.y, test.y]))
    return rows, np.repeat([0, 1], [len(train.y), len(test.y)])


def _images(images: Path, labels: Path) -> FileRows:
    X, y = read_idx(images), read_idx(labels)
    with reading(images):
        return file_rows(X.reshape(len(X), -1), y)


def _check_pairs(pairs: Sequence[Pair]) -> None:
    with naming("pairs"):
        pairs = list(pairs)
        sets = {frozenset(pair) for pair in pairs}
    if len(sets) < len(pairs) or any(len(pair) != 2 for pair in sets) or not pairs:
        raise ValueError(f"pairs is {pairs!r}; give distinct pairs of two different digits")
    if not set().union(*sets) <= set(range(10)):
        raise ValueError(f"pairs is {pairs!r}; give digits from 0 to 9")
