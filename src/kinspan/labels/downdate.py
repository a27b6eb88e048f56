"""A diagonal matrix minus the square of one row, for many rows: its largest eigenpairs.

The eigenvalues μ of diag(δ) − r rᵀ interlace with δ and solve the secular equation,
Σ_b r_b²/(δ_b − μ) = 1; an eigenvector is r_b/(δ_b − μ), normalised. Roots are found for all rows at
once, as distances from the nearer pole, so that no digits are lost. A step replaces the poles on
either side of a root by one each, with the same value and slope, and solves the quadratic equation
that is left (Bunch, Nielsen and Sorensen): a few steps suffice. Rows are the last axis, which is
long, of all arrays in these steps.
"""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats

_MANY = 32  # rows from which on steps for all of them are faster than a decomposition for each
_STEPS = 60
_BLOCK_NUMBERS = 1 << 17  # of all pairs of poles and roots at once


def largest_eigenpairs(
    diagonal: Floats, rows: Floats, least: Floats | float
) -> tuple[Floats, Floats]:
    """(rows, n) eigenvalues and (rows, size, n) vectors; all above (rows,) limits are there.

    Diagonals (rows, size) are descending and not negative. Equal values are moved apart by as
    little as rounding, and entries of zero away from zero: then every root is between two poles.
    """
    least = np.broadcast_to(least, len(rows))[:, None]
    if len(rows) < _MANY:
        return _of_few(diagonal, rows, least)
    size = diagonal.shape[1]
    diagonal = diagonal * (1.0 - 1e-14 * np.arange(size))
    smallest = 1e-30 * np.sqrt(np.maximum(diagonal[:, :1], 1e-200))
    rows = np.where(np.abs(rows) > smallest, rows, smallest)
    n = int((diagonal > least).sum(axis=1).max(initial=0))
    values, vectors = np.empty((len(rows), n)), np.empty((len(rows), size, n))
    block = max(1, _BLOCK_NUMBERS // max(n * size, 1))
    for start in range(0, len(rows) if n else 0, block):
        some = slice(start, start + block)
        poles, r = (np.ascontiguousarray(part[some].T) for part in (diagonal, rows))
        found, distances = _roots(poles, r**2, n)
        vector = np.divide(r[:, None], distances, out=distances)
        vector /= np.sqrt(np.einsum("bnr,bnr->nr", vector, vector))
        values[some], vectors[some] = found.T, vector.transpose(2, 0, 1)
    return values, vectors


def _of_few(diagonal: Floats, rows: Floats, least: Floats) -> tuple[Floats, Floats]:
    matrix = diagonal[:, :, None] * np.eye(diagonal.shape[1]) - rows[:, :, None] * rows[:, None, :]
    values, vectors = np.linalg.eigh(matrix)
    n = int((values > least).sum(axis=1).max(initial=0))
    return values[:, ::-1][:, :n], vectors[:, :, ::-1][:, :, :n]


def _roots(poles: Floats, squares: Floats, n: int) -> tuple[Floats, Floats]:
    """(n, rows) roots, each between two poles, and (size, n, rows) poles minus roots."""
    upper, lower = poles[:n], np.concatenate([poles[1:], poles[-1:]])[:n]
    # Below the last pole there is none: eigenvalues sum up to Σ δ − ‖r‖².
    is_last = (np.arange(n) == len(poles) - 1)[:, None]
    width = np.where(is_last, 2.0 * squares.sum(axis=0), upper - lower)
    is_above = (np.arange(len(poles))[:, None] <= np.arange(n)).astype(np.float64)
    middle = (squares[:, None] / (poles[:, None] - upper + 0.5 * width)).sum(axis=0)
    below_middle = (middle > 1.0) & ~is_last
    origin, sign = np.where(below_middle, lower, upper), np.where(below_middle, -1.0, 1.0)
    next_squares = np.concatenate([squares[1:], squares[:1]])[:n]
    of_origin = np.where(below_middle, next_squares, squares[:n])
    # Terms of all poles but the nearest are at most r²/(width/2): its own is not larger than that.
    nearest = of_origin / (1.0 + 2.0 * squares.sum(axis=0) / width)
    gaps = poles[:, None] - origin
    shift = np.maximum(_first_guess(gaps, squares, of_origin, sign, 0.5 * width), nearest)
    distance, slopes, terms = np.empty_like(gaps), np.empty_like(gaps), np.empty_like(gaps)
    for _ in range(_STEPS):
        np.divide(1.0, np.add(gaps, sign * shift, out=distance), out=slopes)
        np.multiply(squares[:, None], slopes, out=terms)
        np.multiply(terms, slopes, out=slopes)
        above = np.einsum("bnr,bn->nr", slopes, is_above)
        below = np.einsum("bnr,bn->nr", slopes, 1.0 - is_above)
        p = np.where(below_middle, below, above) * shift**2
        q = np.where(below_middle, above, below) * (width - shift) ** 2
        constant = sign * (terms.sum(axis=0) - 1.0) - p / shift + q / (width - shift)
        after = np.clip(_between(constant, p, q, width), nearest, 0.75 * width)
        done = (np.abs(after - shift) <= 1e-8 * shift).all()  # the next step would be rounding
        shift = after
        if done:
            break
    return origin - sign * shift, np.add(gaps, sign * shift, out=distance)


def _first_guess(
    gaps: Floats, squares: Floats, of_origin: Floats, sign: Floats, most: Floats
) -> Floats:
    """(n, rows): distances from the nearer pole if the other poles were as far from both."""
    is_origin = gaps == 0.0
    terms = np.where(is_origin, 0.0, 1.0 / np.where(is_origin, 1.0, gaps))
    rest = sign * (1.0 - np.einsum("br,bnr->nr", squares, terms))
    return np.where(rest > 0.0, np.minimum(of_origin / np.where(rest > 0.0, rest, 1.0), most), most)


def _between(constant: Floats, p: Floats, q: Floats, width: Floats) -> Floats:
    """The x between 0 and the width with constant + p/x − q/(width − x) = 0."""
    linear = constant * width - p - q
    root = np.sqrt(np.maximum(linear**2 + 4.0 * constant * p * width, 0.0))
    low = 2.0 * p * width / np.where(linear <= 0, root - linear, 1.0)
    return np.where(linear <= 0, low, (linear + root) / np.where(linear > 0, 2.0 * constant, 1.0))
