"""Office-31 (Saenko et al. 2010) and Office-Home (Venkateswara et al. 2017)."""

from __future__ import annotations

from typing import NamedTuple

from kinspan._validation.messages import naming
from kinspan.datasets._dataset import TaskDataset, join_tasks, read_efficientnet
from kinspan.datasets._folder import Folder, Source, data_folder, need_published
from kinspan.datasets._formats import read_csv


class Office(NamedTuple):
    """One of the two collections of images."""

    name: str
    stored: str  # the file of EfficientNet-Lite2 features
    domains: tuple[str, ...]  # names of its tasks


OFFICE31 = Office("Office-31", "office31_efflite2_1280.npz", ("amazon", "dslr", "webcam"))
OFFICE_HOME = Office(
    "Office-Home", "office_home_efflite2_1280.npz", ("Art", "Clipart", "Product", "RealWorld")
)


def load_office31(pair: tuple[str, str] | None = None, *, data: Folder = None) -> TaskDataset:
    """Read Office-31: tasks amazon, dslr, webcam; 4110 images of 31 classes.

    Parameters
    ----------
    pair : (source, target) or None, default=None
        None: 1280 pooled EfficientNet-Lite2 features of all tasks, not the ResNet-50 features of
        the paper. A pair of domains: the published ResNet-50 features of these two tasks by the
        network trained for the source, from ``source_source.csv`` and ``source_target.csv``.
    data : path or None, default=None
        Folder that holds ``office31_efflite2_1280.npz``, or the two CSV files: features, then an
        integer label, without header. None takes the environment variable ``KINSPAN_DATA``.

    Examples
    --------
    >>> from kinspan.datasets import load_office31
    >>> office = load_office31(data="folder")  # doctest: +SKIP
    >>> office.X.shape  # doctest: +SKIP
    (4110, 1280)
    >>> load_office31(("amazon", "webcam"), data="folder").X.shape  # doctest: +SKIP
    (3612, 2048)
    """
    return _load(OFFICE31, pair, data)


def load_office_home(pair: tuple[str, str] | None = None, *, data: Folder = None) -> TaskDataset:
    """Read Office-Home: tasks Art, Clipart, Product, RealWorld; 15 588 images of 65 classes.

    Parameters
    ----------
    pair : (source, target) or None, default=None
        None: 1280 pooled EfficientNet-Lite2 features of all tasks, not the ResNet-50 features of
        the paper. A pair of domains: the published ResNet-50 features of these two tasks by the
        network trained for the source, from ``source_source.csv`` and ``source_target.csv``.
    data : path or None, default=None
        Folder that holds ``office_home_efflite2_1280.npz``, or the two CSV files: features, then
        an integer label, without header. None takes the environment variable ``KINSPAN_DATA``.

    Examples
    --------
    >>> from kinspan.datasets import load_office_home
    >>> office = load_office_home(data="folder")  # doctest: +SKIP
    >>> office.X.shape  # doctest: +SKIP
    (15588, 1280)
    """
    return _load(OFFICE_HOME, pair, data)


def _load(office: Office, pair: tuple[str, str] | None, data: Folder) -> TaskDataset:
    way_out = (
        f"that file holds EfficientNet-Lite2 features of the {office.name} images, which the "
        "repository AdrienBouchet1/RASC_wData publishes; pair=(source, target) reads the CSV "
        "features published by jindongwang/transferlearning instead"
    )
    folder = data_folder(data, office.stored, way_out)
    if pair is None:
        (path,) = need_published(folder, Source("", [(office.stored,)], way_out))
        return read_efficientnet(path, office.name)
    source, target = tasks = _check_pair(office, pair)
    files = Source(
        stored=f"{office.stored} (read without pair=)",
        published=[(f"{source}_{source}.csv",), (f"{source}_{target}.csv",)],
        way_out=f"the ResNet-50 features of {office.name} are published by the repository "
        "jindongwang/transferlearning (data)",
    )
    rows = map(read_csv, need_published(folder, files))
    name = f"{office.name}, published features of {source}"
    return join_tasks(name, list(zip(tasks, rows, strict=True)))


def _check_pair(office: Office, pair: tuple[str, str]) -> tuple[str, str]:
    known = {domain.lower(): domain for domain in office.domains}
    with naming("pair"):
        tasks = [known.get(str(domain).lower()) for domain in pair]
    if len(set(tasks)) != 2 or len(tasks) != 2 or tasks[0] is None or tasks[1] is None:
        raise ValueError(
            f"pair is {pair!r}; give two different domains of {', '.join(office.domains)}"
        )
    return tasks[0], tasks[1]
