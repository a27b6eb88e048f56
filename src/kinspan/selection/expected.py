"""Scores of left-out rows → forecasts of the combined rules, which wait until they are read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats, Keys, Mask
from kinspan.risk import (
    Energies,
    Forecast,
    LeftOutErrors,
    LeftOutRows,
    Saved,
    Ways,
    saved,
    score_distributions,
    thresholds,
    with_doubt,
)
from kinspan.risk.usual_task import UsualTask
from kinspan.selection.candidates import Candidate, Options, of_classes
from kinspan.selection.combination import Combination, LeftOutScores
from kinspan.selection.evidence import Evidence
from kinspan.selection.solutions import isotropic_error

_KEPT_NUMBERS = 1 << 22  # in scores that are kept until somebody asks what follows from them


class Expected(NamedTuple):
    """Forecasts of all tasks."""

    error: Floats  # (tasks,)
    interval: Floats  # (tasks, 2)
    saved: Saved  # what every task would lose by going alone
    left_out: LeftOutErrors  # what the forecasts follow from; no rows where nothing was left out
    rows: LeftOutRows | None  # the rows themselves; None after reading a file
    threshold: Floats | None = None  # (tasks + 1,), where rows say which one is best


class Told(NamedTuple):
    """What forecasts follow from."""

    evidence: Evidence
    scores: LeftOutScores
    weights: Floats  # (rows,): how often a row occurred
    keys: Keys  # (rows,)
    options: Options
    energies: Energies
    counts: Floats  # (tasks, classes)
    skipped: Mask | None  # (tasks, classes): there are rows, but none of them was left out
    ways: Ways

    @classmethod
    def of(cls, combination: Combination, options: Options, energies: Energies) -> Told:
        """Of rules that rows could be left out of."""
        prepared, evidence = combination.reference.prepared, combination.evidence
        assert evidence is not None
        assert combination.left_out is not None
        sample = prepared.left_out
        skipped = None if prepared.judged is None else prepared.judged.skipped
        return cls(
            *(evidence, combination.left_out, sample.weights, sample.keys, options, energies),
            *(prepared.scaled.counts, skipped, combination.ways()),
        )

    @property
    def is_something(self) -> bool:
        """Whether some task could leave out rows of two classes that it can answer."""
        asked = self._priors > 0
        if self.skipped is not None:
            asked &= ~self.skipped
        tasks = self.evidence.tasks[self.evidence.own > 0]
        return bool((asked.sum(axis=1) > 1)[tasks].any())

    @property
    def can_wait(self) -> bool:
        """Whether nothing in a rule follows from it, and it is small."""
        return self.options.goal is None and self.scores.size <= _KEPT_NUMBERS

    def expected(self) -> Expected:
        """Forecasts, and what the others save."""
        of_rules = self.scores.found()
        together = self._rows(of_rules.scores, of_rules.sized, self.energies)
        alone = self._rows(of_rules.alone, of_rules.alone_sized, self.energies.alone(self.counts))
        above = self._threshold(together)
        errors = self._errors(together, above).among(self.energies, self.counts, self.ways)
        gain = saved(errors, self._errors(alone, self._threshold(alone)))
        return Expected(*errors.forecast(), gain, errors, together, above)

    def _rows(self, scores: Floats, sized: Floats, energies: Energies) -> LeftOutRows:
        """Rows with the share of rules that is noise of the labels of a task, as in a usual one."""
        known, log_priors = self.evidence.own > 0, self.options.log_priors
        if self.options.multi_class == "one-vs-all":
            log_priors = np.zeros_like(log_priors)  # its scores are no log odds
        tasks, classes = self.evidence.tasks[known], self.evidence.classes[known]
        weights = self.weights[known]
        n = np.bincount(tasks, weights, len(self.counts)).astype(np.float64)
        rows = LeftOutRows(
            *(of_classes(scores)[known] + log_priors[tasks], tasks, classes, weights, log_priors),
            (sized - scores)[known].sum(axis=1),  # of two classes; nothing of several
            UsualTask.of(energies, self.counts, n).noise_share(),
        )
        return with_doubt(rows, self.keys[known])

    def _threshold(self, rows: LeftOutRows) -> Floats | None:
        """(tasks + 1,): for what it is asked for; None if for nothing."""
        goal, shares = self.options.goal, self.options.shares
        if goal is None:
            return None
        if not self.options.is_mirrored:
            return thresholds(score_distributions(rows, self.counts, shares), goal)
        shares = None if shares is None else 1.0 - shares
        seen = score_distributions(rows.mirrored(), self.counts[:, ::-1], shares)
        return -thresholds(seen, goal.mirrored())

    @property
    def _seeks_few_errors(self) -> bool:
        """Whether rules have no other goal, and no costs."""
        options, asked = self.options, self._priors > 0
        costs = np.where(
            asked, options.log_priors - np.log(np.where(asked, options.priors, 1.0)), 0
        )
        lowest = np.where(asked, costs, np.inf).min(axis=1, keepdims=True)
        return options.goal is None and bool((costs - lowest < 1e-9)[asked].all())

    @property
    def _priors(self) -> Floats:
        return np.where(self.counts > 0, self.options.priors, 0.0)

    def _errors(self, rows: LeftOutRows, threshold: Floats | None) -> LeftOutErrors:
        """What left-out rows say of the errors of rules that answer above a threshold."""
        if threshold is not None:
            moved = 0.5 * threshold[rows.tasks][:, None] * np.array([1.0, -1.0])
            rows = rows._replace(scores=rows.scores + moved)
        errors = LeftOutErrors.of(rows, self._priors, self.skipped)
        if self._seeks_few_errors:
            return errors
        return errors.compared_with(rows.error_of_guesses(self._priors))


def expected_by_formula(combination: Combination, options: Options) -> Expected:
    """Without rows, by the formula of the paper."""
    together, alone = formula(combination.reference, options), combination.alone
    if isinstance(alone, Candidate):
        alone = formula(alone, options)
    n_tasks, n_classes = options.priors.shape
    nothing = np.empty(0, dtype=np.intp)
    rows = LeftOutRows(
        *(np.empty((0, n_classes)), nothing, nothing, np.empty(0), options.log_priors),
        *(np.empty(0), np.zeros(n_tasks)),
    )
    gain = Saved(alone.error - together.error, *np.zeros((2, n_tasks)))
    return Expected(*together, gain, LeftOutErrors(*np.zeros((6, n_tasks))), rows)


def formula(candidate: Candidate, options: Options) -> Forecast:
    """The formula of the paper, up to that of a guess; of its own error nothing is known."""
    problem, solution = candidate.solution()
    if problem.is_discriminant:  # scores of candidates are without priors
        rules = solution.rules
        offset = rules.offset + options.log_priors / candidate.factor
        solution = solution._replace(rules=rules._replace(offset=offset))
    chance = 1.0 - 1.0 / np.maximum(problem.scaled.present.sum(axis=1), 1)
    error = np.minimum(isotropic_error(solution, problem, options.priors), chance)
    interval = np.stack([np.zeros_like(error), chance], axis=1)
    return Forecast(error, np.where(np.isnan(error)[:, None], np.nan, interval))
