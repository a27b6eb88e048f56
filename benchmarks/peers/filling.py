"""How a file of results is filled: a run continues where the last one stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from benchmarks._resumable import RowFile
from benchmarks.peers.peer import Peer

R = TypeVar("R", bound=Any)
Drawn = TypeVar("Drawn")


def fill(
    rows: RowFile[R],
    path: Path,
    wanted: Iterable[Any],
    peers: Iterable[Peer],
    drawn: Callable[..., Drawn],
    row: Callable[[Any, Peer, Drawn, dict[Any, R]], R],
) -> None:
    """Append the rows that the file lacks, one draw after another.

    Keys start with the name of a set and end with that of a method. `drawn` makes what all methods
    of a draw get, and `row` measures one of them; it is also given all finished rows.
    """
    by_name = {peer.name: peer for peer in peers}
    done = rows.read(path)
    missing = [key for key in wanted if key not in done]
    with tqdm(total=len(missing), desc=str(missing[0][0]) if missing else None) as bar:
        for place, keys in groupby(missing, key=lambda key: key[:-1]):
            of_all = drawn(*place[1:])
            for key in keys:
                done[key] = row(key, by_name[key.method], of_all, done)
                rows.append(path, done[key])
                bar.update()
