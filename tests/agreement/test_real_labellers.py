"""Real labellers replayed through the database, each figure against its published value or another's program."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from app.agreement.gate import GateResult
from app.agreement.reading import Figure, exact_figures
from app.measures.alpha import alpha
from app.measures.gate import POLICIES
from app.measures.undefined import Undefined
from tests.agreement.judged import Said, fira
from tests.agreement.test_gate import gate_after
from tests.make import Cast

RATERS = ("agent_1", "agent_2", "agent_3")


def ratings(data: Path, team_of: Callable[[int], Sequence[str]]) -> list[Said]:
    """What those of `team_of` the query's place graded, whole queries each."""
    rows = list(csv_rows(data / "chorus-ratings" / "ratings.csv", ","))
    place = {qid: at for at, qid in enumerate(dict.fromkeys(row["query_id"] for row in rows))}
    return [
        (row["query_id"], row["docid"], rater, int(row[rater]))
        for row in rows
        for rater in team_of(place[row["query_id"]])
    ]


def csv_rows(path: Path, delimiter: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def couple_of(query: int) -> Sequence[str]:
    """Two of the three, in turn."""
    return [rater for at, rater in enumerate(RATERS) if at != query % 3]


def levels_by_rater(said: Sequence[Said]) -> dict[str, dict[tuple[str, str], int]]:
    given: dict[str, dict[tuple[str, str], int]] = {rater: {} for rater in RATERS}
    for qid, docno, rater, level in said:
        assert isinstance(level, int)
        given[rater][qid, docno] = level
    return given


def kappas_of(gate: GateResult) -> dict[str, float | Undefined]:
    names = [labeller.name for labeller in gate.labellers]
    return {f"{names[one.a]}|{names[one.b]}": one.kappa for one in gate.evidence.agreement.couples}


def cohens_of(said: Sequence[Said]) -> dict[str, float]:
    """Each couple's, over what both graded, by scikit-learn."""
    given = levels_by_rater(said)
    found = {}
    for at, one in enumerate(RATERS):
        for other in RATERS[at + 1 :]:
            shared = sorted(given[one].keys() & given[other].keys())
            levels = ([given[rater][pair] for pair in shared] for rater in (one, other))
            found[f"{one}|{other}"] = cohen_kappa_score(*levels, labels=[0, 1, 2, 3], weights="linear")
    return found


def alpha_of(said: Sequence[Said]) -> float:
    """By the krippendorff package."""
    given = levels_by_rater(said)
    pairs = sorted({pair for levels in given.values() for pair in levels})
    table = [[levels.get(pair, np.nan) for pair in pairs] for levels in given.values()]
    found: float = krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal", value_domain=[0, 1, 2, 3])
    return found


def expected(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / "expected" / "agreement.json").read_text(encoding="utf-8"))
    return found


def differs_most(gate: GateResult) -> str:
    rest = gate.evidence.agreement.versus_rest
    lowest = min(rest, key=lambda one: 1.0 if isinstance(one.kappa, Undefined) else one.kappa)
    return gate.labellers[lowest.labeller].name


def figure(gate: GateResult, name: str) -> float | Undefined:
    (found,) = [each for each in exact_figures(gate) if each.name == name]
    assert isinstance(found, Figure)
    return found.value


def test_three_raters_of_every_pair_have_the_published_couples_and_alpha(cast: Cast, shared_data: Path) -> None:
    published = expected(shared_data)["chorus-ratings"]
    said = ratings(shared_data, lambda _: RATERS)
    gate = gate_after(cast, said)
    assert gate.evidence.agreement.pairs == published["units"]
    assert kappas_of(gate) == pytest.approx({who: one["linear"] for who, one in published["pairs"].items()}, abs=1e-6)
    assert kappas_of(gate) == pytest.approx(cohens_of(said), abs=1e-9)
    assert alpha(gate.doubles) == pytest.approx(published["alpha_ordinal"], abs=1e-6)
    assert alpha(gate.doubles) == pytest.approx(alpha_of(said), abs=1e-9)
    assert differs_most(gate) == "agent_3"


