"""The draws of the benchmark on rows without labels are what they are called."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.unlabelled import HOSTILE, both, bound, by_task, draw, gram, simulated
from benchmarks.unlabelled_table import METHODS, table
from scipy.stats import norm


def test_no_row_is_in_two_parts_and_no_hidden_label_is_shown() -> None:
    found = draw("digits", 3, "", 0)
    rows = np.concatenate([part[0] for part in found])
    assert len(np.unique(rows, axis=0)) > 0.99 * len(rows)
    cells = np.unique(np.stack(found.labelled[1:]).astype(str), axis=1, return_counts=True)[1]
    assert (cells == 3).all()
    _, y, _ = both(found)
    assert np.isnan(y).sum() == len(found.free[1])


@pytest.mark.parametrize("rows", HOSTILE)
def test_hostile_rows_are_of_the_same_tasks_and_their_labels_of_the_setting(rows: str) -> None:
    plain, found = draw("digits", 3, "", 1), draw("digits", 3, rows, 1)
    assert set(found.free[2]) <= set(plain.free[2])
    np.testing.assert_array_equal(found.new[0], plain.new[0])
    np.testing.assert_array_equal(found.labelled[0], plain.labelled[0])
    X, y, task = found.free
    if rows == "one class":
        assert set(y) == {0}
    elif rows == "80 % one class":
        assert 0.15 < y.mean() < 0.25
    elif rows == "copies":
        assert len(np.unique(X, axis=0)) <= len(X) // 20
    elif rows == "shifted":
        assert not np.isin(X[:, 20], plain.free[0][:, 20]).all()
    elif rows == "other task":
        assert (task != plain.free[2]).all()


def test_methods_for_each_task_answer_every_row() -> None:
    class Constant:
        def fit(self, _: object, y: np.ndarray) -> Constant:
            self.label = y[y >= 0].max()
            return self

        def predict(self, X: np.ndarray) -> np.ndarray:
            return np.full(len(X), self.label)

    found = draw("digits", 2, "", 2)
    assert (by_task(Constant)(found) == 1).all()


def test_the_table_shows_means_and_the_worst_draw_and_task() -> None:
    def row(draw: int, way: str, accuracy: float, loss: str, errors: str) -> list[str]:
        seconds = {"with unlabelled": "6", "all labelled": "4"}.get(way, "2")
        more = [loss, "0.5", ".1", ".08", "0.9", seconds, errors]
        return ["digits", "3", "of the task", str(draw), way, str(accuracy), *more]

    found = [row(0, "labels alone", 90.0, "0", "0.05 0.15")]
    found += [row(1, "labels alone", 92.0, "0", "0.08 0.08")]
    found += [row(0, "with unlabelled", 94.0, "2", "0.07 0.05")]
    found += [row(1, "with unlabelled", 91.0, "4", "0.06 0.12")]
    found += [row(d, "all labelled", 96.0, "0", "0.04 0.04") for d in (0, 1)]
    found += [row(d, way, 80.0, "0", "") for d in (0, 1) for way in METHODS]
    cells = [cell.strip() for cell in table(found).splitlines()[-1].split("|")[4:15]]
    shown = ["91.0", "+1.5", "-1.0", "4.0", "0.0", "0.50", "+0.020", "0.90", "1.5", "80.0", "80.0"]
    assert cells == shown


def test_the_simulated_bound_is_below_the_error_of_the_best_known_rule() -> None:
    """The rule of the true means errs less than the bound, which has to estimate them."""
    X, y, task = simulated(np.random.default_rng(0))
    mean = np.stack([X[(task == t) & (y == 1)].mean(axis=0) for t in range(4)])
    np.testing.assert_allclose(mean @ mean.T, gram() + np.eye(4) * 100 / 150, atol=0.6)
    known = norm.sf(np.sqrt(gram()[0, 0]))
    assert known < bound(20) < bound(5) < bound(1) < 0.5
