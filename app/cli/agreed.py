"""What `adjudge kappa` answers, every number in full: the JSON."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import get_args

from app.cli.graded import Graded
from app.cli.numbers import Number, number, reason
from app.cli.refusal import Json
from app.measures.agreement import Agreement, Couple, VersusRest, agreement
from app.measures.alpha import Scale, alpha
from app.measures.by_query import agreement_by_query
from app.measures.evidence import Evidence
from app.measures.gate import ask_gate
from app.measures.gwet import gwet
from app.measures.intervals import analytic_interval, bootstrap_interval
from app.measures.jackknife import ENOUGH_QUERIES
from app.measures.kappa import Weights
from app.measures.levels import marginal_shift, specific_agreement, stuart_maxwell
from app.measures.policies import Policy
from app.measures.resampling import RESAMPLES
from app.measures.undefined import Undefined


def describe(graded: Graded, kind: Weights, policy: Policy, confidence: float) -> Json:
    """What is undefined is null; a `reason` beside it, or `undefined` by its name, says why. The gate is asked of what
    its policy asks, whatever is shown above it.
    """
    found = agreement(graded.doubles, kind, confidence)
    asked = agreement(graded.doubles, policy.weights, policy.confidence)
    return {
        "weights": kind,
        "levels": list(graded.levels),
        "confidence": confidence,
        "notes": list(graded.notes),
        "couples": [couple_of(one, graded) for one in found.couples],
        "pooled": {"n": found.pairs, **kappa_of(found)},
        "versus_rest": [versus_rest_of(one, graded) for one in found.versus_rest],
        **beside_kappa(found, graded),
        "specific": [
            {"level": level, "agreement": number(share), "reason": reason(share)}
            for level, share in zip(graded.levels, specific_agreement(found.table), strict=True)
        ],
        "table": found.table.tolist(),
        "left_out": {
            **graded.left_out,
            "repeated": graded.repeated,
            "by": [{"labeller": name, "answer": answer, "pairs": pairs} for name, answer, pairs in graded.by],
        },
        "gate": {
            "policy": policy.label,
            "weights": policy.weights,
            "confidence": policy.confidence,
            **asdict(ask_gate(evidence_of(asked, graded), policy)),
        },
    }


def versus_rest_of(one: VersusRest, graded: Graded) -> Json:
    return {
        "labeller": graded.people[one.labeller],
        "n": one.pairs,
        "mean_level": one.mean_level,
        **kappa_of(one),
    }


def beside_kappa(found: Agreement, graded: Graded) -> Json:
    of_ac2: Weights = "linear" if found.kind == "none" else found.kind
    beside: dict[str, Number] = {
        "exact": found.exact,
        "within_one": found.within_one,
        "ac1": gwet(graded.doubles, "none"),
        "ac2": gwet(graded.doubles, of_ac2),
    }
    alphas: dict[str, Number] = {scale: alpha(graded.doubles, scale) for scale in get_args(Scale)}
    return {
        "alpha": numbers(alphas),
        **numbers(beside),
        "ac2_weights": of_ac2,
        "undefined": reasons({**beside, **{f"alpha.{scale}": value for scale, value in alphas.items()}}),
    }


def evidence_of(found: Agreement, graded: Graded) -> Evidence:
    return Evidence(
        found,
        unjudgeable_both=graded.left_out["unjudgeable_both"],
        unjudgeable_one=graded.left_out["unjudgeable_one"],
        unjudgeable_beside=graded.left_out["unjudgeable_beside"],
        ungraded=graded.left_out["ungraded"],
        labellers=graded.people,
        levels=graded.levels,
    )


def couple_of(one: Couple, graded: Graded) -> Json:
    """`shift`: by how many levels b grades higher than a on the mean; `homogeneity`: whether that may be chance."""
    test = stuart_maxwell(one.table)
    named = {"a": graded.people[one.a], "b": graded.people[one.b], "n": one.pairs}
    tested = {"reason": test.reason} if isinstance(test, Undefined) else asdict(test)
    return {**named, **kappa_of(one), "shift": number(marginal_shift(one.table)), "homogeneity": tested}


def kappa_of(one: Agreement | Couple | VersusRest) -> Json:
    """`no_width` says why the ends are one, where they are; `interval_scale`, where the jackknife's standard error is
    taken: see docs/decisions/intervals.md.
    """
    why = reason(one.kappa) or reason(one.low)
    return {
        "kappa": number(one.kappa),
        "low": number(one.low),
        "high": number(one.high),
        "reason": why,
        "no_width": one.why_no_width,
        "queries": one.queries,
        "interval_scale": "kappa" if one.queries >= ENOUGH_QUERIES else "cube root of 1 - kappa",
    }


def other_intervals(graded: Graded, kind: Weights, confidence: float, seed: int) -> Json:
    """Beside the jackknife: the pooled kappa's bootstrap, and each couple's as if its pairs were independent."""
    found = agreement(graded.doubles, kind, confidence)
    drawn = bootstrap_interval(graded.doubles, kind, confidence=confidence, seed=seed)
    return {
        "bootstrap": {**ends_of(drawn), "resamples": RESAMPLES, "seed": seed},
        "analytic": [
            {
                "a": graded.people[one.a],
                "b": graded.people[one.b],
                **ends_of(analytic_interval(one.table, kind, confidence=confidence)),
            }
            for one in found.couples
        ],
    }


def ends_of(interval: tuple[float, float] | Undefined) -> Json:
    if isinstance(interval, Undefined):
        return {"low": None, "high": None, "reason": interval.reason}
    return {"low": interval[0], "high": interval[1], "reason": None}


def queries_of(graded: Graded, kind: Weights) -> list[Json]:
    return [
        {
            "qid": graded.qids[one.query],
            "n": one.pairs,
            "kappa": number(one.kappa),
            "exact": one.exact,
            "within_one": one.within_one,
            "reason": reason(one.kappa),
        }
        for one in agreement_by_query(graded.doubles, kind)
    ]


def numbers(values: Mapping[str, Number]) -> dict[str, float | None]:
    return {name: number(value) for name, value in values.items()}


def reasons(values: Mapping[str, Number]) -> dict[str, str]:
    return {name: value.reason for name, value in values.items() if isinstance(value, Undefined)}