def test_three_raters_in_rotating_couples_have_the_figures_of_their_shared_pairs(cast: Cast, shared_data: Path) -> None:
    said = ratings(shared_data, couple_of)
    gate = gate_after(cast, said)
    assert gate.evidence.agreement.pairs == expected(shared_data)["chorus-ratings"]["units"] == len(said) / 2
    assert kappas_of(gate) == pytest.approx(cohens_of(said), abs=1e-9)
    assert alpha(gate.doubles) == pytest.approx(alpha_of(said), abs=1e-9)
    assert differs_most(gate) == "agent_3"


def test_raters_1_and_2_have_their_interval_over_all_queries(cast: Cast, shared_data: Path) -> None:
    found = gate_after(cast, ratings(shared_data, lambda _: RATERS[:2])).evidence.agreement
    assert (found.pairs, found.queries) == (3188, 135)
    assert (found.kappa, found.low, found.high) == pytest.approx((0.763083, 0.706003, 0.820164), abs=5e-7)


def test_code_search_pairs_judged_exactly_twice_do_not_pass_standard(cast: Cast, shared_data: Path) -> None:
    """Nobody's name is known: who judged first and who second stand for two people."""
    rows = csv_rows(shared_data / "codesearchnet" / "pairs-judged-exactly-twice.tsv", "\t")
    said: list[Said] = [
        (f"{row['language']}: {row['query']}", row["url"], name, int(row[name]))
        for row in rows
        for name in ("first", "second")
    ]
    gate = gate_after(cast, said)
    published = expected(shared_data)["codesearchnet"]
    assert gate.evidence.agreement.kappa == pytest.approx(published["linear"], abs=1e-6)
    assert gate.evidence.agreement.table.tolist() == published["confusion_rows_first_cols_second"]
    assert gate.answer.answer != "passed"
    assert "line" in {condition.name for condition in gate.answer.conditions if condition.is_met is False}


@pytest.mark.parametrize("policy", POLICIES)
def test_two_unrelated_gradings_fail_every_policy(cast: Cast, shared_data: Path, policy: str) -> None:
    gate = gate_after(cast, fira(shared_data), policy=policy)
    published = expected(shared_data)["fira-dl19"]
    assert gate.evidence.agreement.kappa == pytest.approx(published["linear"], abs=1e-6)
    assert figure(gate, "kappa, quadratic weights") == pytest.approx(published["quadratic"], abs=1e-6)
    assert gate.answer.answer == "failed"


# What every gate must get right


def test_rotating_labellers_in_perfect_agreement_give_exactly_1(cast: Cast) -> None:
    said: list[Said] = [
        (f"q{query}", f"d{docno}", rater, (query * docno) % 4)
        for query in range(30)
        for docno in range(10)
        for rater in couple_of(query)
    ]
    found = gate_after(cast, said).evidence.agreement
    assert found.kappa == 1.0
    assert [one.kappa for one in found.versus_rest] == [1.0, 1.0, 1.0]
    assert (found.low, found.high) == (1.0, 1.0)


def test_the_rubrics_levels_count_and_not_those_that_were_used(cast: Cast) -> None:
    """Nobody gave a 2; over the three levels that were used quadratic kappa would be another."""
    both = zip((0, 1, 3, 3, 0, 1), (0, 3, 3, 1, 0, 1), strict=True)
    said: list[Said] = [
        (f"q{at}", "d", name, level) for at, levels in enumerate(both) for name, level in zip("AB", levels, strict=True)
    ]
    gate = gate_after(cast, said)
    assert len(gate.levels) == 4
    assert figure(gate, "kappa, quadratic weights") == pytest.approx(4 / 7, abs=1e-12)
