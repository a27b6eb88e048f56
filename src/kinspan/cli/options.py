"""Options that several verbs have, and the choice of columns that they make."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from kinspan.cli.lists import listed
from kinspan.tables.columns import ColumnChoice
from kinspan.tables.dialect import Dialect, check_dialect

Names = list[str] | None
NO_VALUE = ""  # what the help shows next to options that take none


_HELP = {
    "--task": "The column with the task.",
    "--label": "The column with the class.",
    "--features": "Columns to use, by name or pattern ('usage_*'), separated by commas.",
    "--exclude": "Columns to leave out, by name or pattern, separated by commas.",
    "--categorical": "Columns of text: refuse them, or make every category a feature of zeros and "
    "ones.",
    "--rare": "Categories of fewer rows are one feature, and so are unknown ones.",
    "--as-text": "Columns that hold text although it looks like numbers (007).",
    "--delimiter": "The character between the cells of text files.",
    "--encoding": "The encoding of text files, such as latin-1, windows-1252 or utf-16.",
    "--decimal": "The decimal mark of numbers in text files.",
    "--thousands": "The mark between thousands in text files, as in 1,234.5.",
    "--unlabelled": "The label that stands for none, besides empty cells, such as -1 or '?'.",
    "--missing-values": "Cells that are missing besides empty ones, such as '?,-999', separated by "
    "commas.",
    "--checkpoint": "Save progress in FILE: after an interruption, the same command continues from "
    "there.",
    "--unseen": "Rows of tasks that were not fitted: refuse them, or use what all tasks agree on.",
    "--unseen-classes": "Classes of which a task has no label: never answer them, or use the rule "
    "of the other tasks for them.",
    "--moments": "Fit a file of kinspan moments or merge instead of a table.",
    "--label-noise": "Rely less on labels that are probably wrong, where there are some.",
    "--priors": "Class priors: equal, or the frequencies in each task.",
    "--class-weight": "Weigh errors equally, or by the inverse frequency of the class.",
    "--row-sample": "Rows kept of every class of every task, for covariance and forecast.",
    "--random-state": "The key of the hash that chooses these rows; a secret one is better in the "
    "variable than on the command line.",
    "--like": "Read the table as it was read for these moments: the same columns and categories. "
    "Their author chose the features: check which ones leave before you send the file.",
    "--min-count": "Withhold classes of tasks, and categories, with fewer rows: the mean of one "
    "row is the row. Five rows of one person count as five.",
    "--reservoir": "Let this many ROWS of every class of every task leave, and ten times as many "
    "without labels, for a better forecast.",
    "--only-answers": "Leave out the columns of DATA except the task.",
    "--metrics": "Scores to compute besides the error, such as roc_auc, average_precision, "
    "log_loss, f1, recall_at_precision=0.8, lift_at_budget=5% or 'cost=0 1; 5 0' (a row for "
    "every true class, a column for every answer, classes sorted), separated by commas.",
    "--threshold": "When the class of --pos-label is answered: for the fewest errors (error), the "
    "least cost (cost, by --class-weight, or 'cost=0 1; 5 0', a row for every true class, a "
    "column for every answer, classes sorted), the largest f1, a precision (precision=0.8) or a "
    "share of the rows (budget=5%); ', tasks=all' makes it one for all tasks.",
    "--pos-label": "Of two classes, the one that scores such as average_precision, and thresholds, "
    "are about.",
    "--score": "Scores to forecast besides the error, such as average_precision, roc_auc or "
    "lift_at_budget=5%, separated by commas.",
    "--all": "Show all tasks, not the first 30.",
    "--json": "One JSON object on standard output.",
}
_DATA = "CSV, TSV, Parquet or Feather files, patterns or folders; - is standard input."
_FITTED = "as the model was fitted"
_DEFAULTS = {
    "--delimiter": "tab in .tsv, else comma",
    "--encoding": "utf-8",
    "--decimal": ".",
    "--thousands": "none",
    "--missing-values": "none",
}


def _option(name: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(name, metavar=metavar, **{"help": _HELP.get(name), **more})


def _flag(name: str, **more: Any) -> Any:
    return _option(name, NO_VALUE, **more)


def _reading(name: str, metavar: str | None = None, **more: Any) -> Any:
    return _option(name, metavar, rich_help_panel="How the table is read", **more)


def _dialect(name: str, metavar: str) -> Any:
    return _reading(name, metavar, show_default=_DEFAULTS[name])


Data = Annotated[Names, typer.Argument(metavar="DATA", help=_DATA)]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A file written by kinspan fit.")]
TaskColumn = Annotated[str | None, _option("--task", "COLUMN")]
LabelColumn = Annotated[str | None, _option("--label", "COLUMN")]
Features = Annotated[Names, _reading("--features", "NAMES", show_default="all but task and label")]
Exclude = Annotated[Names, _reading("--exclude", "NAMES")]
Categorical = Annotated[Literal["error", "encode"], _reading("--categorical")]
Rare = Annotated[int, _reading("--rare", "ROWS", min=1)]
Missing = Annotated[
    Literal["error", "mean", "drop"],
    _reading(
        "--missing",
        help="Missing values: refuse them, fill in what is expected, or drop the row.",
    ),
]
Unlabelled = Annotated[str | None, _reading("--unlabelled", "LABEL")]
AsText = Annotated[Names, _reading("--as-text", "NAMES")]
Delimiter = Annotated[str | None, _dialect("--delimiter", "CHARACTER")]
Encoding = Annotated[str | None, _dialect("--encoding", "NAME")]
Decimal = Annotated[str | None, _dialect("--decimal", "CHARACTER")]
Thousands = Annotated[str | None, _dialect("--thousands", "CHARACTER")]
MissingValues = Annotated[Names, _dialect("--missing-values", "CELLS")]
Checkpoint = Annotated[str | None, _reading("--checkpoint", "FILE")]
UnseenInFit = Annotated[Literal["error", "shared"], _option("--unseen")]
UnseenClasses = Annotated[Literal["never", "share"], _option("--unseen-classes")]
Unseen = Annotated[Literal["error", "shared"] | None, _option("--unseen", show_default=_FITTED)]
Model = Annotated[str, _option("--out", "FILE", help="Where to write the model.")]
Moments = Annotated[str | None, _option("--moments", "FILE")]
LabelNoise = Annotated[Literal["none", "auto"], _option("--label-noise")]
Priors = Annotated[Literal["equal", "empirical"], _option("--priors")]
ClassWeight = Annotated[Literal["none", "balanced"], _option("--class-weight")]
RowSample = Annotated[int, _option("--row-sample", min=0)]
RandomState = Annotated[
    int | None, _option("--random-state", "NUMBER", min=0, envvar="KINSPAN_RANDOM_STATE")
]
Like = Annotated[str | None, _option("--like", "FILE")]
MinCount = Annotated[int, _option("--min-count", min=1)]
Reservoir = Annotated[int, _option("--reservoir", min=0)]
OnlyAnswers = Annotated[bool, _flag("--only-answers")]
Scored = Annotated[
    str, _option("--out", "FILE", help="CSV, TSV, Parquet or Feather; - prints CSV.")
]
Threshold = Annotated[str | None, _option("--threshold", "GOAL", show_default="log odds of 0")]
PosLabel = Annotated[str | None, _option("--pos-label", "LABEL", show_default="the second")]
Scores = Annotated[Names, _option("--score", "SCORES")]
Metrics = Annotated[Names, _option("--metrics", "SCORES")]
AllTasks = Annotated[bool, _flag("--all")]
Json = Annotated[bool, _flag("--json")]


def column_choice(
    roles: tuple[str | None, str | None],
    names: tuple[Names, Names, Names],
    categorical: str,
    missing: str,
    dialect: Dialect,
    rare: int,
    unlabelled: str | None,
) -> ColumnChoice:
    """A choice without contradictions; names are --features, --exclude and --as-text."""
    task, label = roles
    features, exclude, as_text = (listed(given) for given in names)
    if label is None:
        raise ValueError("name the column that holds the class of every row with --label")
    if task == label:
        raise ValueError(f"--task and --label are both {task!r}; name two columns")
    for option, name in (("--task", task), ("--label", label)):
        if name in features:
            raise ValueError(f"column {name!r} is named with {option} and with --features")
    chosen = task, label, features, exclude, categorical, missing, as_text, dialect, rare
    return ColumnChoice(*chosen, unlabelled)


def checked_dialect(
    delimiter: str | None,
    encoding: str | None,
    decimal: str | None,
    thousands: str | None,
    missing_values: Names,
) -> Dialect:
    """A dialect without contradictions; a tab may be written as \\t."""
    mark = "\t" if delimiter in {"\\t", "tab"} else delimiter
    missing = None if missing_values is None else listed(missing_values)
    return check_dialect(mark, encoding, decimal, thousands, missing)
