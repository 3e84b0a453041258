"""Who graded what together, counted grade by grade: what alpha and AC1/AC2 rest on."""

from typing import Literal

import numpy as np

from app.measures.doubles import Doubles
from app.measures.kappa import Numbers
from app.measures.undefined import MeasureError


def coincidences(doubles: Doubles, each: Literal["grade", "pair"]) -> Numbers:
    """How often the levels stand beside each other, (K, K), symmetric, in both directions.

    Every grade, or else every pair, adds up to 1 in it, however many people graded it: one pair that m people graded
    must stand in all of its m(m-1)/2 places.
    """
    people = people_at(doubles)
    worth = 1.0 / (people - 1.0) if each == "grade" else 1.0 / (people * (people - 1.0))
    cell = doubles.level_a * doubles.levels + doubles.level_b
    counted = np.bincount(cell, weights=worth, minlength=doubles.levels**2).astype(np.float64)
    one_way: Numbers = counted.reshape(doubles.levels, doubles.levels)
    return one_way + one_way.T


def people_at(doubles: Doubles) -> Numbers:
    """For every place, how many people graded its pair."""
    if doubles.pair is None:
        return np.full(len(doubles.query), 2.0)
    _, pair, places = np.unique(doubles.pair, return_inverse=True, return_counts=True)
    people: Numbers = (1.0 + np.sqrt(1.0 + 8.0 * places)) / 2.0  # The m of places = m(m-1)/2.
    if (people != np.floor(people)).any():
        raise MeasureError("A pair that m people graded must stand under all of its m(m-1)/2 couples.")
    return people[pair]
