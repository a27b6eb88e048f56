"""Arrays in `.npy` files, some rows at a time.

They are read and not mapped: pages of a map that were read count as memory in use.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Header(NamedTuple):
    """What stands before the numbers of a `.npy` file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool  # columns one after another


def npy_header(file: IO[bytes]) -> Header:
    """Read the header; the numbers follow."""
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        read = np.lib.format.read_array_header_1_0
    elif version == (2, 0):
        read = np.lib.format.read_array_header_2_0
    else:
        raise ValueError(f"version {version} of the .npy format holds no plain numbers")
    shape, fortran, dtype = read(file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never unpickled; store plain numbers")
    return Header(shape, dtype, fortran)


def npy_rows(path: Path, start: int, stop: int) -> NDArray[Any]:
    """Some rows of an array of one or two dimensions."""
    with path.open("rb") as file:
        header = npy_header(file)
        length, *widths = header.shape
        width, begin, size = int(np.prod(widths)), file.tell(), header.dtype.itemsize

        def numbers(place: int, n: int) -> NDArray[Any]:
            file.seek(begin + place * size)
            found = np.fromfile(file, header.dtype, n)
            if len(found) < n:
                raise ValueError("the file ends before its numbers do")
            return found

        if not header.fortran or not widths:
            return numbers(start * width, (stop - start) * width).reshape(-1, *widths)
        columns = np.empty((width, stop - start), header.dtype)
        for j in range(width):
            columns[j] = numbers(j * length + start, stop - start)
        return columns.T
