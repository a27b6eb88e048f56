"""Published ResNet-50 features of pairs of domains, if their files are available.

Each pair is two files, `source_source.csv` and `source_target.csv`: features, then an integer
label.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kinspan.datasets import TaskDataset, load_office31
from kinspan.datasets._dataset import join_tasks
from kinspan.datasets._folder import Source, data_folder, find_file, need_published
from kinspan.datasets._formats import read_csv

WAY_OUT = "the repository jindongwang/transferlearning (data) publishes ResNet-50 features"


class PublishedPairs(NamedTuple):
    """A collection whose pairs of domains are published one by one."""

    domains: tuple[str, ...]
    load: Callable[..., TaskDataset]

    @property
    def first_file(self) -> str:
        """The file of the first domain, by its own network."""
        return f"{self.domains[0]}_{self.domains[0]}.csv"


def load_image_clef(pair: tuple[str, str], *, data: Any = None) -> TaskDataset:
    """Read two of the domains I (ImageNet), C (Caltech), P (Pascal) of ImageCLEF, 12 classes."""
    source, target = pair
    files: list[tuple[str, ...]] = [(f"{source}_{source}.csv",), (f"{source}_{target}.csv",)]
    where = Source(stored="a file of other features", published=files, way_out=WAY_OUT)
    paths = need_published(data_folder(data, files[0][0], WAY_OUT), where)
    return join_tasks("ImageCLEF, ResNet-50", list(zip(pair, map(read_csv, paths), strict=True)))


PAIRS = {
    "ImageCLEF, ResNet-50": PublishedPairs(("P", "I", "C"), load_image_clef),
    "Office-31, ResNet-50": PublishedPairs(("amazon", "dslr", "webcam"), load_office31),
}


def at_hand(data: Any, first_files: dict[str, str]) -> list[str]:
    """The names of collections whose first file is in the folder of the data."""
    folder = data_folder(data, "the real data", WAY_OUT)
    return [name for name, file in first_files.items() if find_file(folder, file)]
