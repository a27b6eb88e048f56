"""`kinspan fit`: a table, or moments of several sites, → a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan import MultiTaskSPCA
from kinspan._memory.statistics import Statistics
from kinspan._rows.types import Codes
from kinspan._validation.copies import warn_of_copies
from kinspan._validation.fitted import names_of
from kinspan._validation.parameters import check_random_state
from kinspan._validation.scores import check_forecast_score
from kinspan._validation.thresholds import read_threshold
from kinspan.answers._table import percent, points
from kinspan.answers.score_forecasts import ScoreForecasts, score_forecasts
from kinspan.answers.seen_from import goal_said
from kinspan.answers.summary import by_need, errors_of, lacking_said, one_answer
from kinspan.answers.who_helps import most_from
from kinspan.cli import options, stored, tasks
from kinspan.cli.learning import learn_tables
from kinspan.cli.lists import as_argument, listed
from kinspan.cli.output import Output, name_of
from kinspan.cli.places import check_place
from kinspan.cli.score_tables import forecast_as_json, show_forecast
from kinspan.engines.files._sums import Sampling
from kinspan.tables.recipe import Recipe
from kinspan.tables.tally import number, whole

EXAMPLES = """
Examples:

kinspan fit data.parquet --task tenant --label churned --out model.kinspan
kinspan fit 'rows/*.csv' --task shop --label sold --features 'visits_*,age'
kinspan fit tenants.csv --task tenant --label churned --exclude customer \\
    --categorical encode --missing mean
