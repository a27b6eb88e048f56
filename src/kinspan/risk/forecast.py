"""Shares of wrong left-out rows → the error to expect of every task, and its interval.

The error of a task is a posterior: what its own left-out rows say, and before that what the other
tasks say, which is worth a number of rows. How many follows from how much tasks differ: several
answers are averaged by the likelihood of the counts; before these, tasks are rather alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, betaln, softmax

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.risk.between_tasks import rows_of_a_task
from kinspan.risk.dependence import independent_rows
from kinspan.risk.difficulty import Ways, difficulty
from kinspan.risk.energies import Energies
from kinspan.risk.left_out_rows import LeftOutRows
from kinspan.risk.tails import SHAPE_ROWS, Shares, wrong_shares
from kinspan.risk.usual_task import UsualTask

_LEVEL = 0.90
FLEET_ROWS = (100.0, 30.0, 10.0, 3.0, 1.0)  # what a task that is known exactly tells of another
ALIKE = (30.0, 10.0, 3.0, 1.0)  # one over the variance of log distances between tasks


class Forecast(NamedTuple):
    """The expected error of the rule of every task."""

    error: Floats  # (tasks,); NaN where nothing is known
    interval: Floats  # (tasks, 2): 90 % interval for the error of this rule on new rows


class LeftOutErrors(NamedTuple):
    """What the left-out rows of every task say of its error."""

    rows: Floats  # (tasks,): as many as would give the error the same variance, were classes mixed
    counted: Floats  # (tasks,): the share of them that is misclassified, classes by their priors
    smoothed: Floats  # (tasks,): the same from margins
    chance: Floats  # (tasks,): the error of a guess; zero with fewer than two classes
    unit: Floats  # (tasks,): in which errors are compared: larger with more classes or fewer labels
    by_distance: Floats  # (tasks,): one where tasks differ by how far apart their classes are

    @classmethod
    def of(cls, rows: LeftOutRows, priors: Floats, skipped: Mask | None = None) -> LeftOutErrors:
        """Of left-out rows by their scores, and by margins of rules of one size."""
        of_rows = rows.scores, rows.tasks, rows.classes, rows.weights
        return left_out_errors(*of_rows, priors, skipped, rows.of_one_size())

    def forecast(self) -> Forecast:
        """The posterior of every task, given those of the others."""
        if not self.rows.any():
            nothing = np.full(len(self.rows), np.nan)
            return Forecast(nothing, np.stack([nothing, nothing], axis=1))
        return _Others.of(self).posterior(self)

    def among(self, energies: Energies, counts: Floats, ways: Ways) -> LeftOutErrors:
        """As they count among tasks: of fewer rows, and harder with fewer labels than is usual."""
        if not self.rows.any():
            return self
        usual, errors = UsualTask.of(energies, counts, self.rows), self.confirmed(self.ratio())
        relative = errors / np.where(self.chance > 0, self.chance, 1.0)
        common = float(self.wrong().sum() / self.rows.sum())
        return self._replace(
            rows=independent_rows(self.rows, usual.noise_share(), common),
            unit=self.chance * difficulty(usual, counts, self.rows, relative, ways),
        )

    def compared_with(self, chance: Floats) -> LeftOutErrors:
        """Of rules that seek something else, and have these errors, (tasks,), if they know nothing.

        Such tasks differ by how often they answer a class too.
        """
        chance = np.where(self.chance > 0, chance, 0.0)
        return self._replace(chance=chance, unit=chance, by_distance=np.zeros_like(chance))

    def wrong(self) -> Floats:
        """(tasks,): how many rows are misclassified, as far as counts confirm smooth tails."""
        return self.rows * self.confirmed(self.ratio())

    def times(self, factor: Floats) -> LeftOutErrors:
        """As if (tasks,) times as many rows were misclassified."""
        counted, smoothed = (
            np.minimum(factor * part, np.maximum(part, self.chance))
            for part in (self.counted, self.smoothed)
        )
        return self._replace(counted=counted, smoothed=smoothed)

    def ratio(self) -> float:
        """How many more rows are wrong than smooth tails say, in all tasks together."""
        n, smoothed = self.rows, self.smoothed
        held = SHAPE_ROWS * max(float(n @ smoothed), 1.0) / max(float(n.sum()), 1.0)
        return float((n @ self.counted + held) / (n @ smoothed + held))

    def confirmed(self, ratio: float) -> Floats:
        """(tasks,): smoothed errors, as far as counts confirm them: eq. (41) of docs/theory.md."""
        n, smoothed = self.rows, self.smoothed
        mixed = (n * self.counted + SHAPE_ROWS * ratio * smoothed) / (n + SHAPE_ROWS)
        return np.asarray(np.minimum(mixed, 1.0))


def left_out_errors(
    scores: Floats,
    tasks: Codes,
    classes: Codes,
    weights: Floats,
    priors: Floats,
    skipped: Mask | None = None,
    sized: Floats | None = None,
) -> LeftOutErrors:
    """Errors from (rows, classes) scores of left-out rows; NaN for those that were not.

    Margins are those of other scores where some are given, by rules of one size.
    Priors (tasks, classes) are zero for absent classes. A task of which some class has no left-out
    row has no rows, and is expected to be like the others. Classes (tasks, classes) of which rows
    were skipped are like the other classes of the task.
    """
    shares = wrong_shares(scores, tasks, classes, weights, priors, sized)
    chance = 1.0 - _normalised(priors).max(axis=1)
    pi = _normalised(priors if skipped is None else np.where(skipped, 0.0, priors))
    counted, smoothed = ((pi * part).sum(axis=1) for part in (shares.counted, shares.smoothed))
    ones = np.ones_like(chance)
    return LeftOutErrors(_rows(shares, pi), counted, smoothed, chance, chance, ones)


def _normalised(priors: Floats) -> Floats:
    return np.asarray(priors / np.maximum(priors.sum(axis=1, keepdims=True), 1e-300))


def _rows(shares: Shares, pi: Floats) -> Floats:
    """(tasks,): eq. (40) of docs/theory.md; none if some class has none."""
    whole = ((shares.rows > 0) | (pi == 0)).all(axis=1) & ((pi > 0).sum(axis=1) > 1)
    spread = (pi**2 / np.where(shares.rows > 0, shares.rows, 1.0)).sum(axis=1)
    return np.where(whole, 1.0 / np.where(spread > 0, spread, 1.0), 0.0)


class Expected(NamedTuple):
    """Beta distributions of the error of every task, before its own rows are seen."""

    wrong: Floats  # (tasks,): parameters, numbers of rows
    right: Floats
    guessed: Floats  # (tasks,): the part of it that is expected before there are any tasks


class _Others(NamedTuple):
    """What is known of the error of every task before its own rows are seen."""

    ratio: float  # of counts and smooth tails
    before: list[Expected]  # for each way in which tasks may differ
    likely: Floats  # of these

    @classmethod
    def of(cls, found: LeftOutErrors) -> _Others:
        """Eqs. (42) and (43) of docs/theory.md."""
        ratio, n = found.ratio(), found.rows
        errors = found.confirmed(ratio)
        known = n, errors, found.chance, found.unit
        relative = float(n @ (errors / np.where(found.unit > 0, found.unit, 1.0)) / n.sum())
        worths = np.array(FLEET_ROWS)
        if found.by_distance.all():
            chance = float(n @ found.chance / n.sum())
            worths = rows_of_a_task(relative, float(n.sum()), chance) * np.array(ALIKE)
        before = [prior_of_others(*known, worth) for worth in worths.tolist()]
        told = [_log_likelihood(n, found.counted, *prior[:2]) for prior in before]
        likely = softmax(told + 0.5 * np.log(worths))
        return cls(ratio, before, likely)

    def posterior(self, found: LeftOutErrors) -> Forecast:
        """The mean over how tasks may differ, eq. (44) of docs/theory.md."""
        rows, errors = found.rows, found.confirmed(self.ratio)
        wrong, right, guessed = (np.array(parts) for parts in zip(*self.before, strict=True))
        total = wrong + right + rows
        means = (wrong + rows * errors) / total
        error = self.likely @ means
        variance = self.likely @ (means * (1.0 - means) / (total + 1.0) + (means - error) ** 2)
        known = found.chance > 0
        return Forecast(
            np.where(known, error, np.nan),
            np.where(known[:, None], beta_interval(error, variance, self.likely @ guessed), np.nan),
        )


def prior_of_others(
    rows: Floats, errors: Floats, chance: Floats, unit: Floats, worth: float
) -> Expected:
    """What the other tasks make likely, if one that is known exactly is worth so many rows.

    Eq. (42) of docs/theory.md. Before there are any tasks, half of what guessing would give is
    expected, as by one row.
    """
    weights = rows / (rows / worth + 1.0)
    first = 1.0 / (1.0 / worth + 1.0)
    relative = errors / np.where(unit > 0, unit, 1.0)
    total = first + weights.sum() - weights
    of_others = unit * (weights @ relative - weights * relative)
    mean = np.minimum((0.5 * chance * first + of_others) / total, np.maximum(chance, unit))
    mean = np.clip(mean, 1e-9, 1.0 - 1e-9)
    strength = 1.0 / (1.0 / worth + 1.0 / total)
    return Expected(strength * mean, strength * (1.0 - mean), first / total)


def _log_likelihood(rows: Floats, counted: Floats, a: Floats, b: Floats) -> float:
    """Of the counts of all tasks, each predicted by the others, eq. (43) of docs/theory.md."""
    wrong = rows * counted
    return float((betaln(a + wrong, b + rows - wrong) - betaln(a, b)).sum())


def beta_interval(mean: Floats, variance: Floats, guessed: Floats | float = 0.0) -> Floats:
    """(tasks, 2): quantiles of the beta distribution with this mean and variance.

    As far as what was expected is a guess, few rows that are all right do not make an error small:
    the upper end is that of Jeffreys' prior, of a row that is half wrong.
    """
    rows = mean * (1.0 - mean) / np.maximum(variance, 1e-300) - 1.0
    a, b = mean * rows, (1.0 - mean) * rows
    tail, half = (1.0 - _LEVEL) / 2.0, 0.5 * guessed
    low, high = betaincinv(a, b, tail), betaincinv(a + half, b + half, 1.0 - tail)
    return np.stack([low, high], axis=1)
