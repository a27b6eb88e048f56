"""scikit-learn's digits → forty-five small related tasks, without a download."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from kinspan._rows.types import Floats
from kinspan._validation.messages import naming
from kinspan.datasets._pairs import deal


@dataclass(frozen=True, eq=False)
class DigitPairs:
    """The 45 pairs of digits as binary tasks, split into training and test rows."""

    X: Floats
    """Training images, raw pixel values 0 to 16, (rows, 64)."""
    y: NDArray[np.int64]
    """0 for the smaller digit of the pair, 1 for the larger, (rows,)."""
    task: NDArray[np.str_]
    """Name of the pair, such as "3 vs 8", (rows,)."""
    image: NDArray[np.intp]
    """Row of each image in scikit-learn's `load_digits`, (rows,)."""
    X_test: Floats
    """Test images, (test rows, 64)."""
    y_test: NDArray[np.int64]
    """Class of each test image, (test rows,)."""
    task_test: NDArray[np.str_]
    """Task of each test image, (test rows,)."""
    image_test: NDArray[np.intp]
    """Row of each test image in scikit-learn's `load_digits`, (test rows,)."""


def load_digit_pairs(n_per_class: int = 5, random_state: int | None = 0) -> DigitPairs:
    """Make each of the 45 pairs of digits a task with few labels.

    A digit is in nine pairs: its images are shuffled and dealt to them, 19 or 20 images each, so
    that no image is in two tasks. The first `n_per_class` are for training, the others for testing.

    Parameters
    ----------
    n_per_class : int, default=5
        Training images of each class of each task, 1 to 18.
    random_state : int or None, default=0
        Seed of the shuffle; None shuffles differently every time.

    Examples
    --------
    >>> from kinspan.datasets import load_digit_pairs
    >>> digits = load_digit_pairs()
    >>> digits.X.shape, digits.X_test.shape
    ((450, 64), (1347, 64))
    >>> print(digits.task[0], digits.y[:10])
    0 vs 1 [0 0 0 0 0 1 1 1 1 1]
    """
    images, digits = load_digits(return_X_y=True)
    pairs = list(combinations(range(10), 2))
    most = int(np.bincount(digits).min()) // 9 - 1
    if not isinstance(n_per_class, (int, np.integer)) or not 1 <= n_per_class <= most:
        raise ValueError(
            f"n_per_class is {n_per_class!r}; give 1 to {most}, so that every class of every "
            "task keeps an image to test on"
        )
    with naming("random_state"):
        order = np.random.default_rng(random_state).permutation(len(digits))
    train, test = (
        deal(digits[order], pairs, part) for part in (slice(n_per_class), slice(n_per_class, None))
    )
    return DigitPairs(
        X=images[order[train.image]],
        y=train.y,
        task=train.task,
        image=order[train.image],
        X_test=images[order[test.image]],
        y_test=test.y,
        task_test=test.task,
        image_test=order[test.image],
    )
