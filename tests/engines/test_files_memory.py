"""Memory does not grow with the rows, a bar counts them, and nothing optional is imported early."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA, Statistics
from kinspan._memory.piles import Pile, piled, total
from kinspan.engines import files
from tests.engines.stored_worlds import NAMED, stored_world, write_parquet, write_split
from tests.worlds import random_world

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.csv")
pytest.importorskip("pyarrow.parquet")

# The tables have a column of text, which is left out and warned of: test_files_refused looks at it.
pytestmark = pytest.mark.filterwarnings("ignore:columns are not numeric")

# Machine code, which is loaded after many numbers, takes 90 MB once: it is left out.
_MEASURE = """
import sys
sys.modules["numba"] = None
from pathlib import Path
from kinspan._memory.piles import Pile, piled, total
from kinspan.engines import files
def most():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
def read(folder):
    for path in Path(folder).glob("X.*"):
        ending = ".npy" if path.suffix in {".npy", ".npz"} else ""
        files.statistics(path, task=f"t{ending}", label=f"y{ending}")
read(sys.argv[1])
before = most()
read(sys.argv[2])
print(most() - before)
"""


def write_all(folder: Path, n: int) -> None:
    """The same rows in every format, each in a single row group or batch."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    X = np.resize(rng.standard_normal((10_007, 16), dtype=np.float32), (n, 16))
    y, task = np.arange(n) % 2, np.arange(n) % 20
    table = pa.table({**{f"x{j}": X[:, j] for j in range(16)}, "y": y, "t": task})
    pa.parquet.write_table(table, folder / "X.parquet", row_group_size=n, use_dictionary=False)
    with pa.ipc.new_file(folder / "X.arrow", table.schema) as writer:
        writer.write_table(table)
    pa.csv.write_csv(table.slice(0, n // 20), folder / "X.csv")
    np.save(folder / "X.npy", X)
    sp.save_npz(folder / "X.npz", sp.csr_array(X * (np.abs(X) > 1)), compressed=False)
    np.save(folder / "y.npy", y)
    np.save(folder / "t.npy", task)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to measure by")
def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    """Reading 96 MB needs hardly more than reading 20 MB, in any format."""
    write_all(tmp_path / "small", 300_000)
    write_all(tmp_path / "large", 1_500_000)
    command = [sys.executable, "-c", _MEASURE, str(tmp_path / "small"), str(tmp_path / "large")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(shown.stdout) < 45e6


def test_sampled_rows_are_those_of_all_rows() -> None:
    """Batches may leave out rows that others have left no place for, but no other."""
    X, y, task = random_world(0, n=2000)
    X = np.round(X, 0)  # many rows repeat
    batches = ((X[i : i + 37], y[i : i + 37], task[i : i + 37]) for i in range(0, 2000, 37))
    found = files.from_batches(batches, row_sample=7).statistics.sample
    expected = Statistics.from_samples(X, y, task, row_sample=7).sample
    assert found is not None
    assert expected is not None
    for name in ("cells", "keys", "weights", "rows"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_new_tasks_and_classes_in_late_batches() -> None:
    X, y, task = random_world(1, n=500)
    order = np.lexsort((y, task))
    X, y, task = X[order], y[order], task[order]
    batches = ((X[i : i + 50], y[i : i + 50], task[i : i + 50]) for i in range(0, 500, 50))
    how: Any = {"row_sample": 5, "random_state": 8}
    found = files.from_batches(batches, **how).statistics.sample
    expected = Statistics.from_samples(X, y, task, **how).sample
    assert found is not None
    assert expected is not None
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.cells, expected.cells)


def test_a_pile_is_at_most_twice_its_largest_sum() -> None:
    """With binary counting alone, many sums of the same size would stay in memory."""
    X, y, task = random_world(2, n=3000, n_tasks=40)
    pile: Pile = ()
    for i in range(0, 3000, 60):
        rows = slice(i, i + 60)
        part = Statistics.from_samples(X[rows], y[rows], task[rows], row_sample=2)
        pile = piled(pile, part)
        sizes = [
            sum_.moments.means.size + len(sum_.sample.rows) * 7 for _, sum_ in pile if sum_.sample
        ]
        assert sum(sizes) <= 2 * max(sizes)
    whole = Statistics.from_samples(X, y, task, row_sample=2)
    np.testing.assert_allclose(total(pile).moments.means, whole.moments.means, rtol=1e-12)


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A stand-in for tqdm that records what bars are told."""
    seen: list[Any] = []

    class Bar:
        def __init__(self, **options: Any) -> None:
            seen.append(options)

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *_: object) -> None:
            seen.append("closed")

        def update(self, n: int) -> None:
            seen.append(n)

    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    return seen


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bar_counts_rows(n_jobs: int, bars: list[Any], tmp_path: Path) -> None:
    write_split(stored_world(0), write_parquet, tmp_path)
    files.statistics(tmp_path, **NAMED, progress=True, n_jobs=n_jobs)
    assert bars[0]["total"] == 600
    assert bars[0]["unit"] == " rows"
    assert sum(bars[1:-1]) == 600
    assert bars[-1] == "closed"


def test_bars_are_drawn_in_terminals_only(
    bars: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_split(stored_world(0), write_parquet, tmp_path)
    files.statistics(tmp_path, **NAMED)
    assert bars == []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    files.statistics(tmp_path, **NAMED)
    assert bars[-1] == "closed"
    bars.clear()
    files.statistics(tmp_path, **NAMED, progress=False)
    assert bars == []
    (tmp_path / "z.csv").write_text(
        "ill,clinic,größe," + ",".join(f"x{j}" for j in range(1, 7)) + "\n"
    )
    files.statistics(tmp_path, **NAMED)
    assert bars[0]["total"] is None  # a text file does not say how many rows it has


def test_without_tqdm_or_pyarrow_the_error_says_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = stored_world(0)
    write_parquet(world, slice(None), tmp_path / "a")
    np.save(tmp_path / "X.npy", world.X)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match=r"pip install 'kinspan\[progress\]'.*progress=False"):
        files.statistics(tmp_path / "a.parquet", **NAMED, progress=True)
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    for on_error in ("raise", "skip"):
        with pytest.raises(ImportError, match=r"pip install 'kinspan\[files\]'"):
            files.statistics(tmp_path / "a.parquet", **NAMED, on_error=on_error)
    read = files.statistics(tmp_path / "X.npy", label=world.y, task=world.task)
    assert read.n_rows == len(world.X)


def test_a_model_is_not_changed_by_files_that_fail(tmp_path: Path) -> None:
    world = stored_world(3)
    model = MultiTaskSPCA().fit(world.X, world.y, task=world.task)
    before = dict(vars(model))
    (tmp_path / "a.parquet").write_bytes(b"torn")
    with pytest.raises(files.FileError):
        files.fit(model, tmp_path, **NAMED)
    assert vars(model) == before
