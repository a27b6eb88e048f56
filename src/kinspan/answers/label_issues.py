"""A fitted model → its labels, the least likely first, and rates of wrong ones as a short table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.frames import pandas
from kinspan._rows.types import Codes, Floats, Ids, Keys, Mask
from kinspan.answers._table import ShownAsTable, Table, count, interval, percent
from kinspan.risk import rate_interval
from kinspan.selection.wrong_labels import Audit

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 10
_COLUMNS = (
    *("index", "task", "given_label", "predicted_label", "label_quality"),
    *("is_label_issue", "copies", "key"),
)


@dataclass(frozen=True, eq=False, repr=False)
class WrongLabelRates(ShownAsTable):
    """How many labels of every class of every task are wrong."""

    task: NDArray[Any]  # (cells,)
    label: NDArray[Any]  # (cells,)
    labels: Floats  # (cells,): how many were rated
    rate: Floats  # (cells,): the share of them that is wrong, if there are wrong ones at all
    low: Floats  # (cells,): the lower end of the 90 % interval; zero without evidence
    high: Floats  # (cells,)

    def _table(self) -> Table:
        columns = (self.task, self.label, self.labels, self.rate, self.low, self.high)
        rows = [
            [str(task), str(label), count(n), percent(rate), interval((low, high))]
            for task, label, n, rate, low, high in zip(*columns, strict=True)
        ]
        more = len(rows) - 3 * _SHOWN
        note = f"and {more:,} more" * (more > 0)
        head = ["task", "label", "labels", "wrong", "90 % interval"]
        return Table("", head, rows[: 3 * _SHOWN], note)


@dataclass(frozen=True, eq=False, repr=False)
class LabelIssues(ShownAsTable):
    """Labels by how likely they are right, the least likely first."""

    evidence: float  # the probability that there are wrong labels at all, in all tasks together
    has_evidence: bool  # whether that is at least 90 %
    rate: float  # the share of the labels below that is wrong, if there are wrong ones at all
    rate_interval: tuple[float, float]  # 90 % interval; its lower end is zero without evidence
    rates: WrongLabelRates  # the same for every class of every task
    index: Codes  # (rows,): where the row was among those given to `fit`; -1 where nobody knows
    task: NDArray[Any]  # (rows,)
    given_label: NDArray[Any]  # (rows,)
    predicted_label: NDArray[Any]  # (rows,): the most likely class by the other rows
    label_quality: Floats  # (rows,): the probability that the label is right
    is_label_issue: Mask  # (rows,): whether it is rather wrong, where there is evidence
    copies: Floats  # (rows,): how many equal rows with the same label this one stands for
    key: Keys  # (rows,): the hash of the row in `sample_`

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one line per row, named as cleanlab's users expect."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        return cast("pd.DataFrame", pandas().DataFrame(columns))

    def name(self, i: int) -> str:
        """The row at a place of this list: its index where that is known, else its key."""
        return f"row {self.index[i]}" if self.index[i] >= 0 else f"key {self.key[i]:016x}"

    def headline(self) -> str:
        """The finding in one sentence."""
        n = count(self.copies.sum())
        if not self.has_evidence:
            return f"No evidence of wrong labels among {n}."
        ends = interval(self.rate_interval)
        return f"About {percent(self.rate)} of {n} labels look wrong (90 % interval {ends})."

    def caution(self) -> str:
        """What else may look like wrong labels."""
        text = "Odd groups and odd spreads of a class look like wrong labels: check some."
        return text * self.has_evidence

    def _table(self) -> Table:
        columns = (self.task, self.given_label, self.predicted_label, self.label_quality)
        shown = zip(*(part[:_SHOWN].tolist() for part in columns), strict=True)
        rows = [
            [self.name(i), *map(str, ids), f"{quality:.3f}"]
            for i, (*ids, quality) in enumerate(shown)
        ]
        more = len(self.index) - _SHOWN
        notes = [f"and {more:,} more" * (more > 0), self.caution()]
        head = ["", "task", "label", "rather", "quality"]
        return Table(self.headline(), head, rows, "\n".join(filter(None, notes)))


def label_issues(found: Audit, tasks: Ids, classes: Ids, chosen: Mask) -> LabelIssues:
    """The rated rows of the tasks in a mask."""
    sample, wrong = found.sample, found.wrong
    t, c = sample.task_codes, sample.class_codes
    rows = np.flatnonzero(np.isfinite(found.probability) & chosen[t])
    quality = 1.0 - found.probability[rows]
    order = np.lexsort((sample.keys[rows], quality))
    rows, quality = rows[order], quality[order]
    likely = found.likely(found.scores[rows], t[rows])
    index = np.full(len(rows), -1, dtype=np.intp)
    if sample.positions is not None:
        index = sample.positions[rows]
    counted = np.bincount(sample.cells[rows], sample.weights[rows], found.present.size)
    n = counted.astype(np.float64).reshape(found.present.shape)
    rate, ends = _together(found, n)
    return LabelIssues(
        evidence=wrong.evidence,
        has_evidence=found.is_sure,
        rate=rate,
        rate_interval=ends,
        rates=_rates(found, tasks, classes, n),
        index=index,
        task=tasks[t[rows]],
        given_label=classes[c[rows]],
        predicted_label=classes[likely],
        label_quality=quality,
        is_label_issue=(quality < 0.5) & found.is_sure,
        copies=sample.weights[rows],
        key=sample.keys[rows],
    )


def _together(found: Audit, n: Floats) -> tuple[float, tuple[float, float]]:
    """The rate of the labels of some cells together, and its interval."""
    total = max(float(n.sum()), 1.0)
    rate = float((n * found.wrong.shares).sum() / total)
    low, high = rate_interval(np.array(rate), np.array(found.wrong.resolution * total)).tolist()
    return rate, (low if found.is_sure else 0.0, high)


def _rates(found: Audit, tasks: Ids, classes: Ids, n: Floats) -> WrongLabelRates:
    """Of all cells with rated rows, the largest rate first."""
    t, c = np.nonzero(n)
    rate, ends = found.wrong.shares[t, c], found.wrong.interval[t, c]
    order = np.argsort(-rate, kind="stable")
    t, c, rate, ends = t[order], c[order], rate[order], ends[order]
    low = ends[:, 0] if found.is_sure else np.zeros(len(rate))
    return WrongLabelRates(tasks[t], classes[c], n[t, c], rate, low, ends[:, 1])
