"""Gwet's AC1 (unweighted) and AC2 (weighted), which stand beside kappa and never open a gate.

Gwet, "Handbook of Inter-Rater Reliability", 4th edition, 2014: chance agreement is taken to grow with how evenly the
levels are used, so that 97% zeros leave it near 0 and the coefficient near the exact agreement.
"""

from app.measures.coincidences import coincidences
from app.measures.doubles import Doubles
from app.measures.kappa import NO_PAIRS, Weights, weights
from app.measures.undefined import Undefined


def gwet(doubles: Doubles, kind: Weights = "linear") -> float | Undefined:
    """AC1 for `none`, AC2 else, over pairs of two people or more, each pair counting once.

    (p_a - p_e)/(1 - p_e), p_e = sum(w)/(K(K-1)) * sum pi_k (1 - pi_k). 1 - p_e is never 0.
    """
    weight = weights(doubles.levels, kind)
    together = coincidences(doubles, "pair")
    pairs = together.sum()
    if pairs == 0:
        return Undefined(NO_PAIRS)
    share = together.sum(axis=1) / pairs
    observed = (weight * together).sum() / pairs
    expected = weight.sum() / (doubles.levels * (doubles.levels - 1)) * (share * (1.0 - share)).sum()
    return float((observed - expected) / (1.0 - expected))
