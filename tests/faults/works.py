"""Works that write files, and how to see what a kill has left of them."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from experiments.rows import fill

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.__main__ import main as command
from kinspan._storage import container
from kinspan.engines import files
from kinspan.engines.files import _checkpoint
from kinspan.report import write_report
from tests.worlds import random_world

PATIENT: Any = {"label": "y.npy", "task": "task.npy", "batch_rows": 50, "progress": False}


class Work(NamedTuple):
    """Something that takes a while, in steps."""

    steps: Sequence[Callable[[Path], None]]
    look: Callable[[Path], dict[str, Any]]  # what lies there
    prepare: Callable[[Path], Any]
    n_kills: int = 8
    is_endless: bool = True
    dies: bool = False  # by itself, in the worst moment

    def again_and_again(self, folder: Path) -> None:
        """Until somebody ends it, if it does not end itself."""
        for step in cycle(self.steps) if self.is_endless else self.steps:
            step(folder)


def model(seed: int) -> MultiTaskSPCA:
    X, y, task = random_world(seed, n=200, p=30)
    return MultiTaskSPCA().fit(X, y, task=task)


FIRST, SECOND = model(0), model(1)


def digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def looked_at(name: str) -> Callable[[Path], dict[str, Any]]:
    """What lies at a place, and what lies around it under a temporary name."""

    def look(folder: Path) -> dict[str, Any]:
        left = [path.name for path in folder.iterdir() if path.name.startswith(".kinspan-")]
        return {"found": digest(folder / name), "left": len(left)}

    return look


def save_first(folder: Path) -> None:
    kinspan.save(FIRST, folder / "model")


def save_second(folder: Path) -> None:
    kinspan.save(SECOND, folder / "model")


def die_before_replacing(folder: Path) -> None:
    """The new file is written, and the old one still there."""

    def die(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    os.replace = die  # type: ignore[assignment]
    save_first(folder)


class Dying(Work):
    """A work whose children die by themselves in the worst moment."""

    def again_and_again(self, folder: Path) -> None:
        die_before_replacing(folder)


def write_old_page(folder: Path) -> None:
    (folder / "page.html").write_text("old")


def write_page(folder: Path) -> None:
    write_report(FIRST, folder / "page.html", leave_out=False)


def write_table(folder: Path) -> None:
    X, y, task = random_world(2, n=300, p=3)
    header, rows = "a,b,c,y,t", np.column_stack([X, y, task])
    np.savetxt(folder / "rows.csv", rows, "%.3f", ",", header=header, comments="")
    fit(folder)
    shutil.copy(folder / "model", folder / "known")
    (folder / "model").write_text("old")
    (folder / "scored.parquet").write_text("old")


def command_line(folder: Path, *arguments: str) -> None:
    os.chdir(folder)
    command(list(arguments))


def fit(folder: Path) -> None:
    command_line(folder, "fit", "rows.csv", "--label", "y", "--task", "t", "--out", "model")


def predict(folder: Path) -> None:
    command_line(folder, "predict", "known", "rows.csv", "--out", "scored.parquet")


POINTS: list[dict[str, Any]] = [{"p": p, "method": "größe"} for p in range(60)]


def experiment(folder: Path) -> None:
    fill(folder / "table.csv", POINTS, lambda point: {"error": _slowly(point["p"]), "n": 7})


def _slowly(p: int) -> float:
    time.sleep(0.005)
    return p / 7


def rows_so_far(folder: Path) -> dict[str, Any]:
    path = folder / "table.csv"
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    return {"found": digest(path), "lines": len(lines)}


def write_matrices(folder: Path) -> None:
    for i in range(40):
        X, y, task = random_world(i, n=300, p=20)
        place = folder / "rows" / f"{i:02}"
        place.mkdir(parents=True)
        for name, values in (("X", X), ("y", y), ("task", task)):
            np.save(place / f"{name}.npy", values)


def fit_folder(folder: Path) -> None:
    _checkpoint._SECONDS, _checkpoint._SHARE = 0.0, 0.0
    begun = folder / "begun"
    read = files.statistics(folder / "rows", checkpoint=begun, **PATIENT)
    (folder / "statistics").write_bytes(read.statistics.to_bytes())


def files_so_far(folder: Path) -> dict[str, Any]:
    n_read = None
    if (folder / "begun").exists():
        _, record = container.unpack((folder / "begun").read_bytes(), "checkpoint")
        n_read = len(record.meta["read"])
    return {"found": digest(folder / "statistics"), "read": n_read}


WORKS = {
    "save": Work([save_first, save_second], looked_at("model"), save_second, n_kills=40),
    "replace": Dying([save_second], looked_at("model"), save_second, dies=True),
    "report": Work([write_page], looked_at("page.html"), write_old_page),
    "fit": Work([fit], looked_at("model"), write_table),
    "predict": Work([predict], looked_at("scored.parquet"), write_table),
    "experiment": Work([experiment], rows_so_far, Path.exists, is_endless=False),
    "folder": Work([fit_folder], files_so_far, write_matrices, is_endless=False),
}
