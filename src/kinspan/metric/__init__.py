"""Step 2: moments and sampled rows → a scale, and a metric with a share of the covariance."""

from kinspan.metric.basis import Basis
from kinspan.metric.covariance import Covariance, covariance_of_rows, in_basis, in_metric
from kinspan.metric.moved import around_other_means
from kinspan.metric.root import Root
from kinspan.metric.row_matrix import DenseRows, SparseRows
from kinspan.metric.sampled_rows import SampledRows
from kinspan.metric.scale import (
    ScaledMoments,
    around,
    common_scale,
    feature_scale,
    is_centred,
    is_scaled,
    origin,
    scaled_by,
    scaled_moments,
)

__all__ = [
    "Basis",
    "Covariance",
    "DenseRows",
    "Root",
    "SampledRows",
    "ScaledMoments",
    "SparseRows",
    "around",
    "around_other_means",
    "common_scale",
    "covariance_of_rows",
    "feature_scale",
    "in_basis",
    "in_metric",
    "is_centred",
    "is_scaled",
    "origin",
    "scaled_by",
    "scaled_moments",
]
