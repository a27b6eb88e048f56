from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, get_scorer, log_loss, make_scorer
from sklearn.model_selection import GridSearchCV

from kinspan.model_selection import TaskScorer, make_task_scorer
from tests.model_selection.offset_classifier import OffsetClassifier, Tasks, three_tasks


def naive_roc_auc(y_true: Any, score: Any) -> float:
    positive, negative = score[y_true == "yes"], score[y_true == "no"]
    wins = [(p > n) + (p == n) / 2 for p, n in itertools.product(positive, negative)]
    return float(np.mean(wins))


@pytest.fixture(name="data")
def _data() -> Tasks:
    return three_tasks()


@pytest.fixture(name="model")
def _model(data: Tasks) -> OffsetClassifier:
    return OffsetClassifier().fit(data.X, data.y, task=data.task)


def first_letter_scorer(estimator: Any, X: Any, y: Any) -> float:
    return float(np.mean([a[0] == b[0] for a, b in zip(estimator.predict(X), y, strict=True)]))


def test_the_score_is_the_score_of_predictions_with_the_task(
    data: Tasks, model: OffsetClassifier
) -> None:
    decision = model.decision_function(data.X, task=data.task)
    score = make_task_scorer("roc_auc")(model, data.X, data.y, task=data.task)
    assert score == pytest.approx(naive_roc_auc(data.y, decision))


def test_another_task_gives_another_score(data: Tasks, model: OffsetClassifier) -> None:
    scorer = make_task_scorer("roc_auc")
    right = scorer(model, data.X, data.y, task=data.task)
    wrong = scorer(model, data.X, data.y, task=np.roll(data.task, 1))
    assert right > wrong + 0.1


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc", "balanced_accuracy"])
def test_every_response_method_gets_the_task(
    scoring: str, data: Tasks, model: OffsetClassifier
) -> None:
    column_model = OffsetClassifier(task_column=1).fit(data.X, data.y)
    expected = get_scorer(scoring)(column_model, data.X, data.y)
    assert make_task_scorer(scoring)(model, data.X, data.y, task=data.task) == expected


@pytest.mark.parametrize("scoring", ["average_precision", "f1", "precision", "neg_brier_score"])
@pytest.mark.parametrize("average", [None, "task"])
def test_of_two_classes_that_are_text_scores_are_about_the_second(
    scoring: str, average: Any, data: Tasks, model: OffsetClassifier
) -> None:
    codes = (data.y == "yes").astype(int)
    numbers = OffsetClassifier().fit(data.X, codes, task=data.task)
    scorer = make_task_scorer(scoring, average=average)
    expected = scorer(numbers, data.X, codes, task=data.task)
    assert scorer(model, data.X, data.y, task=data.task) == pytest.approx(expected)
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}).fit(data.X, data.y)
    coded = GridSearchCV(LogisticRegression(), {"C": [1.0]}).fit(data.X, codes)
    if average is None:
        assert scorer(search, data.X, data.y) == scorer(coded, data.X, codes)
    strange = np.where(data.y == "yes", "maybe", data.y)
    with pytest.raises(ValueError, match="label"):
        scorer(model, data.X, strange, task=data.task)


def test_scorer_objects_and_functions_are_scorers(data: Tasks, model: OffsetClassifier) -> None:
    predicted = model.predict(data.X, task=data.task)
    f1 = make_task_scorer(make_scorer(f1_score, pos_label="yes"))
    letter = make_task_scorer(first_letter_scorer)
    assert f1(model, data.X, data.y, task=data.task) == f1_score(data.y, predicted, pos_label="yes")
    assert letter(model, data.X, data.y, task=data.task) == accuracy_score(data.y, predicted)


def test_the_score_method_of_the_estimator_gets_the_task(
    data: Tasks, model: OffsetClassifier
) -> None:
    own = make_task_scorer(lambda estimator, X, y: estimator.score(X, y))
    expected = model.score(data.X, data.y, task=data.task)
    assert own(model, data.X, data.y, task=data.task) == expected


