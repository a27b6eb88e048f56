"""MNIST (LeCun, Cortes and Burges): ten handwritten digits, whole or as pairs of digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._validation.messages import naming
from kinspan.datasets._dataset import TaskDataset, split_names
from kinspan.datasets._folder import Folder, Source, data_folder, locate
from kinspan.datasets._formats import LabelledRows, labelled_rows, read_idx, read_npz, reading
from kinspan.datasets._pairs import Pair, deal, stack


def _known_as(name: str) -> tuple[str, ...]:
    dotted = name.replace("-idx", ".idx")
    return (name, f"{name}.gz", dotted, f"{dotted}.gz")


MNIST = Source(
    stored="mnist.npz",
    published=[
        _known_as("train-images-idx3-ubyte"),
        _known_as("train-labels-idx1-ubyte"),
        _known_as("t10k-images-idx3-ubyte"),
        _known_as("t10k-labels-idx1-ubyte"),
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
        "1 vs 4", whose first digit is class 0. The images of a digit that is in several pairs are
        dealt to them in turn, so that no image is in two tasks.
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
    found = locate(data_folder(data, MNIST.stored, MNIST.way_out), MNIST)
    whole = _stored(found) if isinstance(found, Path) else _published(*found)
    return whole if pairs is None else _as_pairs(whole, pairs)


def _stored(path: Path) -> TaskDataset:
    X, y, part = read_npz(path, "X", "y", "split")
    with reading(path):
        return _digits(labelled_rows(X, y), part)


def _published(*paths: Path) -> TaskDataset:
    train, test = _images(*paths[:2]), _images(*paths[2:])
    rows = LabelledRows(np.concatenate([train.X, test.X]), np.concatenate([train.y, test.y]))
    return _digits(rows, np.repeat([0, 1], [len(train.y), len(test.y)]))


def _images(images: Path, labels: Path) -> LabelledRows:
    X, y = read_idx(images), read_idx(labels)
    with reading(images):
        return labelled_rows(X.reshape(len(X), -1), y)


def _digits(rows: LabelledRows, part: NDArray[Any]) -> TaskDataset:
    return TaskDataset(
        name="MNIST",
        X=rows.X,
        y=rows.y,
        task=np.full(len(rows.y), "digits"),
        split=split_names(part),
        classes=tuple("0123456789"),
    )


def _as_pairs(whole: TaskDataset, pairs: Sequence[Pair]) -> TaskDataset:
    dealt = stack(deal(whole.y, pairs))
    split = None if whole.split is None else whole.split[dealt.rows]
    X = whole.X[dealt.rows]
    return replace(whole, X=X, y=dealt.y, task=dealt.task, split=split, classes=())


def _check_pairs(pairs: Sequence[Pair]) -> None:
    with naming("pairs"):
        pairs = list(pairs)
        sets = {frozenset(pair) for pair in pairs}
    if len(sets) < len(pairs) or any(len(pair) != 2 for pair in sets) or not pairs:
        raise ValueError(f"pairs is {pairs!r}; give distinct pairs of two different digits")
    if not set().union(*sets) <= set(range(10)):
        raise ValueError(f"pairs is {pairs!r}; give digits from 0 to 9")
