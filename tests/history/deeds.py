"""What each unsafe route leaves in the record when it does what it was asked: a line for every one of tests/routes.py.

A new route is a line here, too: the acts that it leaves, in the order of chains (a project's before the
installation's, as they come), or a sentence that says why it leaves none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from app.corpora.models import Document
from app.judging.closing import close_round
from app.judging.keys import new_key
from app.judging.models import Assignment, Round
from app.judging.planning import able_labellers
from app.people.models import Person
from app.people.signing_in import disable
from app.pools.models import Pair
from app.projects.models import Member, Project, Right
from app.rubrics.models import EXPERTISE
from app.web import API
from tests.agreement.judged import judge
from tests.make import LEVELS, PASSWORD
from tests.routes import (
    Place,
    bring_in,
    make_assignment,
    make_document,
    make_draft,
    make_pair,
    make_person,
    make_query,
    make_round,
    make_rubric,
    make_run,
    make_upload,
    new_account,
)

Form = Mapping[str, Any]
Ids = Mapping[str, str]


@dataclass(frozen=True)
class Deed:
    """`leaves`: the verbs. `send`: the form, or what makes it. `made`: makes what the deed is done to, and gives ids of
    the address that tests/routes.py would make otherwise, and more of the form. `who` in the world of tests/access.py.
    """

    leaves: tuple[str, ...]
    send: Form | Callable[[Place], Form] = field(default_factory=dict)
    made: Callable[[Place], tuple[Ids, Form]] = lambda _place: ({}, {})
    who: str = "lead"
    right: Right = "write"
    file: bytes | None = None
    query: str = ""


def draft(place: Place) -> tuple[Ids, Form]:
    make_draft(place)
    return {}, {}


def an_example(place: Place) -> tuple[Ids, Form]:
    make_draft(place)
    picked = {"query_id": make_query(place), "document_id": make_document(place)}
    return {}, {"level": "1", "kind": "examples", "why": "It says how.", **picked}


def runs_to_draw_from(place: Place) -> tuple[Ids, Form]:
    bring_in(place, "queries", "q1\tred shoes\n")
    bring_in(place, "runs", "q1 Q0 d1 1 1.0 left\n")
    return {}, {}


def runs_to_choose(place: Place) -> tuple[Ids, Form]:
    bring_in(place, "queries", "q1\tred shoes\n")
    return {}, {"run": [make_run(place)]}


def a_pool_and_two_labellers(place: Place) -> tuple[Ids, Form]:
    make_rubric(place)
    pool = place.cast.pool(place.project_id, {"q1": ["d1"]})
    with place.cast.database.session(writes=False) as session:
        labellers = [each.id for each in able_labellers(session, session.get_one(Project, place.project_id))]
    return {}, {"kind": "agreement", "pool": pool, "queries": 1, "labellers": labellers}


def a_round_of_the_labeller(place: Place, *, is_closed: bool = False) -> tuple[Ids, Form]:
    with place.cast.database.session(writes=True) as session:
        labeller = session.scalars(
            select(Member.person_id).where(Member.project_id == place.project_id, Member.role == "labeller")
        ).first()
    assert labeller is not None
    round_id = make_round(Place(place.cast, place.project_id, labeller))
    if is_closed:
        with place.cast.database.session(writes=True) as session:
            close_round(session, session.get_one(Round, (place.project_id, round_id)))
    return {"round_id": round_id}, {}


def a_round_to_claim(place: Place) -> tuple[Ids, Form]:
    make_rubric(place)
    pool = place.cast.pool(place.project_id, {"q1": ["d1"]})
    more = {"kind": "main", "overlap": 0.0, "idle_minutes": 30, "is_warned": True}
    return {"round_id": place.cast.round(place.project_id, pool, [], **more)}, {}


GOLD = {"qid": "q1", "docno": "d1", "level": 1, "why": "It says so."}


def a_pair_to_set(place: Place) -> tuple[Ids, Form]:
    place.cast.rubric(place.project_id)
    place.cast.pool(place.project_id, {"q1": ["d1"]})
    return {}, {}


def a_round_to_widen(place: Place) -> tuple[Ids, Form]:
    _, wanted = a_pool_and_two_labellers(place)
    pool = place.cast.pool(place.project_id, {"q1": ["d1"], "q2": ["d2"]})
    return {"round_id": place.cast.round(place.project_id, pool, wanted["labellers"], queries=1)}, {}


def a_query_to_pass_on(place: Place) -> tuple[Ids, Form]:
    """From the lead to somebody new, who only labels."""
    person_id = make_person(place)
    return {}, {"labeller": place.cast.member(place.project_id, person_id, "labeller")}


def a_labeller_who_is_late(place: Place) -> tuple[Ids, Form]:
    with place.cast.database.session(writes=True) as session:
        judge(session, place.project_id, [("q1", "d1", "ann", 1), ("q1", "d1", "bob", 1)])
    ids = {"round_id": make_round(place)}
    return ids, a_query_to_pass_on(place)[1]


def a_pair_for_an_expert(place: Place) -> tuple[Ids, Form]:
    with place.cast.database.session(writes=True) as session:
        round_ = judge(session, place.project_id, [("q1", "d1", "ann", EXPERTISE)], is_open=True)
        ids = {"round_id": round_.id}
    return ids, a_query_to_pass_on(place)[1]


def the_same_by_form(place: Place) -> tuple[Ids, Form]:
    ids, form = a_pair_for_an_expert(place)
    return ids, {"expert": form["labeller"]}


def a_pair_to_grade(place: Place) -> tuple[Ids, Form]:
    assignment_id = make_assignment(place)
    with place.cast.database.session(writes=False) as session:
        asked = session.get_one(Assignment, (place.project_id, assignment_id))
        pair = session.get_one(Pair, (place.project_id, asked.pair_id))
        text_hash = session.get_one(Document, (place.project_id, pair.document_id)).text_hash
    return {"assignment_id": assignment_id}, {
        "level": 1,
        "key": new_key(text_hash),
        "revision": 0,
        "text_hash": text_hash,
    }


def a_case(*, decided: bool = False) -> Callable[[Place], tuple[Ids, Form]]:
    """A pair that the lead graded blind, and perhaps decided."""

    def make(place: Place) -> tuple[Ids, Form]:
        pair_id = make_pair(place)
        script = place.cast.script(place.person_id, place.project_id)
        case = f"{API}/projects/{place.project_id}/adjudication/{pair_id}"
        steps = {"blind": BLIND} | ({"decision": DECISION} if decided else {})
        for step, content in steps.items():
            assert script.post(f"{case}/{step}", json=content).is_success
        return {"pair_id": pair_id}, {}

    return make


def what_can_be_waived(place: Place) -> tuple[Ids, Form]:
    with place.cast.database.session(writes=True) as session:
        judge(session, place.project_id, [("q1", "d1", "ann", 1)])
    return {}, {}


def a_disabled_person(place: Place) -> tuple[Ids, Form]:
    person_id = make_person(place)
    with place.cast.database.session(writes=True) as session:
        disable(session, session.get_one(Person, person_id), by=session.get_one(Person, place.person_id))
    return {"person_id": person_id}, {}


def a_handed_in_file(place: Place) -> tuple[Ids, Form]:
    return {"upload_id": make_upload(place)}, {}


def sign_in_of(place: Place) -> Form:
    with place.cast.database.session(writes=False) as session:
        return {"email": session.get_one(Person, place.person_id).email, "password": PASSWORD}


BLIND = {"level": 1, "revision": 0}
DECISION = {"level": 1, "reason": "A passage was missed.", "revision": 1}
SCALE = {
    "threshold": "1",
    "name": ["Nothing", "Something"],
    "question": ["Are they where they were?", "Can they act?"],
    "not_this": ["", ""],
}
NEW_PROJECT = {"name": "Another", "gain": "linear", "gain_reason": "Partly helpful products count."}
INVITATION = {"role": "labeller", "note": "Ben"}
CHANGED_MEMBER = {"name": "Another name", "role": "reader"}
WAIVER = {"name": "Trial", "waiver_reason": "The trial ends today.", "password": PASSWORD}
WAIVED = ("waiver signed", "release frozen")
LEFT_A_FILE = "a file that waits for a lead's word has changed nothing in the project"

P, A = "/projects/{project_id}", f"{API}/projects/{{project_id}}"
DEEDS: dict[str, Deed | str] = {
    "POST /set-up/{code}": "it works once, while nobody has an account, and so has a test of its own",
    "POST /sign-in": Deed(("signed out", "signed in"), sign_in_of),
    "POST /sign-out": Deed(("signed out",)),
    "POST /password": "it changes nothing but when the password was last given, in the asker's own sign-in",
    "POST /account/sign-ins/{sign_in_id}/end": Deed(("signed out",)),
    "POST /account/name": Deed(("account renamed",), {"name": "Another name"}),
    "POST /account/password": Deed(("password changed",), {"old": PASSWORD, "new": "five quiet words together now"}),
    "POST /projects": Deed(("project started", "project started"), NEW_PROJECT),
    f"POST {P}/settings": Deed(("project changed",), {"name": "Another name", "policy": "strict"}),
    f"POST {P}/members/{{member_id}}": Deed(("role changed", "member renamed"), CHANGED_MEMBER),
    f"POST {P}/members/{{member_id}}/leave": Deed(("member left",)),
    f"POST {P}/invitations": Deed(("invitation made",), INVITATION),
    f"POST {P}/invitations/{{invitation_id}}/withdraw": Deed(("invitation withdrawn",)),
    "POST /invitations/{secret}": Deed(("member joined",), {"member_name": "Another name"}),
    "POST /account/tokens": Deed(
        ("token made",), lambda place: {"name": "scores", "right": "read", "project_id": place.project_id}
    ),
    "POST /account/tokens/{token_id}/revoke": Deed(("token revoked",)),
    "POST /people/{person_id}/disable": Deed(("account disabled",), who="admin"),
    "POST /people/{person_id}/enable": Deed(("account enabled",), made=a_disabled_person, who="admin"),
    f"POST {API}/projects": Deed(("project started", "token made", "project started"), NEW_PROJECT, right="start"),
    f"PATCH {A}": Deed(("project changed",), {"name": "Another name"}),
    f"PATCH {A}/members/{{member_id}}": Deed(("role changed", "member renamed"), CHANGED_MEMBER),
    f"DELETE {A}/members/{{member_id}}": Deed(("member left",)),
    f"POST {A}/invitations": Deed(("invitation made",), INVITATION),
    f"DELETE {A}/invitations/{{invitation_id}}": Deed(("invitation withdrawn",)),
    f"POST {API}/invitations/{{secret}}": Deed(("member joined", "token made", "account made"), new_account),
    f"POST {P}/rubric/draft": Deed(
        ("rubric drafted", "gain chosen", "rubric published"),
        SCALE | {"do": "publish", "gain": "linear", "gain_reason": "Each step counts."},
    ),
    f"POST {P}/rubric/draft/examples": Deed(("rubric drafted",), made=an_example),
    f"POST {P}/rubric/draft/lint": "it only says what the lint finds",
    f"PUT {A}/rubric": Deed(("rubric drafted",), {"levels": LEVELS}),
    f"POST {A}/rubric/publication": Deed(("rubric published",), made=draft),
    f"POST {P}/imports/{{kind_name}}": LEFT_A_FILE,
    f"POST {P}/imports/{{kind_name}}/{{upload_id}}": Deed(("file brought in",), made=a_handed_in_file),
    f"POST {P}/imports/{{kind_name}}/{{upload_id}}/drop": LEFT_A_FILE,
    f"POST {A}/imports/{{kind_name}}": Deed(("file brought in",), file=b"q1\tred shoes\n"),
    f"POST {P}/pools": Deed(("pool drawn",), {"depth": 5, "placeholders": "make"}, runs_to_choose),
    f"POST {A}/pools": Deed(("pool drawn",), {"depth": 5, "placeholders": True}, runs_to_draw_from),
    f"POST {P}/judging/{{assignment_id}}/grade": Deed(("grade given",), made=a_pair_to_grade),
    f"POST {P}/judging/{{assignment_id}}/later": "it changes only in which order one labeller sees their own pairs",
    f"POST {P}/rounds/{{round_id}}/claims": Deed(("query taken",), made=a_round_to_claim, who="labeller"),
    f"POST {A}/rounds/{{round_id}}/claims": Deed(("query taken",), made=a_round_to_claim, who="labeller"),
    f"POST {P}/deals/{{deal_id}}/labeller": Deed(
        ("query returned", "query passed on", "query taken"), made=a_query_to_pass_on
    ),
    f"POST {A}/deals/{{deal_id}}/labeller": Deed(
        ("query returned", "query passed on", "query taken"), made=a_query_to_pass_on
    ),
    f"POST {P}/rounds/{{round_id}}/qualifications": Deed(("queries added",), made=a_labeller_who_is_late),
    f"POST {A}/rounds/{{round_id}}/qualifications": Deed(("queries added",), made=a_labeller_who_is_late),
    f"POST {P}/rounds/{{round_id}}/experts": Deed(("queries added",), made=the_same_by_form),
    f"POST {A}/rounds/{{round_id}}/experts": Deed(("queries added",), made=a_pair_for_an_expert),
    f"POST {P}/judging/{{assignment_id}}/question": Deed(("question asked",), {"question": "Does a link count?"}),
    f"POST {A}/assignments/{{assignment_id}}/questions": Deed(("question asked",), {"text": "Does a link count?"}),
    f"POST {P}/questions/{{question_id}}/answer": Deed(("ruling given",), {"ruling": "No."}),
    f"POST {A}/questions/{{question_id}}/answer": Deed(("ruling given",), {"ruling": "No."}),
    f"POST {P}/rounds": Deed(("round opened",), made=a_pool_and_two_labellers),
    f"POST {P}/rounds/{{round_id}}/closure": Deed(("round closed",), made=a_round_of_the_labeller),
    f"POST {P}/rounds/{{round_id}}/reopening": Deed(
        ("round reopened",), made=lambda place: a_round_of_the_labeller(place, is_closed=True)
    ),
    f"POST {P}/rounds/{{round_id}}/queries": Deed(("round widened",), {"more": "1"}, a_round_to_widen),
    f"POST {A}/rounds/{{round_id}}/queries": Deed(("round widened",), {"queries": 1}, a_round_to_widen),
    f"POST {P}/showing": Deed(("showing chosen",), {"hosts": "images.shop.example"}),
    f"PUT {A}/showing": Deed(("showing chosen",), {"hosts": ["images.shop.example"]}),
    f"POST {P}/gold": Deed(("gold set",), GOLD, a_pair_to_set),
    f"POST {A}/gold": Deed(("gold set",), GOLD, a_pair_to_set),
    f"POST {P}/gold/{{gold_id}}/withdrawal": Deed(("gold withdrawn",)),
    f"DELETE {A}/gold/{{gold_id}}": Deed(("gold withdrawn",)),
    f"POST {A}/rounds/plan": "it only says what a round would be",
    f"POST {A}/rounds": Deed(("round opened",), made=a_pool_and_two_labellers),
    f"POST {A}/rounds/{{round_id}}/closure": Deed(("round closed",), made=a_round_of_the_labeller),
    f"DELETE {A}/rounds/{{round_id}}/closure": Deed(
        ("round reopened",), made=lambda place: a_round_of_the_labeller(place, is_closed=True)
    ),
    f"POST {A}/assignments/{{assignment_id}}/grades": Deed(("grade given",), made=a_pair_to_grade),
    f"POST {P}/adjudication/{{pair_id}}/blind": Deed(("pair graded blind",), BLIND),
    f"POST {P}/adjudication/{{pair_id}}/decision": Deed(("pair decided",), DECISION, a_case()),
    f"POST {P}/adjudication/{{pair_id}}/undoing": Deed(("decision undone",), {"revision": 2}, a_case(decided=True)),
    f"POST {A}/adjudication/{{pair_id}}/blind": Deed(("pair graded blind",), BLIND),
    f"POST {A}/adjudication/{{pair_id}}/decision": Deed(("pair decided",), DECISION, a_case()),
    f"DELETE {A}/adjudication/{{pair_id}}/decision": Deed(
        ("decision undone",), made=a_case(decided=True), query="revision=2"
    ),
    f"POST {P}/releases": Deed(WAIVED, WAIVER | {"waiver": "yes"}, what_can_be_waived),
    f"POST {A}/releases": Deed(WAIVED, WAIVER, what_can_be_waived),
}
