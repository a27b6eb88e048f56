"""Every constant by which a fit decides: what it is for, and the measurement behind it.

The code reads its constants here. What `evidence` decides by left-out rows needs no thresholds.
"""

from __future__ import annotations

from typing import NamedTuple

# The shares of the covariance in the metrics that are combined. Eight of them did no better.
SHARES = (0.0, 0.1, 0.4, 0.8)
# Ridges of a task's own covariance, in units of its mean eigenvalue. One of them, .3, lost half a
# point on worlds in which every task has its own covariance.
RIDGES = (0.1, 1.0)
# How many of a task's rows the evidence of all tasks is worth for it: weighed by left-out rows.
FLEET_ROWS = (1000.0, 300.0, 100.0, 30.0, 10.0)


class Decision(NamedTuple):
    """One constant of the fit."""

    what: str
    constant: float
    why: str


LARGE_FREEDOM = Decision(
    "degrees of freedom of the scale above which leaving out one row does not change it",
    1000.0,
    "the change is of the order of one over the freedom; below 100 it decides between scales. With "
    "1 112 degrees, errors of reviews and word counts were .1 and .5 points lower without it, and "
    "forecasts moved by .1 and .2 (7 draws); with 472, counts were .2 higher and moved by .5",
)
SAME_SCALE = Decision(
    "deviation between features of the log of two squared scales below which they are one scale",
    0.1,
    "saves a decomposition; sampled kurtoses of 300 Gaussian rows deviate by .04, and the logs of "
    "their variances by .08",
)
PRIOR_ROWS = Decision(
    "rows that one voice counts at most: a giant among all tasks, and the prior of a combination",
    100.0,
    "of giants 30 and 300 changed mean errors by less than .1 points on 30 settings; of the prior "
    "40 and 300 changed those of 15 settings by -.1 and .3; the worst of 63 worlds loses .042 with "
    "40, .033 with 100 and .022 with 300",
)
ALONE = Decision(
    "what every task alone counts before any evidence, in units of a way of sharing",
    0.5,
    "with 0, 5 % of 293 hostile worlds of at most 300 rows lose more than .028, with .5 .021, with "
    "1 .018; mean errors of 28 real and simulated settings change by 0 and .1 points",
)
SURE = Decision(
    "probability that counts as sure: of wrong labels to be spoken of, of a task to be like others",
    0.9,
    "the level of all intervals",
)
RESOLVED = Decision(
    "what a label must tell of the rates of wrong ones, in units of a known label, for forecasts "
    "that are about right labels",
    0.5,
    "reviews with 50 labels per class are at .2 to .44, where forecasts without doubted rows are 4 "
    "points too good (shops 4 to 9, landmine fields 3 to 5, all without wrong labels); MNIST "
    "digits with 30 are at .3 to .8 and digits above .7",
)
GROUPS = Decision(
    "support per row at which groups of unlabelled rows are as likely to be the classes as not",
    0.01,
    "rows that have not taught have .04 to .1 on MNIST digits with one label per class and .2 on "
    "digits, with unlabelled rows of one class .005 and .09; simulations with two labels .01 to "
    ".04, reviews .000 to .002. With .02, simulations with one and two labels lose 2 points; with "
    ".005 worst draws of simulated groups across the classes are 4 points worse",
)

DECISIONS = (
    *(LARGE_FREEDOM, SAME_SCALE, PRIOR_ROWS, ALONE),
    *(SURE, RESOLVED, GROUPS),
)
