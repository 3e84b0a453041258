"""Sums of the same values drawn again, and of the same values with their signs turned: thousands at a time, seeded.

Both are built of tables, because looking a number up is cheaper than drawing or multiplying one: see
docs/decisions/comparing.md.
"""

import numpy as np
from numpy.typing import NDArray

from app.measures.kappa import Numbers

RESAMPLES = 10_000
_SIGNS = 1.0 - 2.0 * (np.arange(256)[:, np.newaxis] >> np.arange(8) & 1)
"""What each byte does to eight values: a set bit turns one."""


def resampled_sums(values: Numbers, resamples: int, seed: int) -> Numbers:
    """Sums of n values drawn with replacement from the columns of `values` (n, V): (resamples, V).

    The columns are drawn together. A draw takes 16 random bits: each value stands in as many of 65,536 places as fit,
    and what hits one of the few places left over is drawn again, by itself, so that all are equally likely.
    """
    count, columns = values.shape
    bits = np.random.SFC64(seed)
    generator = np.random.Generator(bits)
    places = 65_536 // count * count
    mark = _mark(values)
    tables = [np.append(np.repeat(column, places // count), np.full(65_536 - places, mark)) for column in values.T]
    sums = np.empty((resamples, columns))
    rows = max(1, 100_000 // count)
    drawn = np.empty((rows, count))
    for start in range(0, resamples, rows):
        block = sums[start : start + rows]
        raw = bits.random_raw(-(-len(block) * count // 4)).view(np.uint16)[: len(block) * count]
        for column, table in enumerate(tables):
            np.take(table, raw.reshape(len(block), count), out=drawn[: len(block)], mode="clip")
            block[:, column] = drawn[: len(block)].sum(axis=1)
        missing = np.rint(block[:, 0] / mark)
        block += _sums_of(values, missing.astype(np.int64), generator) - missing[:, np.newaxis] * mark
    return sums


def _mark(values: Numbers) -> float:
    """A power of 2 so large that the multiples of it in a sum can be told whatever else is in it.

    Some 30,000 of them cost a sum's last 15 bits, which is 1e-11 of the largest value.
    """
    largest = float(np.abs(values).max())
    return 2.0 ** np.ceil(np.log2(4.0 * len(values) * largest)) if largest else 1.0


def _sums_of(values: Numbers, counts: NDArray[np.int64], generator: np.random.Generator) -> Numbers:
    """Sums of so many further draws for each resample."""
    ends = np.cumsum(counts)
    drawn = values[generator.integers(0, len(values), ends[-1])]
    running = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(drawn, axis=0)])
    sums: Numbers = running[ends] - running[ends - counts]
    return sums


def flipped_sums(values: Numbers, resamples: int, seed: int) -> Numbers:
    """Sums of the values (n,) with each sign kept or turned by a fair coin: (resamples,)."""
    generator = np.random.Generator(np.random.SFC64(seed))
    sums = np.zeros(resamples)
    for table in _signed(values):
        sums += table.take(generator.integers(0, 256, size=resamples, dtype=np.uint8))
    return sums


def all_flipped_sums(values: Numbers) -> Numbers:
    """The sums under every one of the 2^n ways to turn signs; for a few values only."""
    ways = np.arange(2 ** len(values))
    sums = np.zeros(len(ways))
    for place, table in enumerate(_signed(values)):
        sums += table[ways >> 8 * place & 255]
    return sums


def _signed(values: Numbers) -> Numbers:
    """For each eight values in turn, their sum under each of the 256 ways to turn signs: (ceil(n/8), 256)."""
    padded = np.zeros(-(-len(values) // 8) * 8)
    padded[: len(values)] = values
    tables: Numbers = padded.reshape(-1, 8) @ _SIGNS.T
    return tables
