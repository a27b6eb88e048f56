"""What rows without labels were worth, as a table."""

from __future__ import annotations

import numpy as np

from kinspan import MultiTaskSPCA
from tests.selection.unlabelled_worlds import fitted, gaussian, labelled


def test_the_explanation_has_the_weights_of_the_model() -> None:
    world = gaussian(0)
    world = world._replace(y=np.where(world.task == 3, np.arange(len(world.y)) % 2, world.y))
    model = fitted(world)
    found = model.explain_unlabelled()
    assert found.tasks == [t for t in found.tasks if t != 3]  # all its rows have labels
    order = [model.tasks_.tolist().index(task) for task in found.tasks]
    np.testing.assert_array_equal(found.weight, model.unlabelled_weight_[order])
    assert (np.diff(found.weight) <= 0).all()
    assert found.rows.tolist() == [120.0] * 3
    assert found.sentence == "3 of 3 tasks use their rows without labels"
    lines = repr(found).splitlines()
    assert lines[0] == found.sentence
    assert " ".join(lines[1].split()) == "task rows alike support left out loss weight"
    assert len(lines) == 6
    assert ((found.alike > 0.5) & (found.alike < 1)).all()


def test_without_such_rows_there_is_nothing_to_explain() -> None:
    model: MultiTaskSPCA = fitted(labelled(gaussian(0)))
    assert model.explain_unlabelled().sentence == "No task uses rows without labels"
    assert repr(model.explain_unlabelled()) == model.explain_unlabelled().sentence
    assert model.unlabelled_weight_.tolist() == [0.0] * 4


def test_minus_one_is_a_class_and_the_way_out_is_named() -> None:
    world = gaussian(0, free=2)
    codes = np.nan_to_num(world.y, nan=-1).astype(int)
    as_class = MultiTaskSPCA().fit(world.X, codes, task=world.task)
    assert as_class.explain_unlabelled().sentence.endswith("unlabelled=-1")
    assert "unlabelled=-1" in str(as_class.explain_unlabelled())
    as_none = MultiTaskSPCA(unlabelled=-1).fit(world.X, codes, task=world.task)
    assert "unlabelled=-1" not in as_none.explain_unlabelled().sentence
    assert "unlabelled=-1" not in fitted(labelled(world)).explain_unlabelled().sentence