@pytest.mark.parametrize("average", [None, "task"])
def test_one_task_id_stands_for_all_rows(
    average: Any, data: Tasks, model: OffsetClassifier
) -> None:
    scorer = make_task_scorer("roc_auc", average=average)
    bees = data.task == "bee"
    one = scorer(model, data.X[bees], data.y[bees], task="bee")
    assert one == scorer(model, data.X[bees], data.y[bees], task=data.task[bees])


def test_without_a_task_the_score_is_the_score_of_scikit_learn(data: Tasks) -> None:
    model = LogisticRegression().fit(data.X, data.y)
    expected = get_scorer("roc_auc")(model, data.X, data.y)
    assert make_task_scorer("roc_auc")(model, data.X, data.y) == expected


@pytest.mark.parametrize("average", [None, "task"])
@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_a_weight_of_two_is_a_row_twice(
    scoring: str, average: Any, data: Tasks, model: OffsetClassifier
) -> None:
    scorer = make_task_scorer(scoring, average=average)
    weight = np.random.default_rng(1).integers(1, 4, size=len(data.y))
    X, y, task = (np.repeat(values, weight, axis=0) for values in data)
    weighted = scorer(model, data.X, data.y, task=data.task, sample_weight=weight)
    assert weighted == pytest.approx(scorer(model, X, y, task=task))


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc"])
def test_the_task_average_is_the_mean_of_the_scores_of_the_tasks(
    scoring: str, data: Tasks, model: OffsetClassifier
) -> None:
    scorer = make_task_scorer(scoring)
    by_task = [
        scorer(model, data.X[data.task == t], data.y[data.task == t], task=t)
        for t in np.unique(data.task)
    ]
    average = make_task_scorer(scoring, average="task")(model, data.X, data.y, task=data.task)
    assert average == pytest.approx(np.mean(by_task))
    assert average != pytest.approx(scorer(model, data.X, data.y, task=data.task))


def test_the_order_of_rows_does_not_matter(data: Tasks, model: OffsetClassifier) -> None:
    scorer = make_task_scorer("neg_log_loss", average="task")
    order = np.random.default_rng(2).permutation(len(data.y))
    permuted = scorer(model, data.X[order], data.y[order], task=data.task[order])
    assert permuted == pytest.approx(scorer(model, data.X, data.y, task=data.task))


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])  # one is NaN there, one raises
def test_tasks_without_a_score_are_left_out(
    scoring: str, data: Tasks, model: OffsetClassifier
) -> None:
    keep = (data.task != "bee") | (data.y == "yes")
    X, y, task = (values[keep] for values in data)
    others = task != "bee"
    scorer = make_task_scorer(scoring, average="task")
    expected = scorer(model, X[others], y[others], task=task[others])
    assert scorer(model, X, y, task=task) == expected


def test_a_log_loss_with_labels_is_defined_for_a_task_of_one_class(
    data: Tasks, model: OffsetClassifier
) -> None:
    loss = make_scorer(log_loss, labels=["no", "yes"], response_method="predict_proba")
    scorer = make_task_scorer(loss, average="task")
    bees = (data.task == "bee") & (data.y == "yes")
    expected = -np.log(model.predict_proba(data.X[bees], task="bee")[:, 1]).mean()
    assert scorer(model, data.X[bees], data.y[bees], task="bee") == pytest.approx(expected)


def test_no_task_with_a_score_is_an_error(data: Tasks, model: OffsetClassifier) -> None:
    yes = data.y == "yes"
    scorer = make_task_scorer("roc_auc", average="task")
    with pytest.raises(ValueError, match="'roc_auc' is undefined in every one of the 3 tasks"):
        scorer(model, data.X[yes], data.y[yes], task=data.task[yes])


