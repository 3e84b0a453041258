"""Weights of queries, for weighted means: a query and its weight a line, as CSV, TSV or with blanks between."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from app.formats.errors import FormatError, quoted, refuse, shown
from app.formats.opening import rewindable
from app.formats.sniffing import recognise_stream
from app.formats.tables import QID, Row, column_of, place_of, plain_heading, read_rows

WEIGHT = ("weight", "weights", "traffic", "frequency", "count", "share")
_BY_NAME = WEIGHT[:2]
"""What these head is the weight, whatever other numbers of the query stand beside."""
_WAY_OUT = (
    "Give a query and a number a line, with a blank, tab, comma or semicolon between; a heading such as qid,weight may "
    "stand above."
)


@dataclass(frozen=True, slots=True)
class Weight:
    qid: str
    weight: float
    line: int


def read_weights(stream: BinaryIO, name: str, *, encoding: str = "utf-8") -> dict[str, float]:
    """Weights by qid, none negative. Under a heading other columns are passed over; without one there are exactly two.

    FormatError, with its line, for what is no weight, and for a query that has two.
    """
    weights: dict[str, float] = {}
    with rewindable(stream) as file:
        delimiter = recognise_stream(file, name, "pairs", encoding=encoding).delimiter or ","
        for given in _weights(read_rows(file, name, delimiter=delimiter, encoding=encoding), name):
            if given.qid in weights:
                reason = f"the query {quoted(given.qid)} has a weight already"
                raise FormatError(name, given.line, reason, None, "Give each query one line.")
            weights[given.qid] = given.weight
    if not weights:
        refuse(name, "the file holds no weights", _WAY_OUT)
    return weights


def _weights(rows: Iterator[Row], name: str) -> Iterator[Weight]:
    first = next(rows, None)
    if first is None:
        return
    columns = [cell.strip() for cell in first[1]]
    of_qid, of_weight = column_of(columns, QID), column_of(columns, WEIGHT)
    likely = [column for column in columns if plain_heading(column) in WEIGHT]
    if of_qid is not None and of_weight is not None and len(likely) > 1 and plain_heading(of_weight) not in _BY_NAME:
        reason = f"the columns {' and '.join(map(quoted, likely))} may all be the weights"
        raise FormatError(name, first[0], reason, None, "Call the one that is meant weight, or keep no other.")
    if of_qid is None or of_weight is None:
        places, width, rows = (0, 1), 2, chain([first], rows)
    else:
        places, width = (place_of(columns, of_qid, name), place_of(columns, of_weight, name)), len(columns)
    for line, cells in rows:
        if len(cells) != width:
            raise FormatError(name, line, "the line is not a query and its weight", shown(" | ".join(cells)), _WAY_OUT)
        qid, weight = (cells[place].strip(" \t") for place in places)
        if not qid:
            reason = "the line is not a query and its weight: the query is empty"
            raise FormatError(name, line, reason, None, _WAY_OUT)
        yield Weight(qid, _number(weight, name, line), line)


def _number(text: str, name: str, line: int) -> float:
    """Python would pass over underscores, and read 1_0 as 10."""
    try:
        weight = float(text.replace("_", " "))
    except ValueError:
        reason = f"the line is not a query and its weight: {quoted(text)} is no weight"
        way_out = "Write the fraction with a point." if "," in text else _WAY_OUT
        raise FormatError(name, line, reason, None, way_out) from None
    if not 0 <= weight < math.inf:
        reason = f"the weight {quoted(text)} is not 0 or more"
        raise FormatError(name, line, reason, None, "Give a number; 0 leaves a query out.")
    return weight
