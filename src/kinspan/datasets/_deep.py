"""Images as pooled EfficientNet-Lite2 features, stored in eight bits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from kinspan.datasets._dataset import TaskDataset, stored_tasks
from kinspan.datasets._formats import read_npz, reading


def read_efficientnet(path: Path, name: str) -> TaskDataset:
    """Decode X = (root / 255)² · feature_max; the features are within 0.4 % of the extracted ones.

    They are not the ResNet-50 or VGG features of the paper, and the name of the dataset says so.
    """
    root, feature_max, classes = read_npz(path, "X_root255", "feature_max", "classes")
    with reading(path):
        X = np.square(root.astype(np.float32) / np.float32(255))
        X *= feature_max
    dataset = stored_tasks(path, f"{name}, EfficientNet-Lite2", X)
    return replace(dataset, classes=tuple(map(str, classes)))
