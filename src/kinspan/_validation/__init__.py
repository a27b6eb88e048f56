"""The only place that doubts its input: public methods pass through here on their first line."""

from kinspan._validation.fitted import unchanged_on_error
from kinspan._validation.moments import check_moments, check_removable, check_same_features
from kinspan._validation.parameters import (
    check_choice,
    check_costs,
    check_error_rate,
    check_more_labels,
    check_n_components,
    check_parameters,
    check_positive,
    check_priors,
    check_row_sample,
    check_several_classes,
)
from kinspan._validation.rows import (
    check_all_of_task,
    check_features,
    check_finite,
    check_known_tasks,
    check_labels,
    check_one_task,
    check_others_remain,
    check_rows,
    check_tasks,
    check_weights,
    check_weights_of_cells,
    refuse_non_finite,
)

__all__ = [
    "check_all_of_task",
    "check_choice",
    "check_costs",
    "check_error_rate",
    "check_features",
    "check_finite",
    "check_known_tasks",
    "check_labels",
    "check_moments",
    "check_more_labels",
    "check_n_components",
    "check_one_task",
    "check_others_remain",
    "check_parameters",
    "check_positive",
    "check_priors",
    "check_removable",
    "check_row_sample",
    "check_rows",
    "check_same_features",
    "check_several_classes",
    "check_tasks",
    "check_weights",
    "check_weights_of_cells",
    "refuse_non_finite",
    "unchanged_on_error",
]
