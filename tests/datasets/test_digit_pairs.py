"""The 45 pairs of digits: every image in one place only."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from kinspan.datasets import DigitPairs, load_digit_pairs


@pytest.fixture(scope="module")
def pairs() -> DigitPairs:
    return load_digit_pairs()


def test_every_image_is_in_exactly_one_task_and_one_part(pairs: DigitPairs) -> None:
    used = np.concatenate([pairs.image, pairs.image_test])
    np.testing.assert_array_equal(np.sort(used), np.arange(1797))


def test_no_two_rows_are_the_same_image(pairs: DigitPairs) -> None:
    rows = np.concatenate([pairs.X, pairs.X_test])
    assert len(np.unique(rows, axis=0)) == len(np.unique(load_digits().data, axis=0)) == len(rows)


@pytest.mark.parametrize("n_per_class", [1, 5, 18])
def test_every_class_of_the_45_tasks_has_the_labels_asked_for(n_per_class: int) -> None:
    pairs = load_digit_pairs(n_per_class)
    tasks, counts = np.unique(pairs.task, return_counts=True)
    assert set(tasks) == {f"{a} vs {b}" for a, b in combinations(range(10), 2)}
    np.testing.assert_array_equal(counts, 2 * n_per_class)
    assert all(pairs.y[pairs.task == task].sum() == n_per_class for task in tasks)


def test_every_class_of_every_task_is_tested_on_14_or_15_images(pairs: DigitPairs) -> None:
    cells = np.char.add(pairs.task_test, pairs.y_test.astype(str))
    counts = np.unique(cells, return_counts=True)[1]
    assert counts.size == 90
    assert set(counts) <= {14, 15, 16}


def test_the_class_tells_the_smaller_digit_from_the_larger(pairs: DigitPairs) -> None:
    images, digits = load_digits(return_X_y=True)
    for X, y, task, image in (
        (pairs.X, pairs.y, pairs.task, pairs.image),
        (pairs.X_test, pairs.y_test, pairs.task_test, pairs.image_test),
    ):
        np.testing.assert_array_equal(X, images[image])
        named = [int(name.split(" vs ")[label]) for name, label in zip(task, y, strict=True)]
        np.testing.assert_array_equal(named, digits[image])


def test_pixels_are_raw(pairs: DigitPairs) -> None:
    assert (pairs.X.min(), pairs.X.max()) == (0, 16)


def test_the_seed_decides_the_deal(pairs: DigitPairs) -> None:
    np.testing.assert_array_equal(load_digit_pairs(random_state=0).image, pairs.image)
    assert np.mean(load_digit_pairs(random_state=1).image == pairs.image) < 0.1


@pytest.mark.parametrize("n_per_class", [0, 19])
def test_a_size_without_training_or_test_rows_is_refused(n_per_class: int) -> None:
    with pytest.raises(ValueError, match=f"n_per_class is {n_per_class}; give 1 to 18"):
        load_digit_pairs(n_per_class)
