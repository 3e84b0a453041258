"""The gate over what a database holds: real double judgments with their published figures, and each of its answers."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from app.agreement.adjudication_queries import differing_pairs
from app.agreement.gate import GateResult, current_family, gate_of
from app.agreement.reading import couples_left_out, couples_of_query
from app.corpora.models import NO_TEXT
from app.errors import NotThere
from app.measures.undefined import Undefined
from app.projects.models import Project
from tests.agreement import judged
from tests.agreement.judged import Said, chorus, fira, grade_again, judge, publish_rubric
from tests.make import Cast


def gate_after(cast: Cast, said: list[Said], **more: Any) -> GateResult:
    """The gate of a new project in which all this was said in one round."""
    project_id = cast.project(cast.person("lea"), **more)
    with cast.database.session(writes=True) as session:
        judge(session, project_id, said)
        return gate_of(session, session.get_one(Project, project_id), 1)


def both(queries: int, documents: int, levels: list[int] | None = None, *, agree: float = 1.0) -> list[Said]:
    """Ana and Ben over so many queries and documents; Ben says the same in the share `agree` of all pairs."""
    random = Random(7)
    said: list[Said] = []
    for query in range(queries):
        for docno in range(documents):
            level = random.choice(levels or [0, 0, 0, 1, 2, 3])
            other = level if random.random() < agree else random.choice(levels or [0, 1, 2, 3])
            said += [(f"q{query}", f"d{docno}", "ana", level), (f"q{query}", f"d{docno}", "ben", other)]
    return said


def test_real_product_ratings_pass_with_the_figures_of_scikit_learn(cast: Cast, shared_data: Path) -> None:
    said = chorus(shared_data)
    gate = gate_after(cast, said)
    found = gate.evidence.agreement
    first, second = ([level for *_, name, level in said if name == rater] for rater in ("rater 1", "rater 2"))
    expected = cohen_kappa_score(first, second, labels=[0, 1, 2, 3], weights="linear")
    assert found.kappa == pytest.approx(expected, abs=1e-9)
    assert np.array_equal(found.table, confusion_matrix(first, second, labels=[0, 1, 2, 3]))
    assert not isinstance(found.interval, Undefined)
    assert (found.pairs, found.queries) == (971, 40)
    assert [f"{value:.6f}" for value in (expected, *found.interval)] == ["0.695255", "0.551190", "0.839319"]
    assert gate.answer.answer == "passed"
    assert gate.is_passed
    assert [labeller.name for labeller in gate.labellers] == ["rater 1", "rater 2"]
    assert gate.left_out.pairs == 0


def test_two_unrelated_gradings_fail(cast: Cast, shared_data: Path) -> None:
    gate = gate_after(cast, fira(shared_data))
    found = gate.evidence.agreement
    assert f"{found.kappa:.6f}" == "0.080197"
    assert (found.pairs, found.queries, gate.answer.answer) == (2003, 43, "failed")
    assert "line" in {condition.name for condition in gate.answer.conditions if condition.is_met is False}


def test_twelve_pairs_are_not_enough_evidence(cast: Cast) -> None:
    gate = gate_after(cast, both(3, 4))
    assert gate.answer.answer == "not enough evidence"
    assert "3 of the 30 queries and 12 of the 300 doubly judged pairs" in gate.answer.sentence


def test_one_level_only_is_undefined_and_nothing_else(cast: Cast) -> None:
    gate = gate_after(cast, both(30, 10, [0]))
    assert gate.answer.answer == "undefined"
    assert isinstance(gate.evidence.agreement.kappa, Undefined)


def test_an_interval_that_holds_the_line_names_how_many_more_queries(cast: Cast) -> None:
    gate = gate_after(cast, both(30, 10, agree=0.5))
    low, high = gate.evidence.agreement.interval  # type: ignore[misc]
    assert low < gate.policy.line < high
    assert gate.answer.answer == "not enough evidence"
    assert gate.answer.more_queries is not None
    assert f"Judge about {gate.answer.more_queries:,} more" in gate.answer.sentence


def test_a_small_set_and_a_strict_policy_are_the_projects_own_choice(cast: Cast) -> None:
    gate = gate_after(cast, both(15, 10, agree=0.95), policy="strict", is_small_set=True)
    assert gate.policy.label == "strict, small set"
    assert gate.answer.answer == "passed"


@pytest.mark.parametrize(
    ("alone", "label", "answer"), [(44, "standard, small set", "passed"), (45, "standard", "not enough evidence")]
)
def test_a_policy_for_small_sets_is_asked_in_full_of_a_set_that_has_grown(
    cast: Cast, alone: int, label: str, answer: str
) -> None:
    said = both(15, 10) + [(f"q{15 + query}", "d", "ana", 1) for query in range(alone)]
    gate = gate_after(cast, said, is_small_set=True)
    assert (gate.policy.label, gate.answer.answer) == (label, answer)
    assert gate.is_passed or "15 of the 30 queries" in gate.answer.sentence


def test_nothing_judged_twice_is_undefined_and_says_so(cast: Cast) -> None:
    gate = gate_after(cast, [("q1", "d1", "ana", 1), ("q2", "d1", "ben", 1)])
    assert gate.answer.answer == "undefined"
    assert "no pair was graded by two people" in gate.answer.sentence
    assert gate.evidence.agreement.pairs == 0


def test_what_was_left_out_is_counted_once_for_each_pair_and_named_for_each_labeller(cast: Cast) -> None:
    said: list[Said] = [
        ("q1", "both judged", "ana", 1),
        ("q1", "both judged", "ben", 2),
        ("q1", "neither could", "ana", "broken"),
        ("q1", "neither could", "ben", "wrong language"),
        ("q1", "one could not", "ana", 3),
        ("q1", "one could not", "ben", "broken"),
        ("q1", "one waits", "ana", 0),
        ("q1", "one waits", "ben", None),
        ("q1", "both wait", "ana", None),
        ("q1", "both wait", "ben", None),
        ("q1", "two of three", "ana", 1),
        ("q1", "two of three", "ben", 1),
        ("q1", "two of three", "cleo", "broken"),
        ("q2", "asked once", "ana", None),
    ]
    gate = gate_after(cast, said)
    left_out = gate.left_out
    assert (left_out.unjudgeable_both, left_out.unjudgeable_one, left_out.ungraded) == (1, 1, 2)
    assert left_out.unjudgeable_beside == gate.evidence.unjudgeable_beside == 1
    assert left_out.by == (
        ("ana", "broken", 1),
        ("ana", "not graded", 1),
        ("ben", "broken", 1),
        ("ben", "not graded", 2),
        ("ben", "wrong language", 1),
        ("cleo", "broken", 1),
    )
    assert gate.evidence.agreement.pairs == 2
    assert gate.evidence.answered == 4


def test_levels_of_different_texts_are_left_out_and_counted(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a release leaves them out. A placeholder's text came from elsewhere, and is no other text than any."""
    lead = cast.person("lea")
    project = cast.project(lead)
    texts = {"early": "e" * 64, "late": "f" * 64, "nowhere": NO_TEXT}
    with cast.database.session(writes=True) as session:
        for text, name, docnos in (
            ("early", "ana", ("moved", "thrice", "elsewhere")),
            ("late", "ben", ("moved", "thrice")),
            ("late", "cleo", ("thrice",)),
            ("nowhere", "dan", ("elsewhere",)),
        ):
            monkeypatch.setattr(judged, "document", lambda _, text=text: {"text": "", "text_hash": texts[text]})
            judge(session, project, [("q1", docno, name, 1) for docno in docnos])
    with cast.database.session(writes=False) as session:
        gate = gate_of(session, session.get_one(Project, project), 1)
        assert (gate.left_out.other_text, gate.left_out.pairs, gate.left_out.by) == (2, 2, ())
        assert gate.evidence.agreement.pairs == 1
        assert (gate.evidence.answered, gate.evidence.offered) == (1, 3)
        couple, *_ = couples_left_out(gate, "text")
        assert len(couples_of_query(gate, "q1")) == 1
    said = cast.browser(lead).get(f"/projects/{project}/agreement").text
    assert "2 graded on different texts" in said
    opened = cast.browser(lead).get(f"/projects/{project}/agreement/pairs?left_out=text").text
    assert "graded on different texts" in opened
    assert couple.first.pair_id == couple.second.pair_id


