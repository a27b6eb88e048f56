"""A real cluster of two worker processes: the same model, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, Statistics
from tests.worlds import World, random_world

da: Any = pytest.importorskip("dask.array", reason="needs kinspan[dask]")
dd: Any = pytest.importorskip("dask.dataframe", reason="needs kinspan[dask]")
pd: Any = pytest.importorskip("pandas", reason="dask data frames need pandas")
distributed: Any = pytest.importorskip("distributed", reason="needs kinspan[dask]")
from kinspan.engines import dask as cluster  # noqa: E402

pytestmark = pytest.mark.long  # starting processes takes longer than the work
N_BLOCKS = 12
PATIENCE = 60.0  # seconds; nothing waits that long where all is well


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, processes=True, threads_per_worker=1, dashboard_address=":0"
        ) as workers,
        distributed.Client(workers) as found,
    ):
        yield found


def world_of_block(i: int, n: int = 200, p: int = 20) -> World:
    """Rows that a worker can make itself: the means are those of all blocks."""
    rng = np.random.default_rng(i)
    y, task = rng.integers(0, 2, n), rng.integers(0, 4, n)
    means = np.random.default_rng(99).normal(size=(4, 2, p)) * 0.5
    return World(means[task, y] + rng.normal(size=(n, p)), y, task)


def in_memory(n: int = 200) -> World:
    return World(
        *map(np.concatenate, zip(*map(partial(world_of_block, n=n), range(N_BLOCKS)), strict=True))
    )


def made_by_workers(make: Callable[[int], World], n: int = 200) -> Any:
    """(n, 22) array: the features, the label and the task of every row."""

    def block(block_info: Any = None) -> Any:
        return np.column_stack(make(block_info[None]["chunk-location"][0]))

    return da.map_blocks(block, chunks=((n,) * N_BLOCKS, (22,)), dtype=float, meta=np.empty((0, 0)))


def columns(table: Any) -> dict[str, Any]:
    return {"X": table[:, :20], "y": table[:, 20].astype(int), "task": table[:, 21].astype(int)}


def assert_same(found: MultiTaskSPCA, rows: World) -> None:
    plain = MultiTaskSPCA().fit(rows.X, rows.y, task=rows.task)
    assert found.tasks_.tolist() == plain.tasks_.tolist()
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_", "metric_"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(plain, name), rtol=1e-9, atol=1e-12
        )


def wait_for(there: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE
    while not (found := there()):
        assert time.monotonic() < end, "the cluster did not get there"
        time.sleep(0.02)
    return found


def test_a_cluster_fits_and_answers_as_one_machine(client: Any) -> None:
    rows = in_memory()
    given = columns(made_by_workers(world_of_block))
    clf = cluster.fit(MultiTaskSPCA(), **given, split_every=3)
    assert_same(clf, rows)
    answers = cluster.predict(clf, given["X"], task=given["task"])
    assert isinstance(answers, da.Array)
    np.testing.assert_array_equal(answers.compute(), clf.predict(rows.X, task=rows.task))


def test_nothing_but_statistics_leaves_a_worker(client: Any) -> None:
    """Neither to the client nor to the other worker, and their size is not that of the rows."""

    given = columns(made_by_workers(partial(world_of_block, n=5_000), n=5_000))
    before = _sent(client)
    future = client.compute(cluster.statistics(**given, row_sample=10, split_every=3))
    found = future.result(PATIENCE)
    assert isinstance(found, Statistics)
    assert found.moments.counts.sum() == 5_000 * N_BLOCKS
    sent = {key: size for key, size in _sent(client).items() if key not in before}
    assert sent, "two workers did not meet"
    of_statistics = found.moments.means.nbytes * 2 + 80 * 20 * 8
    for size in [*sent.values(), client.nbytes([future.key], summary=False)[future.key]]:
        assert size < 2 * of_statistics < 5_000 * 20 * 8 / 10


def _sent(client: Any) -> dict[Any, int]:
    """The objects that workers have sent each other, and their sizes."""

    def received(dask_worker: Any) -> Any:
        return [log["keys"] for log in dask_worker.transfer_incoming_log]

    return {
        key: n for logs in client.run(received).values() for log in logs for key, n in log.items()
    }


def test_a_worker_that_is_killed_changes_nothing(client: Any, tmp_path: Path) -> None:
    """It dies in its third block, with the statistics of two others in its memory."""

    def slow(i: int) -> World:
        mine = f"worker-{os.getpid()}-"
        (tmp_path / f"{mine}{i}").touch()
        is_third = len(list(tmp_path.glob(f"{mine}*"))) == 3
        if is_third and not (tmp_path / "killed").exists():
            (tmp_path / f"waiting-{os.getpid()}").touch()
            wait_for((tmp_path / "killed").exists)
        return world_of_block(i)

    given = columns(made_by_workers(slow))
    before = set(client.run(os.getpid).values())
    with ThreadPoolExecutor(1) as elsewhere:
        fitting = elsewhere.submit(cluster.fit, MultiTaskSPCA(), **given, split_every=2)
        waiting = wait_for(lambda: list(tmp_path.glob("waiting-*")))[0]
        victim = int(waiting.name.split("-")[1])
        assert victim in before
        assert not fitting.done()
        os.kill(victim, signal.SIGKILL)
        (tmp_path / "killed").touch()
        found = fitting.result(PATIENCE)
    assert_same(found, in_memory())
    calm = cluster.fit(MultiTaskSPCA(), **columns(made_by_workers(world_of_block)), split_every=2)
    np.testing.assert_array_equal(found.moments_.squares, calm.moments_.squares)
    runs = Counter(int(log.name.split("-")[2]) for log in tmp_path.glob("worker-*"))
    assert set(runs) == set(range(N_BLOCKS))
    assert max(runs.values()) > 1  # what was lost is worked out again
    wait_for(lambda: len(client.scheduler_info()["workers"]) == 2)
    assert victim not in client.run(os.getpid).values()


def test_frames_with_a_task_in_one_partition_and_empty_ones(client: Any) -> None:
    X, y, task = random_world(0, n_classes=2)
    order = np.argsort(task, kind="stable")
    names = np.array(["rome", "oslo", "bern", "kyiv"])[task]
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(7)]).assign(label=y, city=names)
    parts = [table.iloc[order][task[order] == t] for t in range(4)]
    parts = [parts[0], table.iloc[:0], parts[1], pd.concat(parts[2:]), table.iloc[:0]]
    rows = dd.from_map(_chosen, range(5), parts=parts, meta=table.iloc[:0])
    clf = cluster.fit(MultiTaskSPCA(), rows, "label", task="city")
    assert_same(clf, World(X, y, names))
    assert all(type(name) is str for name in clf.tasks_.tolist())
    found = cluster.predict_proba(clf, rows.drop(columns="label"), task="city").compute()
    expected = clf.predict_proba(table[list(clf.feature_names_in_)], task=names)
    np.testing.assert_allclose(found.loc[table.index], expected, rtol=1e-9, atol=1e-12)
    assert found.columns.tolist() == [0, 1]


def _chosen(i: int, parts: Any) -> Any:
    return parts[i]


def test_what_a_worker_refuses_is_read_by_the_user(client: Any) -> None:
    X, y, task = random_world(1)
    X[130, 3] = np.nan
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(7)]).assign(label=y, city=task)
    rows = dd.from_pandas(table, npartitions=4)
    with pytest.raises(ValueError, match="X contains NaN in column 'x3', in 1 of 75 rows"):
        cluster.fit(MultiTaskSPCA(missing="refuse"), rows, "label", task="city")
    clf = MultiTaskSPCA().fit(X[:130], y[:130], task=task[:130])
    lazy = cluster.predict(clf, da.from_array(X[:100], chunks=(50, -1)), task=np.arange(100) % 5)
    with pytest.raises(ValueError, match="task contains 4, which fit has not seen"):
        lazy.compute()
