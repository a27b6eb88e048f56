"""Every error and warning with a name of its own; all else is a ValueError or a TypeError."""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "FileError",
    "InexactRemovalWarning",
    "LeftOutColumnsWarning",
    "PrecisionWarning",
    "SkippedFilesWarning",
    "StoredDataError",
    "TooFewClassesError",
    "UnitsWarning",
]


class TooFewClassesError(ValueError, AttributeError):
    """The rows so far are of one class: there is no rule yet, and no attribute that needs one.

    It is an AttributeError too, so that `hasattr(clf, "coef_")` is False until there is a rule.
    """


class StoredDataError(ValueError):
    """A buffer or file that is not what kinspan wrote: corrupted, truncated, foreign or too new."""


class FileError(ValueError):
    """A file that cannot be read as requested.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    reason : str
        What is wrong with it.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class UnitsWarning(UserWarning):
    """A feature of a task is ten times or more as large or small as in other tasks.

    Grams and kilograms, or euros and cents: other units in one task spoil its rows for all, and
    those of all for it. The message names the feature, the task and the factor. A factor counts if
    the spread within classes, the root mean square and the mean all change with it, if chance
    cannot explain it with as few rows, and if the other tasks agree on their spread. So neither
    rare events nor noisier tasks raise it, nor does `scale="task"`, which divides all units out.
    It is looked for whenever rules are computed: in `fit`, and in streams at the next question.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from kinspan import MultiTaskSPCA, UnitsWarning
    >>> rng = np.random.default_rng(0)
    >>> X, task = rng.normal(70.0, 9.0, size=(80, 1)), np.repeat(["a", "b", "c", "d"], 20)
    >>> X[task == "c"] *= 1000.0
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = MultiTaskSPCA().fit(X, np.tile([0, 1], 40), task=task)
    >>> print(caught[0].message)
    feature 0 of task 'c' looks 1,000 times as large as in other tasks: other units?
    """


class CopiesWarning(UserWarning):
    """Many different rows came more than once, though some feature is measured, or all as often.

    A row that comes again counts as often as it came. That is right where new rows will be copies
    as often, such as rows of a few categories. If rows were doubled, such as to balance classes, a
    row that is left out has left its copies behind, and forecasts are too good. It is looked for in
    `fit`, where no weights say that rows count more than once.
    """


class PrecisionWarning(UserWarning):
    """Numbers are so large, so small or so far from zero that digits of the answers are lost.

    All results come from class moments in double precision. Three things can go wrong: a feature
    lies so far from zero that the steps between floating-point numbers are not small against its
    standard deviation (1e16 of them in double precision, 1e7 in single); it is so small, below
    1e-150, that its squares vanish; a task varies by less than 1e-8 of what others do. The
    message names features and tasks, and the way out. Larger numbers than that are refused.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from kinspan import MultiTaskSPCA, PrecisionWarning
    >>> X = np.random.default_rng(0).normal(size=(40, 2)) + [0.0, 1e16]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = MultiTaskSPCA().fit(X, np.tile([0, 1], 20))
    >>> caught[0].category is PrecisionWarning
    True
    """


class InexactRemovalWarning(UserWarning):
    """The rest differs from what it would be if the removed rows had never been there."""


class SkippedFilesWarning(UserWarning):
    """Some files could not be read and were left out."""


class LeftOutColumnsWarning(UserWarning):
    """Some columns are not numeric, and were left out although no features were named."""
