"""Every choice that a fit makes: what is decided, by which evidence, with which constant and why.

The code reads its constants here. `evidence` has the tests that use them.
"""

from __future__ import annotations

from typing import NamedTuple

# The shares of the covariance in the metric that are tried.
SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)


class Decision(NamedTuple):
    """One choice of the fit."""

    what: str
    evidence: str
    constant: float
    why: str


SAMPLED_ROWS = Decision(
    "how many sampled rows the covariance and the forecasts use, over all cells",
    "the number of features and of cells; at least 25 rows per cell, 4 per feature",
    2048.0,
    "the covariance costs rows × features² and one eigendecomposition",
)
HEAVY_TAILS = Decision(
    "whether the scale by fourth moments is a candidate at all",
    "the largest fourth root of a feature's kurtosis over that of a Gaussian",
    1.1,
    "features that are nearly Gaussian are not worth the time of another candidate",
)
SCALE = Decision(
    "the scale: standard deviations, or fourth roots of fourth moments",
    "log loss of left-out rows, every task alone, without covariance; smaller by more than this",
    1e-9,
    "rounding must not decide; MNIST pairs and 5 000 counts gain 3 to 7 points",
)
METRIC = Decision(
    "the share of the covariance in the metric of every task",
    "probability of wrong classes: its left-out rows, plus the mean over all rows times this",
    100.0,
    "log loss depends on the surest rows and cost one to three points on Office-Home",
)
AS_ONE = Decision(
    "whether tasks may take the rule of all tasks as one",
    "probability of wrong classes, smaller by constant/rows standard errors",
    300.0,
    "with 1 + 200/rows Amazon lost half a point; hostile worlds need more where rows are few",
)
EACH_CLASS = Decision(
    "whether every class has a relatedness of its own",
    "log loss of left-out rows, smaller by this many standard errors",
    4.0,
    "it has many more weights, and leaving out one row does not see their noise",
)
TOGETHER = Decision(
    "whether tasks lend to each other at all",
    "log loss of left-out rows, smaller than alone by 1 + constant/rows standard errors",
    50.0,
    "with one standard error whatever the rows, hostile worlds lost up to five points",
)
LEAVES = Decision(
    "whether a single target goes alone",
    "log loss of its own left-out rows, larger than alone by this many standard errors",
    2.0,
    "a stranger among similar tasks is seen by its own rows only",
)

DECISIONS = (SAMPLED_ROWS, HEAVY_TAILS, SCALE, METRIC, AS_ONE, EACH_CLASS, TOGETHER, LEAVES)
