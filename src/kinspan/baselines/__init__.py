"""The methods that the paper compares with, as estimators with the interface of MultiTaskSPCA.

- :class:`SingleTaskSPCA` and :class:`NaiveSPCA`: no transfer, and transfer whatever the tasks
- :class:`PCAClassifier` and :class:`SPCAClassifier`: the single-task pair of the paper's section 3
- :class:`MultiTaskLSSVM`: the main competitor, with labels and strengths from its own theory
- :class:`CDLS` and :class:`MMDT`: domain adaptation from one source to one target
- :class:`FeatureAugmentation`: any linear classifier on a shared and a task's own copy of features
"""

from kinspan.baselines.cdls import CDLS
from kinspan.baselines.feature_augmentation import FeatureAugmentation
from kinspan.baselines.lssvm import MultiTaskLSSVM
from kinspan.baselines.mmdt import MMDT
from kinspan.baselines.naive import NaiveSPCA
from kinspan.baselines.pca import PCAClassifier
from kinspan.baselines.single_task import SingleTaskSPCA
from kinspan.baselines.spca import SPCAClassifier

__all__ = [
    "CDLS",
    "MMDT",
    "FeatureAugmentation",
    "MultiTaskLSSVM",
    "NaiveSPCA",
    "PCAClassifier",
    "SPCAClassifier",
    "SingleTaskSPCA",
]
