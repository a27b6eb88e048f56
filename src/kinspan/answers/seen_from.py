"""Two classes as the scores of rare ones see them: the class that they are about is the second.

Everything about scores is computed for the second of two classes. Where `pos_label` names the
first, rows, labels, thresholds and costs are mirrored before, and nothing else knows of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_priors, check_shares
from kinspan._validation.thresholds import check_threshold
from kinspan.answers._table import percent, quoted
from kinspan.metrics import Score
from kinspan.risk import Goal, ScoreDistributions, score_distributions


def positive(model: Any) -> int | None:
    """The place of the class that scores are about; None with more than two classes."""
    if len(model.classes_) != 2:
        return None
    return 0 if model._learnt.is_mirrored else 1


def distributions_of(model: Any) -> ScoreDistributions:
    """How scores of new rows of both classes will be distributed, by the left-out ones."""
    counts, rows = np.asarray(model.moments_.effective().counts), model._learnt.left_out_rows
    fixed = check_shares(model._learnt.parameters["priors"], counts)
    if not model._learnt.is_mirrored:
        return score_distributions(rows, counts, fixed)
    fixed = None if fixed is None else 1.0 - fixed
    return score_distributions(rows.mirrored(), counts[:, ::-1], fixed)


def thresholds_of(model: Any) -> Floats:
    """(tasks,): the score above which the class is answered."""
    found: Floats = model.threshold_
    return -found if model._learnt.is_mirrored else found


def score_of(model: Any, score: Score) -> Score:
    """With the costs of the mirrored classes."""
    return score.mirrored() if model._learnt.is_mirrored else score


def goal_of(model: Any) -> Goal | None:
    """What thresholds are for."""
    goal: Goal | None = model._learnt.goal
    return goal.mirrored() if goal is not None and model._learnt.is_mirrored else goal


def goal_said(model: Any) -> str:
    """What answers are chosen for, where that is not few errors."""
    asked = check_threshold(model._learnt.parameters["threshold"])
    if asked is None or asked.name == "error":
        return ""
    aim = {"cost": "the least cost", "f1": "the largest F1"}.get(asked.name)
    aim = aim or f"a {asked.name} of {percent(asked.level)}"
    return f"Answers are chosen for {aim}, not for few errors."


def shares_of(model: Any) -> Floats:
    """(tasks, classes): how frequent classes are: as given by priors, or else as in the labels."""
    given = model._learnt.parameters["priors"]
    found = check_priors("empirical" if given is None else given, model.moments_.counts)
    return found[:, ::-1] if model._learnt.is_mirrored else found


def title_of(model: Any, score: Score) -> str:
    """With the class, if the score is about one of two."""
    place = positive(model)
    if place is None or not score.kind.of_one_class:
        return score.title
    return f"{score.title} ({model.classes_.tolist()[place]})"


def note_on_score(model: Any, score: Score) -> str:
    """In which order costs are, or how answers are chosen, or which class the score is about."""
    if score.name == "cost":
        order = ", ".join(map(quoted, model.classes_.tolist()))
        return f"Costs: a row per true class and a column per answer, in the order {order}."
    if score.name == "f1" and model._learnt.goal is None and len(model.classes_) == 2:
        chosen = "Answers are the more probable classes; the largest F1 needs threshold='f1'."
        return " ".join(filter(None, [chosen, _note_on_class(model, score)]))
    return _note_on_class(model, score)


def _note_on_class(model: Any, score: Score) -> str:
    """That the class is the more frequent one, where nobody asked for that."""
    place, counts = positive(model), model.moments_.counts.sum(axis=0)
    if place is None or not score.kind.of_one_class or counts[place] <= counts[1 - place]:
        return ""
    if model._learnt.parameters["pos_label"] is not None:
        return ""
    label, other = (quoted(model.classes_.tolist()[i]) for i in (place, 1 - place))
    return f"{label} is the more frequent class; with pos_label={other} it is about the other."
