"""Groups of tasks by their classes, compared with all pairs of tasks."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan._rows.common_classes import pairs_by_classes, tasks_by_classes


@pytest.mark.parametrize("share", [0.4, 0.8, 1.0])
def test_every_task_is_in_one_group_and_every_pair_with_common_classes_once(share: float) -> None:
    present = np.random.default_rng(0).random((12, 4)) < share
    seen = np.zeros(12)
    for tasks, classes in tasks_by_classes(present):
        seen[tasks] += 1
        assert (present[tasks] == classes).all()
    np.testing.assert_array_equal(seen, 1)
    found = np.zeros((12, 12))
    for first, second, common in pairs_by_classes(present):
        found[np.ix_(first, second)] += 1
        assert (present[first][:, None] & present[second] == common).all()
    in_common = (present[:, None] & present).sum(axis=2) > 1
    np.testing.assert_array_equal(found, in_common.astype(float))
