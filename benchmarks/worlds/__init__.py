"""Never much worse than alone: random multi-task worlds, kinspan against every task on its own.

`make worlds`. Plain worlds follow the model, however little their tasks are related; hostile worlds
violate its assumptions. Limits for the mean over the tasks of a world of (our error − error alone):
95th percentile at most .01, maximum at most .03. `bars.py` has those of single kinds.
"""

from benchmarks.worlds.plain import World, losses, random_world, true_errors

__all__ = ["World", "losses", "random_world", "true_errors"]