def test_other_errors_are_not_taken_for_an_undefined_score(
    data: Tasks, model: OffsetClassifier
) -> None:
    def broken(estimator: Any, X: Any, y: Any) -> float:
        raise ValueError("broken scorer")

    scorer = make_task_scorer(broken, average="task")
    with pytest.raises(ValueError, match="broken scorer"):
        scorer(model, data.X, data.y, task=data.task)


CONTAINERS: dict[str, tuple[Callable[[Any], Any], str | int]] = {
    "array": (lambda X: X, 1),
    "array, from the end": (lambda X: X, -1),
    "list": (lambda X: X.tolist(), 1),
    "csr": (sparse.csr_array, 1),
    "coo matrix": (sparse.coo_matrix, 1),
    "pandas": (lambda X: pd.DataFrame(X, columns=["x", "t"], index=range(5, 5 + len(X))), "t"),
    "pandas, index": (lambda X: pd.DataFrame(X, columns=["x", "t"]), 1),
    "polars": (lambda X: pl.DataFrame(X, schema=["x", "t"]), "t"),
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("container", CONTAINERS)
def test_the_task_average_finds_the_task_in_a_column(container: str, data: Tasks) -> None:
    wrap, column = CONTAINERS[container]
    model = LogisticRegression().fit(data.X, data.y)
    scores = [
        model.score(data.X[data.task == t], data.y[data.task == t]) for t in np.unique(data.task)
    ]
    scorer = make_task_scorer("accuracy", average="task", task_column=column)
    assert scorer(model, wrap(data.X), data.y) == pytest.approx(np.mean(scores))
    assert scorer(model, wrap(data.X), pd.Series(data.y, index=np.arange(len(data.y)) + 7)) == (
        pytest.approx(np.mean(scores))
    )


def test_a_scorer_survives_pickle_and_clone(data: Tasks, model: OffsetClassifier) -> None:
    scorer = make_task_scorer("roc_auc", average="task").set_score_request(sample_weight=True)
    for copied in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert copied == scorer
        assert copied is not scorer
        assert copied.requests == {"task": True, "sample_weight": True}
        expected = scorer(model, data.X, data.y, task=data.task)
        assert copied(model, data.X, data.y, task=data.task) == expected


def test_requests_of_one_scorer_are_not_those_of_another() -> None:
    make_task_scorer("accuracy").set_score_request(sample_weight=True)
    assert make_task_scorer("accuracy").requests == {"task": True, "sample_weight": None}


def test_a_scorer_says_what_it_is() -> None:
    scorer = make_task_scorer("roc_auc", average="task")
    assert repr(scorer) == "TaskScorer(scoring='roc_auc', average='task', task_column=None)"
    assert isinstance(scorer, TaskScorer)


def test_what_is_not_a_scorer_is_refused() -> None:
    with pytest.raises(TypeError, match=r"scoring=\['accuracy'\] is neither"):
        make_task_scorer(["accuracy"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no_such_score"):
        make_task_scorer("no_such_score")
    with pytest.raises(ValueError, match="looks like it is a metric"):
        make_task_scorer(accuracy_score)
    with pytest.raises(ValueError, match="average='tasks'; use one of None, 'task'"):
        make_task_scorer("accuracy", average="tasks")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'groups' is not metadata of a task scorer; use one of"):
        make_task_scorer("accuracy").set_score_request(groups=True)


def test_an_average_over_unknown_tasks_is_refused(data: Tasks, model: OffsetClassifier) -> None:
    scorer = make_task_scorer("accuracy", average="task")
    with pytest.raises(ValueError, match="needs the task of every row"):
        scorer(model, data.X, data.y)
    with pytest.raises(ValueError, match="task has 3 values for 120 rows"):
        scorer(model, data.X, data.y, task=["ant", "bee", "cat"])
    with pytest.raises(ValueError, match=r"task has shape \(120, 1\)"):
        scorer(model, data.X, data.y, task=data.task[:, None])
