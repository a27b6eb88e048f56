"""The methods of others: rules of tasks, of one target, and files that say how they were made."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks._resumable import RowFile
from benchmarks.peers import fits
from benchmarks.peers.measure import measured, quietly
from benchmarks.peers.peer import OURS, Peer
from benchmarks.peers.samples import Rows, Sample, standardised
from sklearn import get_config

from kinspan.datasets import gaussian_mixture, related_means


@pytest.fixture
def sample() -> Sample:
    """Three tasks, the third of which has the opposite rule."""
    train, test = (
        gaussian_mixture(3 * related_means([1, 1, -1], 6), 20, random_state=seed) for seed in (0, 1)
    )
    old, new = (Rows(rows.X, rows.y, rows.task) for rows in (train, test))
    return standardised(Sample(old, new))


@pytest.mark.parametrize(
    ("of_all", "of_one"),
    [(fits.logistic_per_task, fits.logistic_pooled), (fits.lda_per_task, fits.lda_pooled)],
)
def test_the_rule_of_a_task_is_that_of_its_rows_alone(
    sample: Sample, of_all: fits.Fit, of_one: fits.Fit
) -> None:
    shuffled = sample.test.of(np.random.default_rng(0).permutation(len(sample.test.y)))
    answers = of_all(sample)(shuffled)
    for t in np.unique(shuffled.task):
        mine = shuffled.of(shuffled.task == t)
        alone = fits.alone(of_one, sample._replace(test=mine))
        np.testing.assert_array_equal(answers[shuffled.task == t], alone(mine))


def test_a_rule_for_all_tasks_fails_where_a_rule_is_opposite(sample: Sample) -> None:
    opposite = sample.test.task == 2
    pooled = measured(Peer("", fits.logistic_pooled), sample, {}).right
    assert pooled[~opposite].mean() > 0.8
    assert pooled[opposite].mean() < 0.2
    for fit in (fits.logistic_per_task, partial(fits.augmented, C=1.0), fits.ours):
        assert measured(Peer("", fit), sample, {}).right[opposite].mean() > 0.9


def test_target_rows_weigh_as_much_as_all_others(sample: Sample) -> None:
    few = sample.train.of((sample.train.task != 2) | (np.arange(120) % 10 == 0))
    of_target = few.task == 2
    times = int((~of_target).sum() / of_target.sum())
    repeated = few.of(np.repeat(np.arange(len(of_target)), np.where(of_target, times, 1)))
    target = sample.test.of(sample.test.task == 2)
    weighted = fits.logistic_weighted(Sample(few, target), C=1.0)
    pooled = fits.logistic_pooled(Sample(repeated, target), C=1.0)
    np.testing.assert_array_equal(weighted(target), pooled(target))
    assert (weighted(target) != fits.logistic_pooled(Sample(few, target), C=1.0)(target)).any()


def test_metadata_are_routed_for_skada_only() -> None:
    before = get_config()
    with quietly(OURS._replace(needs="skada")):
        assert get_config()["enable_metadata_routing"]
        with quietly(OURS):
            assert not get_config()["enable_metadata_routing"]
    assert get_config() == before


class Row(NamedTuple):
    """A row of which the first cell is the key."""

    name: str
    value: float

    @property
    def key(self) -> str:
        """What it measures."""
        return self.name


def test_a_note_stands_above_the_rows_and_stays_there(tmp_path: Path) -> None:
    file = RowFile(Row._fields, list, lambda line: Row(line[0], float(line[1])), lambda: "noted")
    rows = [Row("a", 1.0), Row("b", 2.0), Row("c", 3.0)]
    for row in rows:
        file.append(tmp_path / "rows.csv", row)
    assert file.read(tmp_path / "rows.csv") == {row.name: row for row in rows}
    file.forget(tmp_path / "rows.csv", lambda row: row.value == 2)
    text = "# noted\nname,value\na,1.0\nc,3.0\n"
    assert (tmp_path / "rows.csv").read_text() == text
    assert list(tmp_path.iterdir()) == [tmp_path / "rows.csv"]