def test_two_who_graded_a_text_and_two_who_graded_its_correction_are_no_four(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor are those of whom one graded a text that nobody knows. The agreement page answers."""
    lead = cast.person("lea")
    project = cast.project(lead)
    texts = {"ana": "e" * 64, "ben": "e" * 64, "cleo": "f" * 64, "dan": "f" * 64, "eve": NO_TEXT}
    with cast.database.session(writes=True) as session:
        for name, text in texts.items():
            monkeypatch.setattr(judged, "document", lambda _, text=text: {"text": "", "text_hash": text})
            shared = ("corrected",) if name != "eve" else ()
            between = ("between",) if name in ("ana", "cleo", "eve") else ()
            judge(session, project, [("q1", docno, name, 1) for docno in (*shared, *between)])
            monkeypatch.setattr(judged, "document", lambda _: {"text": "", "text_hash": "a" * 64})
            judge(session, project, [("q2", "whole", name, len(name) % 2)])
    with cast.database.session(writes=False) as session:
        gate = gate_of(session, session.get_one(Project, project), 1)
        assert (gate.left_out.other_text, gate.evidence.agreement.pairs) == (2, 1)
    answer = cast.script(lead, project).get(f"/api/v1/projects/{project}/agreement")
    assert answer.status_code == 200, answer.text
    assert cast.browser(lead).get(f"/projects/{project}/agreement").status_code == 200


def test_three_labellers_of_one_pair_are_three_couples_and_one_pair(cast: Cast, shared_data: Path) -> None:
    gate = gate_after(cast, chorus(shared_data, queries=10, raters=(1, 2, 3)))
    found = gate.evidence.agreement
    assert found.pairs == int(found.table.sum()) / 3
    assert {(couple.a, couple.b) for couple in found.couples} == {(0, 1), (0, 2), (1, 2)}
    assert len(found.versus_rest) == 3


def test_later_rounds_of_the_family_count_along_and_a_second_grade_counts_once(cast: Cast) -> None:
    project_id = cast.project(cast.person("lea"))
    with cast.database.session(writes=True) as session:
        project = session.get_one(Project, project_id)
        judge(session, project_id, [("q1", "d1", "ana", 0), ("q1", "d1", "ben", 3)])
        judge(session, project_id, [("q2", "d1", "ana", 1), ("q2", "d1", "ben", 1)], kind="main")
        judge(session, project_id, [("q3", "d1", "zoe", 1), ("q3", "d1", "yan", 2)], kind="imported")
        assert gate_of(session, project, 1).evidence.agreement.pairs == 3
        judge(session, project_id, [("q1", "d1", "ana", 3), ("q1", "d1", "ben", None)], kind="main")
        found = gate_of(session, project, 1).evidence.agreement
        assert found.pairs == 3
        assert found.table[3, 3] == 1
        grade_again(session, project_id, "q2", "d1", "ben", "broken")
        assert gate_of(session, project, 1).evidence.agreement.pairs == 2


def test_a_new_family_starts_with_nothing(cast: Cast) -> None:
    project_id = cast.project(cast.person("lea"))
    with cast.database.session(writes=True) as session:
        project = session.get_one(Project, project_id)
        assert current_family(session, project_id) is None
        with pytest.raises(NotThere, match="family 1"):
            gate_of(session, project, 1)
        judge(session, project_id, both(2, 2))
        publish_rubric(session, project_id)
        assert current_family(session, project_id) == 2
        assert gate_of(session, project, 1).evidence.agreement.pairs == 4
        assert gate_of(session, project, 2).evidence.agreement.pairs == 0
        assert differing_pairs(session, project_id, 2) == []
