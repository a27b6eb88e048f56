"""Never much worse than alone: random multi-task worlds, ours against every task on its own.

`make worlds`. Plain worlds are as the model has them, however little tasks may be related; hostile
ones break what it assumes. Bars, for the mean over the tasks of a world of (our error − error
alone): 95th percentile at most .01, maximum at most .03.
"""

from benchmarks.worlds.plain import World, losses, random_world, true_errors

__all__ = ["World", "losses", "random_world", "true_errors"]
