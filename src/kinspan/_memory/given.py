"""What `fit_moments` is given, whole or in parts → statistics."""

from __future__ import annotations

from kinspan._memory.statistics import Statistics
from kinspan._validation.moments import check_unlabelled
from kinspan._validation.parameters import check_type
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample


def as_statistics(
    moments: ClassMoments | Statistics, sample: RowSample | None, unlabelled: Statistics | None
) -> Statistics:
    """Statistics as they are, or of their parts."""
    if isinstance(moments, Statistics):
        if sample is not None or unlabelled is not None:
            raise ValueError("Statistics contain their sample: pass no other with them")
        return moments
    check_type("moments", moments, ClassMoments)
    if sample is not None:
        check_type("sample", sample, RowSample)
    if unlabelled is not None:
        check_type("unlabelled", unlabelled, Statistics)
        check_unlabelled(unlabelled, moments)
    return Statistics(moments, sample).next_to(unlabelled)
