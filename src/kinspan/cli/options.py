"""Options that several verbs have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

_READING = "How the table is read"

Data = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, Parquet or Feather files, patterns or folders; - is standard input.",
    ),
]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="What kinspan fit wrote.")]
TaskColumn = Annotated[
    str | None, typer.Option("--task", metavar="COLUMN", help="The column with the task.")
]
LabelColumn = Annotated[
    str | None, typer.Option("--label", metavar="COLUMN", help="The column with the class.")
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        "--features",
        metavar="NAMES",
        help="Columns to use, by name or pattern ('usage_*'), separated by commas.",
        rich_help_panel=_READING,
        show_default="all but task and label",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="NAMES",
        help="Columns to leave out, by name or pattern, separated by commas.",
        rich_help_panel=_READING,
    ),
]
Categorical = Annotated[
    Literal["error", "encode"],
    typer.Option(
        "--categorical",
        help="Columns of text: refuse them, or make every category a feature of zeros and ones.",
        rich_help_panel=_READING,
    ),
]
Missing = Annotated[
    Literal["error", "mean", "drop"],
    typer.Option(
        "--missing",
        help="Missing values: refuse them, fill in the mean of the task, or drop the row.",
        rich_help_panel=_READING,
    ),
]
AsText = Annotated[
    list[str] | None,
    typer.Option(
        "--as-text",
        metavar="NAMES",
        help="Columns that hold text although it looks like numbers (007).",
        rich_help_panel=_READING,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="What separates the cells of text files.",
        rich_help_panel=_READING,
        show_default="tab in .tsv, else comma",
    ),
]
Unseen = Annotated[
    Literal["error", "shared"] | None,
    typer.Option(
        "--unseen",
        help="Rows of tasks that were not fitted: refuse them, or use what all tasks agree on.",
        show_default="as the model was fitted",
    ),
]
Model = Annotated[str, typer.Option("--out", metavar="FILE", help="Where the model goes.")]
Moments = Annotated[
    str | None,
    typer.Option(
        "--moments",
        metavar="FILE",
        help="Fit what kinspan moments or merge wrote, instead of a table.",
    ),
]
Priors = Annotated[
    Literal["equal", "empirical"],
    typer.Option("--priors", help="Class priors: equal, or each task's own frequencies."),
]
ClassWeight = Annotated[
    Literal["none", "balanced"],
    typer.Option("--class-weight", help="Whether an error in a rare class costs as much more."),
]
RowSample = Annotated[
    int,
    typer.Option(
        "--row-sample",
        min=0,
        help="Rows kept of every class of every task, for covariance and forecast.",
    ),
]
Like = Annotated[
    str | None,
    typer.Option(
        "--like",
        metavar="FILE",
        help="Read the table as it was for these moments: the same columns and categories. "
        "Whoever made them chose these: see which leave before you send the file.",
    ),
]
MinCount = Annotated[
    int,
    typer.Option(
        "--min-count",
        min=1,
        help="Withhold classes of tasks, and categories, that have fewer rows: the mean of one row "
        "is the row. Five rows of one person pass as five.",
    ),
]
Reservoir = Annotated[
    int,
    typer.Option(
        "--reservoir",
        min=0,
        help="Let so many ROWS of every class of every task leave, for a better forecast.",
    ),
]
MissingAtSite = Annotated[
    Literal["error", "drop"],
    typer.Option(
        "--missing",
        help="Missing values: refuse them, or drop the row.",
        rich_help_panel=_READING,
    ),
]
Checkpoint = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="FILE",
        help="Keep what was read in FILE meanwhile: if interrupted, the same command goes on.",
        rich_help_panel=_READING,
    ),
]
OnlyAnswers = Annotated[
    bool, typer.Option("--only-answers", help="Leave out the columns of DATA but the task.")
]
Scored = Annotated[
    str, typer.Option("--out", metavar="FILE", help="CSV, TSV, Parquet or Feather; - prints CSV.")
]
AllTasks = Annotated[bool, typer.Option("--all", help="Show all tasks, not the first 30.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


def listed(given: Sequence[str] | None) -> tuple[str, ...]:
    """Names that were given one by one, or separated by commas."""
    parts = (part.strip() for text in given or () for part in text.split(","))
    return tuple(part for part in parts if part)


def checked_delimiter(given: str | None) -> str | None:
    """One character, of which a tab may be written as \\t."""
    if given is None:
        return None
    character = "\t" if given in {"\\t", "tab"} else given
    if len(character) != 1:
        raise ValueError(f"--delimiter {given!r}: use one character, such as ';' or '\\t'")
    return character
