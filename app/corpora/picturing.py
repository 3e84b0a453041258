"""Numbers of a file, made ready to be drawn."""

from collections.abc import Mapping
from itertools import groupby

MOST_BARS = 12


def bars(histogram: Mapping[str, int]) -> list[tuple[str, int]]:
    """Label and height of each bar. Whole numbers of which there are many are gathered in ranges of equal width; other
    labels are left as they are, the most frequent first and the rest in one bar.
    """
    if len(histogram) <= MOST_BARS:
        return list(histogram.items())
    if all(label.lstrip("-").isdecimal() for label in histogram):
        return ranges({int(label): number for label, number in histogram.items()})
    falling = sorted(histogram.items(), key=lambda item: (-item[1], item[0]))
    rest = falling[MOST_BARS - 1 :]
    return [*falling[: MOST_BARS - 1], (f"{len(rest):,} others", sum(number for _, number in rest))]


def ranges(numbers: Mapping[int, int]) -> list[tuple[str, int]]:
    low, high = min(numbers), max(numbers)
    width = -(-(high - low + 1) // MOST_BARS)
    gathered = groupby(sorted(numbers), key=lambda value: (value - low) // width)
    return [
        (f"{low + place * width} to {min(high, low + (place + 1) * width - 1)}", sum(map(numbers.__getitem__, values)))
        for place, values in gathered
    ]