zcat big.csv.gz | kinspan fit - --task tenant --label churned --json
kinspan fit rows.csv --task shop --label sold --score average_precision,lift_at_budget=5%
kinspan fit --moments all.moments --out model.kinspan
"""


def fit(
    data: options.Data = None,
    task: options.TaskColumn = None,
    label: options.LabelColumn = None,
    out: options.Model = "model.kinspan",
    moments: options.Moments = None,
    features: options.Features = None,
    exclude: options.Exclude = None,
    categorical: options.Categorical = "error",
    rare: options.Rare = 1,
    missing: options.Missing = "error",
    unlabelled: options.Unlabelled = None,
    as_text: options.AsText = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    missing_values: options.MissingValues = None,
    priors: options.Priors = "equal",
    class_weight: options.ClassWeight = "none",
    label_noise: options.LabelNoise = "none",
    unseen: options.UnseenInFit = "error",
    unseen_classes: options.UnseenClasses = "never",
    row_sample: options.RowSample = 100,
    random_state: options.RandomState = None,
    threshold: options.Threshold = None,
    pos_label: options.PosLabel = None,
    score: options.Scores = None,
    show_all: options.AllTasks = False,
    checkpoint: options.Checkpoint = None,
    as_json: options.Json = False,
) -> None:
    """Fit all tasks at once, and forecast the error of each."""
    output = Output(as_json)
    check_place(out, moments)
    wanted = listed(score)
    for name in wanted:  # before rows are read
        check_forecast_score("--score", name, 2, row_sample > 0)
    model = _unfitted(priors, class_weight, unseen, unseen_classes, row_sample, random_state)
    model.label_noise = None if label_noise == "none" else label_noise
    model.set_params(threshold=read_threshold(threshold))
    recipe: Recipe | None
    if moments is not None:
        named = data, task, label, unlabelled, features, exclude, as_text, checkpoint
        _refuse_both(*named, delimiter, encoding, decimal, thousands, missing_values)
        recipe, statistics = _of_moments(model, moments, output)
    else:
        dialect = options.checked_dialect(delimiter, encoding, decimal, thousands, missing_values)
        choice = options.column_choice(
            *((task, label), (features, exclude, as_text), categorical, missing, dialect, rare),
            unlabelled,
        )
        sampling = Sampling(row_sample, check_random_state(random_state))
        recipe, statistics = learn_tables(data or (), choice, sampling, output, out, checkpoint)
    if pos_label is not None:
        model.set_params(pos_label=tasks.class_named(statistics.moments.classes, pos_label))
    model.merge(statistics)
    warn_of_copies(statistics.sample)
    with output.progress(f"fitting {number(len(model.tasks_), 'task')}"):
        _ = model.coef_  # rules are computed when they are first needed
    if ((model.moments_.counts > 0).sum(axis=1) < 2).all():
        output.note(
            "no task has labels of two classes: each answers the one that it has, and nothing can "
            "be forecast; is the right column named with --task?"
        )
    _note_alike(model, output)
    lacking = lacking_said(model, by_need(model), "--unseen-classes share")
    if lacking:
        output.note(lacking[0].lower() + lacking[1:])
    _note_missing_labels(model, output)
    found = [score_forecasts(model, name, argument="--score") for name in wanted]
    stored.write(out, model, recipe, checkpoint)
    _show(model, out, output, show_all, found)


def _note_alike(model: MultiTaskSPCA, output: Output) -> None:
    """Say which tasks, classes, and columns or categories of several tables may be one."""
    features = getattr(model, "feature_names_in_", ())
    named = {"tasks": model.tasks_, "classes": model.classes_, "features": features}
    for what, names in named.items():
        alike = tasks.written_alike(list(names))
        if alike is not None:
            said = f"{what} {alike[0]!r} and {alike[1]!r} differ in spaces or capitals only"
            output.note(f"{said}: are they the same?")


def _note_missing_labels(model: MultiTaskSPCA, output: Output) -> None:
    """Say which classes look as if they stood for labels that nobody knows."""
    found = tasks.stands_for_nothing(model.classes_.tolist())
    if found:
        output.note(
            f"{', '.join(map(repr, found))} {'is a class' if len(found) == 1 else 'are classes'} "
            f"here; --missing-values {as_argument(found)} reads such labels as missing"
        )


def _unfitted(
    priors: str,
    class_weight: str,
    unseen: str,
    unseen_classes: str,
    row_sample: int,
    random_state: int | None,
) -> MultiTaskSPCA:
    return MultiTaskSPCA(
        priors=None if priors == "equal" else priors,
        class_weight=None if class_weight == "none" else class_weight,
        unseen=unseen,
        unseen_classes=unseen_classes,
        row_sample=row_sample,
        random_state=random_state,
    )


def _refuse_both(*given: Any) -> None:
    if any(given):
        raise ValueError(
            "--moments has its own tasks, labels and features: name neither files nor columns "
            "with it"
        )


def _of_moments(
    model: MultiTaskSPCA, path: str, output: Output
) -> tuple[Recipe | None, Statistics]:
    statistics, recipe = stored.read_statistics(path)
    if statistics.sample is None:
        model.set_params(metric=0, row_sample=0)
        output.note(
            "the moments contain no rows: the metric is 0, and the forecast is the isotropic "
            "formula, too optimistic where features are correlated"
        )
    else:
        model.set_params(row_sample=statistics.sample.size)
    return recipe, statistics


def _show(
    model: MultiTaskSPCA, out: str, output: Output, show_all: bool, scores: list[ScoreForecasts]
) -> None:
    helping = most_from(model)
    order = by_need(model)
    shown = order if show_all else order[: tasks.SHOWN]
    ids = model.tasks_.tolist()
    rows = [
        [
            name_of(ids[t]),
            tasks.labels_of(model, t),
            *errors_of(model, t),
            "–" if helping[t] < 0 else name_of(ids[helping[t]]),
        ]
        for t in shown
    ]
    head = ["task", tasks.labels_title(model), "forecast", "90 % interval", "alone"]
    title = tasks.heading(len(order), len(shown), "largest forecast error")
    counts = model.moments_.counts.sum(axis=0).tolist()
    last = ["all", tasks.counted(counts), *_means(model), ""]
    output.table(title, [*head, "gain", "most from"], rows, last)
    output.say(
        f"{number(sum(counts), 'row')}, {number(model.moments_.n_features, 'feature')}, "
        f"{number(len(model.classes_), 'class')}; all: labels in total, mean errors."
    )
    free = _unlabelled(model)
    if free:
        output.say(f"{model.explain_unlabelled().sentence}, {whole(free):,} in all.")
    columns = (
        "Alone: without other tasks. Gain: in points. Most from: the largest part of the rule."
    )
    output.say(" ".join(filter(None, [_forecast_said(model), goal_said(model), columns])))
    for of in scores:
        show_forecast(of, tasks.labels_title(model), len(shown), output)
    output.say(f"Model: {out}")
    named = {"scores": [forecast_as_json(of) for of in scores]} if scores else {}
    output.result(**_result(model, out, order, helping), **named)


def _forecast_said(model: MultiTaskSPCA) -> str:
    """What forecasts are, how they count classes, and what knowing nothing gives."""
    is_equal = model.priors is None
    counted = "all classes count equally" if is_equal else "classes count as often as they occur"
    usual = f"always the usual class: {percent(one_answer(model))}"
    return f"Forecast: the error to expect; {counted} ({usual})."


def _unlabelled(model: MultiTaskSPCA) -> float:
    """The number of rows without labels."""
    free = model._learnt.unlabelled
    return 0.0 if free is None else float(free.counts.sum())


def _means(model: MultiTaskSPCA) -> list[str]:
    forecast, alone = model.forecast_error_, model.single_task_error_
    known = np.isfinite(forecast) & np.isfinite(alone)
    if not known.any():
        return ["unknown", "", "unknown", "unknown"]
    means = float(forecast[known].mean()), float(alone[known].mean())
    return [percent(means[0]), "", percent(means[1]), points(means[1] - means[0])]


def _result(model: MultiTaskSPCA, out: str, order: Codes, helping: Any) -> dict[str, Any]:
    ids, classes = model.tasks_.tolist(), model.classes_.tolist()
    counts = model.moments_.counts
    return {
        "model": out,
        "rows": whole(float(counts.sum())),
        "rows_without_labels": whole(_unlabelled(model)),
        "features": names_of(model),
        "classes": classes,
        "forecast": "formula" if model.sample_ is None else "rows left out",
        "tasks": [
            {
                "task": ids[t],
                "labels": dict(
                    zip(map(name_of, classes), map(whole, counts[t].tolist()), strict=True)
                ),
                "forecast_error": model.forecast_error_[t],
                "forecast_interval": model.forecast_interval_[t],
                "single_task_error": model.single_task_error_[t],
                "transfer_gain": model.transfer_gain_[t],
                "unlabelled_weight": model.unlabelled_weight_[t],
                "metric": model.metric_[t],
                "most_from": None if helping[t] < 0 else ids[helping[t]],
            }
            for t in order
        ],
    }
