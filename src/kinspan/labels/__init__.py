"""Step 4: relatedness → the weight of every task for every target.

Row t of a weight matrix has the weights of the contrasts of all tasks in the direction of target t.
The label of a sample is the weight of its cell divided by the number of samples in it. Every rule
for these weights has its own file; `choice` takes the best of those that need no tuning. `spectrum`
is the input of all of them, `spikes` and `shrinkage` are the formulas that they share.
"""

from kinspan.labels.choice import task_weights
from kinspan.labels.fixed import agreed_weights
from kinspan.labels.plugin import optimal_weights
from kinspan.labels.spectral import Response, spectral_rule_and_response, spectral_rules
from kinspan.labels.spectrum import Spectrum, TaskWeights, spectrum_of_gram, spectrum_of_rows

__all__ = [
    "Response",
    "Spectrum",
    "TaskWeights",
    "agreed_weights",
    "optimal_weights",
    "spectral_rule_and_response",
    "spectral_rules",
    "spectrum_of_gram",
    "spectrum_of_rows",
    "task_weights",
]
