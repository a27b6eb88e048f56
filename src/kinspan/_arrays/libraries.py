"""Arrays of any library → their functions, device and precision, and copies on other devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_NAMESPACES: dict[type, Any] = {}  # of array types that were met
_SEEN_BY_NUMPY = (1, 3)  # DLPack device types: memory of the CPU, and memory pinned for CUDA


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array of SciPy."""
    return bool(sp.issparse(X))


def is_foreign(values: Any) -> bool:
    """Whether values are an array of another library than NumPy."""
    if isinstance(values, (np.ndarray, np.generic)):
        return False
    return hasattr(values, "__dlpack_device__") and hasattr(values, "shape")


def namespace(array: Any) -> Any:
    """The functions of the array API for an array of any library."""
    if not is_foreign(array):
        return np
    kind = type(array)
    if kind not in _NAMESPACES:
        _NAMESPACES[kind] = _compat().array_namespace(array)
    return _NAMESPACES[kind]


def _compat() -> Any:
    try:
        import array_api_compat  # noqa: PLC0415
    except ImportError:
        raise ImportError(
            "arrays of other libraries than NumPy need array-api-compat: "
            "pip install 'kinspan[array-api]'"
        ) from None
    return array_api_compat


def device(array: Any) -> Any:
    """The device of a foreign array."""
    return _compat().device(array)


def plain(values: Any) -> Any:
    """A foreign array, detached from automatic differentiation."""
    layout = str(getattr(values, "layout", ""))
    if layout.startswith("torch.") and layout != "torch.strided":
        raise TypeError(
            f"a sparse tensor ({layout}) was passed; pass a CSR matrix of SciPy, or its to_dense()"
        )
    return values.detach() if hasattr(values, "detach") else values


def seen_by_numpy(values: Any) -> NDArray[Any] | None:
    """The same memory as a NumPy array; None where the CPU cannot see it.

    NumPy has no bfloat16: such an array is copied to single precision, as a whole.
    """
    if int(values.__dlpack_device__()[0]) not in _SEEN_BY_NUMPY:
        return None
    try:
        return np.asarray(_known_to_numpy(values))
    except RuntimeError:  # a device that reports to be the CPU
        return None


def copied_to_numpy(values: Any) -> NDArray[Any]:
    """A copy in the memory of the CPU."""
    values = _known_to_numpy(values)
    if hasattr(values, "cpu"):
        return np.asarray(values.cpu())
    if hasattr(values, "get"):
        return np.asarray(values.get())
    try:
        return np.asarray(values)
    except RuntimeError:
        return np.from_dlpack(values)


def _known_to_numpy(values: Any) -> Any:
    if not str(values.dtype).endswith("bfloat16"):
        return values
    xp = namespace(values)
    return xp.astype(values, xp.float32)


def moved(values: NDArray[Any], to: Any) -> Any:
    """A NumPy array in the library and on the device of another array."""
    xp = namespace(to)
    if xp is np:
        return values
    values = values if values.flags.writeable else values.copy()  # PyTorch warns otherwise
    return xp.asarray(values, device=device(to))


def in_spans(n_rows: int, most: int) -> list[slice]:
    """Rows cut into blocks; not every library allows a slice beyond the end."""
    block = max(most, 16)
    return [slice(start, min(start + block, n_rows)) for start in range(0, n_rows, block)]


def extremes(arrays: list[Any]) -> list[tuple[int, int]]:
    """The lowest and the highest of the whole numbers of each array, in one copy for all."""
    if not arrays:
        return []
    xp, kind = namespace(arrays[0]), widest_int(arrays[0])
    pairs = [a.aminmax() if hasattr(a, "aminmax") else (xp.min(a), xp.max(a)) for a in arrays]
    found = xp.stack([xp.astype(value, kind, copy=False) for pair in pairs for value in pair])
    lows_and_highs = copied_to_numpy(found).tolist()
    return list(zip(lows_and_highs[::2], lows_and_highs[1::2], strict=True))


def as_bits(values: Any) -> Any:
    """Floats as integers of the same bits; None where a library cannot reinterpret them."""
    xp = namespace(values)
    if not hasattr(values, "view"):
        return None
    return values.view(xp.int32 if values.dtype == xp.float32 else xp.int64)


def widest_float(array: Any) -> Any:
    """Double precision, or the widest floats of the device."""
    xp = namespace(array)
    known = xp.__array_namespace_info__().dtypes(device=device(array), kind="real floating")
    is_metal = str(device(array)).startswith("mps")
    return xp.float32 if is_metal or "float64" not in known else xp.float64


def widest_int(array: Any) -> Any:
    """64-bit integers, or the widest of the device."""
    xp = namespace(array)
    known = xp.__array_namespace_info__().dtypes(device=device(array), kind="signed integer")
    return xp.int64 if "int64" in known else xp.int32
