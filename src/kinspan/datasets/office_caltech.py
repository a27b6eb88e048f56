"""Office-Caltech (Gong et al. 2012): ten classes of objects, photographed in four ways."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kinspan.datasets._dataset import TaskDataset, join_tasks, stored_tasks
from kinspan.datasets._deep import read_efficientnet
from kinspan.datasets._folder import (
    Folder,
    Source,
    data_folder,
    find_file,
    locate,
    need_published,
    need_stored,
)
from kinspan.datasets._formats import read_mat, read_npz

DOMAINS = ("amazon", "caltech10", "dslr", "webcam")
CLASSES = (
    "backpack",
    "bike",
    "calculator",
    "headphones",
    "keyboard",
    "laptop",
    "monitor",
    "mouse",
    "mug",
    "projector",
)
SURF = Source(
    stored="office_caltech10_surf800.npz",
    published=[
        (f"{domain}_SURF_L10.mat", f"surf/{domain}.mat", f"features/surf/{domain}.mat")
        for domain in DOMAINS
    ],
    way_out="the SURF files of the four domains are published in the repository "
    "LeoGautheron/OfficeCaltechDomainAdaptation (features/surf) and with the geodesic flow kernel "
    "of Gong et al. 2012 (*_SURF_L10.mat)",
)
Z_SCORES = SURF._replace(published=[(f"{domain}_zscore_SURF_L10.mat",) for domain in DOMAINS])
DEEP = "office_caltech10_efflite2_1280.npz"
DEEP_WAY_OUT = (
    "that file holds EfficientNet-Lite2 features of the images published in the repository "
    "LeoGautheron/OfficeCaltechDomainAdaptation; features='surf' reads published features"
)


def load_office_caltech(
    features: Literal["surf", "efficientnet-lite2"] = "surf", *, data: Folder = None
) -> TaskDataset:
    """Read Office-Caltech: tasks amazon, caltech10, dslr, webcam; 2533 images of ten classes.

    Parameters
    ----------
    features : {"surf", "efficientnet-lite2"}, default="surf"
        "surf": 800 counts of SURF words, each row divided by its norm. Published z-scores are read
        where there are no counts, and left as they are.
        "efficientnet-lite2": 1280 pooled EfficientNet-Lite2 features, not the VGG ones of the
        paper; the rows are in another order than those of "surf".
    data : path or None, default=None
        Folder that holds ``office_caltech10_surf800.npz`` or, for each domain, the published
        ``*_SURF_L10.mat``, ``surf/*.mat`` or ``*_zscore_SURF_L10.mat``; or
        ``office_caltech10_efflite2_1280.npz``. None takes the environment variable
        ``KINSPAN_DATA``.

    Examples
    --------
    >>> from kinspan.datasets import load_office_caltech
    >>> surf = load_office_caltech(data="folder")  # doctest: +SKIP
    >>> surf.X.shape  # doctest: +SKIP
    (2533, 800)
    """
    if not isinstance(features, str) or features not in ("surf", "efficientnet-lite2"):
        raise ValueError(f"features is {features!r}; give 'surf' or 'efficientnet-lite2'")
    stored, way_out = (SURF.stored, SURF.way_out) if features == "surf" else (DEEP, DEEP_WAY_OUT)
    folder = data_folder(data, stored, way_out)
    if features == "surf":
        return replace(_surf(folder), classes=CLASSES)
    return read_efficientnet(need_stored(folder, DEEP, DEEP_WAY_OUT), "Office-Caltech")


def _surf(folder: Path) -> TaskDataset:
    if _has_only_z_scores(folder):
        return _join("Office-Caltech, SURF z-scores", need_published(folder, Z_SCORES))
    found = locate(folder, SURF)
    counts = (
        stored_tasks(found, "Office-Caltech, SURF", read_npz(found, "X")[0])
        if isinstance(found, Path)
        else _join("Office-Caltech, SURF", found)
    )
    return replace(counts, X=_unit_rows(counts.X))


def _has_only_z_scores(folder: Path) -> bool:
    counts = find_file(folder, SURF.stored, *SURF.published[0])
    return counts is None and find_file(folder, *Z_SCORES.published[0]) is not None


def _join(name: str, paths: list[Path]) -> TaskDataset:
    return join_tasks(name, list(zip(DOMAINS, map(read_mat, paths), strict=True)))


def _unit_rows(counts: Any) -> NDArray[np.float64]:
    norms = np.linalg.norm(counts.astype(np.float64), axis=1, keepdims=True)
    return np.asarray(counts / np.where(norms == 0, 1, norms))
