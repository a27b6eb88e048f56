"""The paper's propositions and theorems, corrected: a population in, its behaviour out.

All functions take `mean_gram` (cells × cells inner products of the means, cells ordered task by
task), `counts` (tasks × classes) and `n_features`. The formulas are those of `kinspan.labels` and
`kinspan.risk`: theory is the function fed the population, prediction the same fed an estimate. The
derivation, and what is corrected of the printed formulas, is in docs/theory.md.

- `phase_transition`: Proposition 1, and the Marčenko–Pastur density
- `pca`, `spca`, `spca_pca_gap`: Theorems 1 and 2, one task, and what lies between them
- `mtl`: Theorem 3 and Corollary 1, the optimal labels and their error
- `threshold`: unequal class priors
- `bayes`: the least error that labelled and unlabelled rows allow
- `semi_supervised`: what labelled rules teach with rows that have no labels
- `covariances`: scores, labels and errors when covariances are not the identity
- `label_noise`: labels that are wrong with known probabilities
- `lssvm`: the multi-task least-squares SVM, the paper's competitor
- `learning_curve`: what more labels would buy
"""

from kinspan.theory.bayes import bayes_error_rate
from kinspan.theory.covariances import (
    ScoreMoments,
    anisotropic_error_rate,
    anisotropic_optimal_error_rate,
    anisotropic_optimal_labels,
    anisotropic_score_moments,
)
from kinspan.theory.label_noise import (
    MislabelledCells,
    mislabelled_cells,
    mislabelled_error_rate,
    mislabelled_optimal_error_rate,
    mislabelled_optimal_labels,
)
from kinspan.theory.learning_curve import LabelsNeeded, labels_needed, learning_curve
from kinspan.theory.lssvm import (
    LssvmStrengths,
    lssvm_error_rate,
    lssvm_optimal_labels,
    lssvm_optimal_strengths,
    lssvm_score_means,
    lssvm_score_variances,
)
from kinspan.theory.mtl import error_rate, mtl_score_means, optimal_error_rate, optimal_labels
from kinspan.theory.pca import pca_error_rate, pca_score_means
from kinspan.theory.phase_transition import (
    PhaseTransition,
    marchenko_pastur_density,
    phase_transition,
)
from kinspan.theory.semi_supervised import semi_supervised_error_rate
from kinspan.theory.spca import spca_error_rate, spca_score_means
from kinspan.theory.spca_pca_gap import SupervisionGap, spca_pca_gap
from kinspan.theory.threshold import decision_threshold, threshold_error_rate

__all__ = [
    "LabelsNeeded",
    "LssvmStrengths",
    "MislabelledCells",
    "PhaseTransition",
    "ScoreMoments",
    "SupervisionGap",
    "anisotropic_error_rate",
    "anisotropic_optimal_error_rate",
    "anisotropic_optimal_labels",
    "anisotropic_score_moments",
    "bayes_error_rate",
    "decision_threshold",
    "error_rate",
    "labels_needed",
    "learning_curve",
    "lssvm_error_rate",
    "lssvm_optimal_labels",
    "lssvm_optimal_strengths",
    "lssvm_score_means",
    "lssvm_score_variances",
    "marchenko_pastur_density",
    "mislabelled_cells",
    "mislabelled_error_rate",
    "mislabelled_optimal_error_rate",
    "mislabelled_optimal_labels",
    "mtl_score_means",
    "optimal_error_rate",
    "optimal_labels",
    "pca_error_rate",
    "pca_score_means",
    "phase_transition",
    "semi_supervised_error_rate",
    "spca_error_rate",
    "spca_pca_gap",
    "spca_score_means",
    "threshold_error_rate",
]
