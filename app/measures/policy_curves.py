"""What each policy's gate answers, by the true kappa of two people who judge 30 queries of 30 documents: shares of six
hundred simulated rounds, which `python -m benchmarks.validity` measures and writes here. See docs/validity.md.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple

Spread = Literal["alike", "different"]


class CurvePoint(NamedTuple):
    """The shares that passed, that had not enough evidence, and that failed."""

    kappa: float
    passed: float
    undecided: float
    failed: float


@dataclass(frozen=True, slots=True)
class PolicyCurve:
    """By ascending kappa. Where queries are `different`, each has an error rate and a mix of levels of its own."""

    policy: str
    spread: Spread
    points: tuple[CurvePoint, ...]

    @property
    def steps(self) -> list[tuple[CurvePoint, CurvePoint]]:
        """Every two points that follow each other."""
        return list(pairwise(self.points))

    @property
    def surely_from(self) -> float | None:
        """The lowest kappa here from which nine rounds in ten pass."""
        return next((point.kappa for point in self.points if point.passed >= 0.9), None)


def curves_of(*policies: str) -> list[PolicyCurve]:
    return [curve for curve in CURVES if curve.policy in policies]


# fmt: off
CURVES: Final = (
# measured
    PolicyCurve("strict", "alike", (
        CurvePoint(0.61, 0, 0.3, 0.7),
        CurvePoint(0.64, 0, 0.7683, 0.2317),
        CurvePoint(0.67, 0.02667, 0.9567, 0.01667),
        CurvePoint(0.68, 0.06667, 0.925, 0.008333),
        CurvePoint(0.7, 0.2483, 0.7517, 0),
        CurvePoint(0.72, 0.67, 0.33, 0),
        CurvePoint(0.73, 0.8067, 0.1933, 0),
        CurvePoint(0.75, 0.9583, 0.04167, 0),
        CurvePoint(0.76, 0.9917, 0.008333, 0),
        CurvePoint(0.79, 1, 0, 0),
        CurvePoint(0.82, 1, 0, 0),
    )),
    PolicyCurve("strict", "different", (
        CurvePoint(0.61, 0.003333, 0.7217, 0.275),
        CurvePoint(0.64, 0.005, 0.905, 0.09),
        CurvePoint(0.67, 0.03333, 0.9417, 0.025),
        CurvePoint(0.68, 0.055, 0.94, 0.005),
        CurvePoint(0.7, 0.1167, 0.8817, 0.001667),
        CurvePoint(0.72, 0.245, 0.7533, 0.001667),
        CurvePoint(0.73, 0.305, 0.695, 0),
        CurvePoint(0.75, 0.475, 0.525, 0),
        CurvePoint(0.76, 0.5933, 0.4067, 0),
        CurvePoint(0.79, 0.8183, 0.1817, 0),
        CurvePoint(0.82, 0.9583, 0.04167, 0),
    )),
    PolicyCurve("standard", "alike", (
        CurvePoint(0.44, 0, 0.3483, 0.6517),
        CurvePoint(0.47, 0, 0.7767, 0.2233),
        CurvePoint(0.5, 0.03167, 0.9433, 0.025),
        CurvePoint(0.51, 0.06, 0.9317, 0.008333),
        CurvePoint(0.53, 0.2667, 0.7333, 0),
        CurvePoint(0.55, 0.5233, 0.4767, 0),
        CurvePoint(0.56, 0.67, 0.33, 0),
        CurvePoint(0.58, 0.9233, 0.07667, 0),
        CurvePoint(0.59, 0.95, 0.05, 0),
        CurvePoint(0.62, 0.9983, 0.001667, 0),
        CurvePoint(0.65, 1, 0, 0),
    )),
    PolicyCurve("standard", "different", (
        CurvePoint(0.44, 0, 0.6933, 0.3067),
        CurvePoint(0.47, 0.001667, 0.885, 0.1133),
        CurvePoint(0.5, 0.02, 0.9483, 0.03167),
        CurvePoint(0.51, 0.045, 0.9417, 0.01333),
        CurvePoint(0.53, 0.09167, 0.8967, 0.01167),
        CurvePoint(0.55, 0.1967, 0.8033, 0),
        CurvePoint(0.56, 0.2417, 0.7583, 0),
        CurvePoint(0.58, 0.4283, 0.5717, 0),
        CurvePoint(0.59, 0.5183, 0.4817, 0),
        CurvePoint(0.62, 0.7617, 0.2383, 0),
        CurvePoint(0.65, 0.91, 0.09, 0),
    )),
    PolicyCurve("exploratory", "alike", (
        CurvePoint(0.24, 0, 0.36, 0.64),
        CurvePoint(0.27, 0.001667, 0.78, 0.2183),
        CurvePoint(0.3, 0.02333, 0.955, 0.02167),
        CurvePoint(0.31, 0.06167, 0.9283, 0.01),
        CurvePoint(0.33, 0.19, 0.81, 0),
        CurvePoint(0.35, 0.4817, 0.5183, 0),
        CurvePoint(0.36, 0.6133, 0.3867, 0),
        CurvePoint(0.38, 0.8783, 0.1217, 0),
        CurvePoint(0.39, 0.9267, 0.07333, 0),
        CurvePoint(0.42, 0.9933, 0.006667, 0),
        CurvePoint(0.45, 0.9983, 0.001667, 0),
    )),
    PolicyCurve("exploratory", "different", (
        CurvePoint(0.24, 0, 0.5867, 0.4133),
        CurvePoint(0.27, 0.001667, 0.8417, 0.1567),
        CurvePoint(0.3, 0.025, 0.9367, 0.03833),
        CurvePoint(0.31, 0.03333, 0.9483, 0.01833),
        CurvePoint(0.33, 0.08333, 0.9017, 0.015),
        CurvePoint(0.35, 0.1933, 0.8067, 0),
        CurvePoint(0.36, 0.3017, 0.6983, 0),
        CurvePoint(0.38, 0.4767, 0.5233, 0),
        CurvePoint(0.39, 0.5783, 0.4217, 0),
        CurvePoint(0.42, 0.7783, 0.2217, 0),
        CurvePoint(0.45, 0.925, 0.075, 0),
    )),
# end of measured
)
