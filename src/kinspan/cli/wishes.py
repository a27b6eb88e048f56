"""Options of the command line → what is asked of a table."""

from __future__ import annotations

from collections.abc import Sequence

from kinspan.cli.options import checked_delimiter, listed
from kinspan.cli.table.columns import Wishes

Names = Sequence[str] | None


def wished(
    roles: tuple[str | None, str | None],
    names: tuple[Names, Names, Names],
    categorical: str,
    missing: str,
    delimiter: str | None,
) -> Wishes:
    """Wishes that do not contradict each other; names are --features, --exclude and --as-text."""
    task, label = roles
    features, exclude, as_text = (listed(given) for given in names)
    if label is None:
        raise ValueError("name the column that holds the class of every row with --label")
    if task == label:
        raise ValueError(f"--task and --label are both {task!r}; name two columns")
    for option, name in (("--task", task), ("--label", label)):
        if name in features:
            raise ValueError(f"column {name!r} is named with {option} and with --features")
    mark = checked_delimiter(delimiter)
    return Wishes(task, label, features, exclude, categorical, missing, as_text, mark)
