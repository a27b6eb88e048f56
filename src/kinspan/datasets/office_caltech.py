"""Office-Caltech (Gong et al. 2012): ten classes of objects, photographed in four ways."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kinspan._validation.parameters import check_choice
from kinspan.datasets._dataset import TaskDataset, join_tasks, read_efficientnet, stored_tasks
from kinspan.datasets._folder import Folder, Source, data_folder, find_file, need_published
from kinspan.datasets._formats import read_mat, read_npz

DOMAINS = ("amazon", "caltech10", "dslr", "webcam")
CLASSES = (
    *("backpack", "bike", "calculator", "headphones", "keyboard"),
    *("laptop", "monitor", "mouse", "mug", "projector"),
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
DEEP = Source(
    stored="",
    published=[("office_caltech10_efflite2_1280.npz",)],
    way_out="that file holds EfficientNet-Lite2 features of the images published in the repository "
    "LeoGautheron/OfficeCaltechDomainAdaptation; features='surf' reads published features",
)


def load_office_caltech(
    features: Literal["surf", "efficientnet-lite2"] = "surf", *, data: Folder = None
) -> TaskDataset:
    """Read Office-Caltech: tasks amazon, caltech10, dslr, webcam; 2533 images of ten classes.

    Parameters
    ----------
    features : {"surf", "efficientnet-lite2"}, default="surf"
        "surf": 800 counts of SURF words, each row divided by its norm. If there are only published
        z-scores, these are read and left as they are.
        "efficientnet-lite2": 1280 pooled EfficientNet-Lite2 features, not the VGG features of the
        paper; the rows are in a different order than with "surf".
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
    check_choice("features", features, ("surf", "efficientnet-lite2"))
    if features == "surf":
        folder = data_folder(data, SURF.stored, SURF.way_out)
        return replace(_surf(folder), classes=CLASSES)
    (path,) = need_published(data_folder(data, DEEP.published[0][0], DEEP.way_out), DEEP)
    return read_efficientnet(path, "Office-Caltech")


def _surf(folder: Path) -> TaskDataset:
    stored = find_file(folder, SURF.stored)
    if stored is not None:
        counts = stored_tasks(stored, "Office-Caltech, SURF", read_npz(stored, "X")[0])
    elif find_file(folder, *Z_SCORES.published[0]) and not find_file(folder, *SURF.published[0]):
        return _join("Office-Caltech, SURF z-scores", need_published(folder, Z_SCORES))
    else:
        counts = _join("Office-Caltech, SURF", need_published(folder, SURF))
    return replace(counts, X=_unit_rows(counts.X))


def _join(name: str, paths: list[Path]) -> TaskDataset:
    return join_tasks(name, list(zip(DOMAINS, map(read_mat, paths), strict=True)))


def _unit_rows(counts: Any) -> NDArray[np.float64]:
    norms = np.linalg.norm(counts.astype(np.float64), axis=1, keepdims=True)
    return np.asarray(counts / np.where(norms == 0, 1, norms))
