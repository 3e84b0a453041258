"""What the gate asks: the policies by name. Their lines are a house policy, not a law of nature."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from app.measures.kappa import Weights


@dataclass(frozen=True, slots=True)
class Policy:
    """What agreement must show. `line`: kappa that the interval's lower end reaches; `floor`: kappa versus the rest
    that the upper end of no labeller with `floor_pairs` pairs or more may stay under (None asks nothing). Both are
    asked of kappa with these weights and of intervals at this confidence, and of no others.
    """

    name: str
    line: float
    floor: float | None
    min_queries: int = 30
    min_pairs: int = 300
    floor_pairs: int = 100
    max_unjudgeable: float = 0.10
    max_unjudgeable_by_one: float = 0.05
    is_small_set: bool = False
    weights: Weights = "linear"
    confidence: float = 0.95

    @property
    def label(self) -> str:
        """The name as everything that leaves must carry it."""
        return f"{self.name}, small set" if self.is_small_set else self.name


SMALL_SET: Final = 60
"""Queries: fewer are a small set."""
POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {
        "strict": Policy("strict", line=0.67, floor=0.50),
        "standard": Policy("standard", line=0.50, floor=0.30),
        "exploratory": Policy("exploratory", line=0.30, floor=None),
    }
)


def over(policy: Policy, queries: int) -> Policy:
    """The policy as a set of that many queries is asked by it: one for small sets in full, from SMALL_SET on."""
    return POLICIES[policy.name] if policy.is_small_set and queries >= SMALL_SET else policy


def small_set(policy: Policy) -> Policy:
    """The policy for a set of fewer than SMALL_SET queries: at least 15 queries and 150 pairs, and marked as such."""
    return replace(policy, min_queries=15, min_pairs=150, is_small_set=True)
