"""Work that is killed without warning, again and again: `python -m tests.faults.killing FOLDER`.

One process imports everything and forks; its children work until they are killed by SIGKILL at
a random moment. What is found after each kill is printed as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple


class Killed(NamedTuple):
    """What kills have left of a work."""

    whole: list[Any]  # what undisturbed work finds, and leaves after each of its steps
    after: list[dict[str, Any]]  # what was found after each kill
    finished: dict[str, Any]  # what there was after one more run to the end


def killed_works(folder: Path) -> dict[str, Killed]:
    """Kill every work many times, in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.killing", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    return {name: Killed(*found) for name, found in json.loads(ran.stdout).items()}


def killed(work: Any, folder: Path) -> Killed:
    """Let a work end undisturbed, then kill it at moments that its time suggests."""
    calm, place = folder / "calm", folder / "disturbed"
    for there in (calm, place):
        there.mkdir(parents=True)
        work.prepare(there)
    whole = [work.look(calm)["found"]]
    begin, rng, after = time.monotonic(), random.Random(0), []
    for step in work.steps:
        step(calm)
        whole.append(work.look(calm)["found"])
    longest = (time.monotonic() - begin) * (2.0 if work.is_endless else 0.4)
    for _ in range(work.n_kills):
        was_killed = _killed_once(work, place, rng.uniform(0, longest))
        after.append({"killed": was_killed, **work.look(place)})
    for step in work.steps:
        step(place)
    return Killed(whole, after, work.look(place))


def _killed_once(work: Any, folder: Path, seconds: float) -> bool:
    """Whether a child that works was killed before its end."""
    started, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(tell, b"x")
        try:
            work.again_and_again(folder)
        finally:
            os._exit(0)
    os.read(started, 1)
    if not work.dies:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(started)
    os.close(tell)
    return os.WIFSIGNALED(status)


def main(folder: str) -> None:
    from tests.faults.works import WORKS  # noqa: PLC0415  # who reads the results needs none of it

    printed = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    found = {name: killed(work, Path(folder) / name) for name, work in WORKS.items()}
    os.write(printed, json.dumps(found).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
