"""Every address of the application, who may use it, and what it then answers: the table behind promise S1.

A new route is one line here, at the end of its slice:

    Route("GET", "/projects/{project_id}/rounds/{round_id}", LEADS)
    Route("POST", "/projects/{project_id}/rounds", LEADS, gives=303, send={"kind": "agreement"})
    Route("GET", f"{API}/projects/{{project_id}}/qrels", READERS, gives=409)
    Route("POST", "/projects/{project_id}/judging/{assignment_id}/grade", LABELLERS, is_own=True)

- The third word says who is let in: MEMBERS, LEADS, LABELLERS (and leads), READERS (and leads) of the project in the
  address, ADMINS, STARTERS (whoever may start a project), SIGNED_IN, TOKENS (any good token), START_TOKENS, PUBLIC.
  Write what the design says, not what the code does. Everybody else is expected at the door or told 404, by
  tests/test_access.py, which knows the actors.
- `gives` is the status for whoever is let in: unless said, 200 for a GET and 422 for the rest (an empty form is
  refused).
- `send` goes into the form of a page, into the JSON of the API; a function of the place, where it must name what was
  made. `query` is the part of the address after `?`.
- `given` makes what the project must hold before anybody asks: `given=make_rubric`.
- `is_own`: the object in the address belongs to whoever asks; for the same role's other people it is expected 404.
- A parameter in braces needs a maker in MAKERS: it makes the object in `place.project_id`, for `place.person_id` where
  it is somebody's own, and returns the id. It is called afresh for each actor, so a route may use its object up. An
  object made in another project must be 404. A word that is no row's id (`kind`) stands in FIXED.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import select

from app.agreement.adjudication_queries import differing_pairs
from app.corpora.placeholders import know_documents, know_queries
from app.db import new_id
from app.judging.models import Assignment, Deal, Question
from app.judging.planning import able_labellers
from app.people.models import Person, SignIn
from app.people.signing_in import hashed, open_sign_in
from app.projects.models import Project, Token
from app.rubrics.queries import published_rubric, required_rubric
from app.rubrics.templates import ACTION
from app.rubrics.writing import save_draft
from app.runs.models import Run
from app.web import API
from tests.agreement.judged import judge
from tests.make import PASSWORD, Cast


@dataclass(frozen=True)
class Audience:
    """Who is let in; `roles` for what stands in a project."""

    name: str
    roles: frozenset[str] = frozenset()


PUBLIC = Audience("everybody")
SIGNED_IN = Audience("whoever is signed in")
STARTERS = Audience("admins, and leads of any project")
ADMINS = Audience("admins")
TOKENS = Audience("whoever holds a good token")
START_TOKENS = Audience("whoever holds a token that may start projects")
MEMBERS = Audience("members", frozenset({"lead", "labeller", "reader"}))
LEADS = Audience("leads", frozenset({"lead"}))
LABELLERS = Audience("leads and labellers", frozenset({"lead", "labeller"}))
READERS = Audience("leads and readers", frozenset({"lead", "reader"}))


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    who: Audience
    gives: int = 0
    send: Mapping[str, Any] | Callable[["Place"], Mapping[str, Any]] = field(default_factory=dict)
    query: str = ""
    given: Callable[["Place"], object] | None = None
    is_own: bool = False

    @property
    def status(self) -> int:
        return self.gives or (200 if self.method == "GET" else 422)

    @property
    def is_api(self) -> bool:
        return self.path.startswith(f"{API}/")

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Place:
    """Where and for whom a maker makes."""

    cast: Cast
    project_id: str
    person_id: str


def make_sign_in(place: Place) -> str:
    with place.cast.database.session(writes=True) as session:
        secret = open_sign_in(session, session.get_one(Person, place.person_id), browser="another")
        return session.scalars(select(SignIn.id).where(SignIn.secret_hash == hashed(secret))).one()


def make_token(place: Place) -> str:
    secret = place.cast.token(place.person_id, place.project_id, "read")
    with place.cast.database.session(writes=False) as session:
        return session.scalars(select(Token.id).where(Token.secret_hash == hashed(secret))).one()


def make_person(place: Place) -> str:
    return place.cast.person(new_id())


def make_member(place: Place) -> str:
    return place.cast.member(place.project_id, make_person(place), "labeller")


def make_invitation(place: Place) -> str:
    """Into a project in which nobody who asks takes part."""
    return place.cast.invitation(place.cast.project(make_person(place)))[1]


def new_account(_place: Place) -> Mapping[str, str]:
    name = new_id()
    return {"email": f"{name}@example.org", "name": name, "password": PASSWORD}


def make_upload(place: Place) -> str:
    """Queries that were handed in and wait for a lead's word."""
    with place.cast.database.session(writes=False) as session:
        lead_id = session.get_one(Project, place.project_id).created_by_id
    form = f"/projects/{place.project_id}/imports/queries"
    answer = place.cast.browser(lead_id).post(form, data={"text": "q1\tred shoes\n"})
    return answer.headers["location"].rpartition("/")[2].partition("?")[0]


def make_query(place: Place) -> str:
    with place.cast.database.session(writes=True) as session:
        qid = new_id()
        return know_queries(session, session.get_one(Project, place.project_id), [qid])[qid]


def make_document(place: Place) -> str:
    with place.cast.database.session(writes=True) as session:
        docno = new_id()
        return know_documents(session, session.get_one(Project, place.project_id), [docno])[0][docno]


def make_rubric(place: Place) -> str:
    return place.cast.rubric(place.project_id, instructions=new_id())


def make_draft(place: Place) -> None:
    """A draft of a template's, with a query and a document to pick an example from."""
    make_query(place)
    make_document(place)
    with place.cast.database.session(writes=True) as session:
        save_draft(session, session.get_one(Project, place.project_id), ACTION.text)


def make_round(place: Place) -> str:
    """An open main round of one pair, dealt to the person of the place, or to the first lead where they can't label."""
    cast = place.cast
    with cast.database.session(writes=False) as session:
        project = session.get_one(Project, place.project_id)
        able = {member.person_id: member.id for member in able_labellers(session, project)}
        labeller = able.get(place.person_id) or able[project.created_by_id]
        has_rubric = published_rubric(session, project.id) is not None
    if not has_rubric:
        cast.rubric(place.project_id)
    pool = cast.pool(place.project_id, {new_id(): [new_id()]})
    return cast.round(place.project_id, pool, [labeller], kind="main", overlap=0.0, is_warned=True)


def make_assignment(place: Place) -> str:
    round_id = make_round(place)
    with place.cast.database.session(writes=False) as session:
        return session.scalars(select(Assignment.id).where(Assignment.round_id == round_id)).one()


def make_deal(place: Place) -> str:
    round_id = make_round(place)
    with place.cast.database.session(writes=False) as session:
        return session.scalars(select(Deal.id).where(Deal.round_id == round_id)).one()


def make_gold(place: Place) -> str:
    docno = new_id()
    make_rubric(place)
    place.cast.pool(place.project_id, {"q1": [docno]})
    lead_id = make_other_lead(place)
    gold = {"qid": "q1", "docno": docno, "level": 1, "why": "It says so."}
    answer = place.cast.script(lead_id, place.project_id).post(f"{API}/projects/{place.project_id}/gold", json=gold)
    return str(answer.json()["id"])


def make_release(place: Place) -> str:
    """Reference qrels, which need neither rubric nor gate."""
    return bring_in(place, "qrels", f"q1 0 {new_id()} 1\n").removeprefix("/releases/")


def make_run(place: Place) -> str:
    """One that answers the query of `make_release`."""
    name = new_id()
    bring_in(place, "runs", f"q1 Q0 d1 1 1.0 {name}\n")
    with place.cast.database.session(writes=False) as session:
        return session.scalars(select(Run.id).where(Run.project_id == place.project_id, Run.name == name)).one()


def make_other_lead(place: Place) -> str:
    """Somebody who judges nothing: none who judges may do what tells of grades."""
    person_id = make_person(place)
    place.cast.member(place.project_id, person_id, "lead")
    return person_id


def bring_in(place: Place, kind: str, text: str) -> str:
    """Where what a script of a lead's brought in can be seen."""
    lead_id = make_other_lead(place)
    address = f"{API}/projects/{place.project_id}/imports/{kind}"
    answer = place.cast.script(lead_id, place.project_id).post(address, files={"file": (new_id(), text.encode())})
    return str(answer.json()["see"])


def make_pair(place: Place) -> str:
    """One on which two people outside differ."""
    docno = new_id()
    with place.cast.database.session(writes=True) as session:
        judge(session, place.project_id, [("q1", docno, "ann", 0), ("q1", docno, "bob", 3)])
        family = required_rubric(session, place.project_id).family
        differing = differing_pairs(session, place.project_id, family)
        return next(pair.pair_id for pair in differing if pair.docno == docno)


def wrong_sign_in(_place: Place) -> Mapping[str, str]:
    """Of an account of its own: ten wrong passwords shut the door for the eleventh."""
    return {"email": f"{new_id()}@example.org", "password": "wrong"}


def make_question(place: Place) -> str:
    """Of somebody who only labels: a lead with an open round sees less."""
    labeller = make_person(place)
    place.cast.member(place.project_id, labeller, "labeller")
    assignment_id = make_assignment(replace(place, person_id=labeller))
    with place.cast.database.session(writes=True) as session:
        question = Question(project_id=place.project_id, assignment_id=assignment_id, text="Does a link count?")
        session.add(question)
        session.flush()
        return question.id


MAKERS: Mapping[str, Callable[[Place], str]] = {
    "project_id": lambda place: place.project_id,
    "sign_in_id": make_sign_in,
    "token_id": make_token,
    "person_id": make_person,
    "member_id": make_member,
    "invitation_id": lambda place: place.cast.invitation(place.project_id)[0],
    "secret": make_invitation,
    "upload_id": make_upload,
    "query_id": make_query,
    "document_id": make_document,
    "round_id": make_round,
    "assignment_id": make_assignment,
    "deal_id": make_deal,
    "gold_id": make_gold,
    "release_id": make_release,
    "run_id": make_run,
    "pair_id": make_pair,
    "question_id": make_question,
    "rubric_id": make_rubric,
}
FIXED: Mapping[str, str] = {
    "code": "no-such-code",
    "kind_name": "queries",
}

MORE = {"queries": 1}
NOBODY = {"labeller": "nobody"}
BLIND = {"level": 1, "revision": 0}
ANSWER = {"ruling": "A link is not the page."}
DECISION = {"level": 1, "reason": "A passage was missed.", "revision": 0}

ROUTES: tuple[Route, ...] = (
    # The application
    Route("GET", f"{API}/openapi.json", PUBLIC),
    Route("GET", "/readyz", PUBLIC),
    # People
    Route("GET", "/set-up/{code}", PUBLIC, gives=404),
    Route("POST", "/set-up/{code}", PUBLIC, gives=404),
    Route("GET", "/sign-in", PUBLIC),
    Route("POST", "/sign-in", PUBLIC, send=wrong_sign_in),
    Route("POST", "/sign-out", SIGNED_IN, gives=303),
    Route("GET", "/password", SIGNED_IN),
    Route("POST", "/password", SIGNED_IN, gives=303, send={"password": PASSWORD}),
    Route("GET", "/account", SIGNED_IN),
    Route("POST", "/account/sign-ins/{sign_in_id}/end", SIGNED_IN, gives=303, is_own=True),
    Route("POST", "/account/name", SIGNED_IN),
    Route("POST", "/account/password", SIGNED_IN, send={"old": PASSWORD, "new": "short"}),
    # Projects
    Route("GET", "/", SIGNED_IN),
    Route("GET", "/projects/new", STARTERS),
    Route("POST", "/projects", STARTERS),
    Route("GET", "/projects/{project_id}", MEMBERS),
    Route("GET", "/projects/{project_id}/settings", LEADS),
    Route("POST", "/projects/{project_id}/settings", LEADS),
    Route("GET", "/projects/{project_id}/members", LEADS),
    Route("GET", "/projects/{project_id}/members/{member_id}", LEADS),
    Route("POST", "/projects/{project_id}/members/{member_id}", LEADS),
    Route("POST", "/projects/{project_id}/members/{member_id}/leave", LEADS, gives=303),
    Route("POST", "/projects/{project_id}/invitations", LEADS),
    Route("POST", "/projects/{project_id}/invitations/{invitation_id}/withdraw", LEADS, gives=303),
    Route("GET", "/invitations/{secret}", PUBLIC),
    Route("POST", "/invitations/{secret}", PUBLIC, send={"name": "x" * 101, "member_name": "x" * 101}),
    Route("GET", "/account/tokens", SIGNED_IN),
    Route("POST", "/account/tokens", SIGNED_IN),
    Route("POST", "/account/tokens/{token_id}/revoke", SIGNED_IN, gives=303, is_own=True),
    Route("GET", "/people", ADMINS),
    Route("POST", "/people/{person_id}/disable", ADMINS, gives=303),
    Route("POST", "/people/{person_id}/enable", ADMINS, gives=303),
    Route("GET", f"{API}/me", TOKENS),
    Route("GET", f"{API}/projects", TOKENS),
    Route("POST", f"{API}/projects", START_TOKENS),
    Route("GET", f"{API}/projects/{{project_id}}", MEMBERS),
    Route("PATCH", f"{API}/projects/{{project_id}}", LEADS, gives=200),
    Route("GET", f"{API}/projects/{{project_id}}/members", LEADS),
    Route("PATCH", f"{API}/projects/{{project_id}}/members/{{member_id}}", LEADS, send={"role": "king"}),
    Route("DELETE", f"{API}/projects/{{project_id}}/members/{{member_id}}", LEADS, gives=204),
    Route("GET", f"{API}/projects/{{project_id}}/invitations", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/invitations", LEADS),
    Route("DELETE", f"{API}/projects/{{project_id}}/invitations/{{invitation_id}}", LEADS, gives=204),
    Route("POST", f"{API}/invitations/{{secret}}", PUBLIC, gives=201, send=new_account),
    # Rubrics
    Route("GET", "/projects/{project_id}/rubric", MEMBERS),
    Route("GET", "/projects/{project_id}/rubric/draft", LEADS),
    Route("POST", "/projects/{project_id}/rubric/draft", LEADS),
    Route("POST", "/projects/{project_id}/rubric/draft/lint", LEADS, gives=200),
    Route("GET", "/projects/{project_id}/rubric/draft/examples", LEADS, query="level=0", given=make_draft),
    Route("POST", "/projects/{project_id}/rubric/draft/examples", LEADS),
    Route("GET", "/projects/{project_id}/rubric/draft/preview", LEADS, given=make_draft),
    Route("GET", f"{API}/projects/{{project_id}}/rubric/templates", MEMBERS),
    Route("GET", "/projects/{project_id}/rubric/versions", LEADS),
    Route("GET", "/projects/{project_id}/rubric/versions/{rubric_id}", MEMBERS),
    Route("GET", f"{API}/projects/{{project_id}}/rubrics", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/rubrics/diff", MEMBERS, query="old=1&new=1", given=make_rubric),
    Route("GET", f"{API}/projects/{{project_id}}/rubrics/{{rubric_id}}", MEMBERS),
    Route("GET", f"{API}/projects/{{project_id}}/rubric", MEMBERS, given=make_rubric),
    Route("PUT", f"{API}/projects/{{project_id}}/rubric", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/rubric/publication", LEADS, gives=409),
    # Corpora
    Route("GET", "/projects/{project_id}/corpus", LEADS),
    Route("GET", "/projects/{project_id}/corpus/queries", LEADS),
    Route("GET", "/projects/{project_id}/corpus/queries/{query_id}", LEADS),
    Route("GET", "/projects/{project_id}/corpus/documents", LEADS),
    Route("GET", "/projects/{project_id}/corpus/documents/{document_id}", LEADS),
    Route("GET", "/projects/{project_id}/imports/{kind_name}", LEADS),
    Route("POST", "/projects/{project_id}/imports/{kind_name}", LEADS),
    Route("GET", "/projects/{project_id}/imports/{kind_name}/{upload_id}", LEADS),
    Route("POST", "/projects/{project_id}/imports/{kind_name}/{upload_id}", LEADS, gives=303),
    Route("POST", "/projects/{project_id}/imports/{kind_name}/{upload_id}/drop", LEADS, gives=303),
    Route("GET", f"{API}/projects/{{project_id}}/imports/{{kind_name}}", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/imports/{{kind_name}}", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/corpus", LEADS),
    # pools
    Route("GET", "/projects/{project_id}/pool", LEADS),
    Route("POST", "/projects/{project_id}/pools", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/pool", LEADS, gives=409),
    Route("GET", f"{API}/projects/{{project_id}}/pools", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/pools", LEADS, gives=409),
    # Runs
    Route("GET", "/projects/{project_id}/runs", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/runs", LEADS),
    # Pools
    # Judging
    Route("GET", "/projects/{project_id}/desk", LABELLERS),
    Route("GET", "/projects/{project_id}/desk/ahead", LABELLERS, gives=303),
    Route("GET", "/projects/{project_id}/desk/{assignment_id}", LABELLERS, is_own=True),
    Route("POST", "/projects/{project_id}/judging/{assignment_id}/grade", LABELLERS, is_own=True),
    Route("POST", "/projects/{project_id}/judging/{assignment_id}/later", LABELLERS, gives=303, is_own=True),
    Route("POST", "/projects/{project_id}/judging/{assignment_id}/question", LABELLERS, is_own=True),
    Route("GET", "/projects/{project_id}/questions", LEADS, given=make_question),
    Route("POST", "/projects/{project_id}/questions/{question_id}/answer", LEADS, gives=303, send=ANSWER),
    Route("GET", "/projects/{project_id}/rulings", MEMBERS, given=make_rubric),
    Route("GET", "/projects/{project_id}/work", LABELLERS),
    Route("GET", "/projects/{project_id}/work/last", LABELLERS),
    Route("GET", "/projects/{project_id}/rounds", LEADS),
    Route("POST", "/projects/{project_id}/rounds", LEADS),
    Route("GET", "/projects/{project_id}/rounds/{round_id}", LEADS),
    Route("GET", "/projects/{project_id}/showing", LEADS),
    Route("POST", "/projects/{project_id}/showing", LEADS, gives=303),
    Route("GET", f"{API}/projects/{{project_id}}/showing", LEADS),
    Route("PUT", f"{API}/projects/{{project_id}}/showing", LEADS, gives=200),
    Route("GET", "/projects/{project_id}/gold", LEADS),
    Route("POST", "/projects/{project_id}/gold", LEADS, gives=409),
    Route("POST", "/projects/{project_id}/gold/{gold_id}/withdrawal", LEADS, gives=303),
    Route("GET", f"{API}/projects/{{project_id}}/gold", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/gold", LEADS),
    Route("DELETE", f"{API}/projects/{{project_id}}/gold/{{gold_id}}", LEADS, gives=204),
    Route("GET", "/projects/{project_id}/rounds/{round_id}/progress", LEADS),
    Route("GET", "/projects/{project_id}/rounds/{round_id}/assignments", LEADS, gives=409),
    Route("POST", "/projects/{project_id}/rounds/{round_id}/claims", LABELLERS, gives=409),
    Route("GET", "/projects/{project_id}/deals/{deal_id}", LEADS),
    Route("POST", "/projects/{project_id}/deals/{deal_id}/labeller", LEADS),
    Route("POST", "/projects/{project_id}/rounds/{round_id}/qualifications", LEADS),
    Route("POST", "/projects/{project_id}/rounds/{round_id}/experts", LEADS, gives=409),
    Route("POST", "/projects/{project_id}/rounds/{round_id}/queries", LEADS, gives=409),
    Route("POST", "/projects/{project_id}/rounds/{round_id}/closure", LEADS, gives=303),
    Route("POST", "/projects/{project_id}/rounds/{round_id}/reopening", LEADS, gives=303),
    Route("GET", f"{API}/projects/{{project_id}}/rounds", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/rounds", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/rounds/plan", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/rounds/{{round_id}}", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/rounds/{{round_id}}/claims", LABELLERS, gives=409),
    Route("POST", f"{API}/projects/{{project_id}}/deals/{{deal_id}}/labeller", LEADS, send=NOBODY),
    Route("GET", f"{API}/projects/{{project_id}}/rounds/{{round_id}}/assignments", LEADS, gives=409),
    Route("POST", f"{API}/projects/{{project_id}}/rounds/{{round_id}}/queries", LEADS, gives=409, send=MORE),
    Route("POST", f"{API}/projects/{{project_id}}/rounds/{{round_id}}/qualifications", LEADS, send=NOBODY),
    Route("POST", f"{API}/projects/{{project_id}}/rounds/{{round_id}}/experts", LEADS, gives=409, send=NOBODY),
    Route("POST", f"{API}/projects/{{project_id}}/rounds/{{round_id}}/closure", LEADS, gives=200),
    Route("DELETE", f"{API}/projects/{{project_id}}/rounds/{{round_id}}/closure", LEADS, gives=200),
    Route("GET", f"{API}/projects/{{project_id}}/assignments", LABELLERS),
    Route("GET", f"{API}/projects/{{project_id}}/assignments/{{assignment_id}}", LABELLERS, is_own=True),
    Route("POST", f"{API}/projects/{{project_id}}/assignments/{{assignment_id}}/grades", LABELLERS, is_own=True),
    Route("POST", f"{API}/projects/{{project_id}}/assignments/{{assignment_id}}/questions", LABELLERS, is_own=True),
    Route("GET", f"{API}/projects/{{project_id}}/questions", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/questions/{{question_id}}/answer", LEADS, gives=201, send=ANSWER),
    Route("GET", f"{API}/projects/{{project_id}}/rulings", MEMBERS),
    # Agreement
    Route("GET", "/projects/{project_id}/agreement", LEADS),
    Route("GET", "/projects/{project_id}/agreement/answer", LEADS, given=make_rubric),
    Route("GET", "/projects/{project_id}/agreement/runs", LEADS, given=make_rubric),
    Route("GET", "/projects/{project_id}/agreement/pairs", LEADS, query="apart=1", given=make_rubric),
    Route("GET", "/projects/{project_id}/labellers", LEADS, given=make_rubric),
    Route("GET", f"{API}/projects/{{project_id}}/labellers", LEADS, given=make_rubric),
    Route("GET", "/projects/{project_id}/adjudication", LEADS),
    Route("GET", "/projects/{project_id}/adjudication/next", LEADS, gives=303, given=make_rubric),
    Route("GET", "/projects/{project_id}/adjudication/{pair_id}", LEADS),
    Route("POST", "/projects/{project_id}/adjudication/{pair_id}/blind", LEADS, gives=303, send=BLIND),
    Route("POST", "/projects/{project_id}/adjudication/{pair_id}/decision", LEADS, gives=409, send=DECISION),
    Route("POST", "/projects/{project_id}/adjudication/{pair_id}/undoing", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/agreement", LEADS, given=make_rubric),
    Route("GET", f"{API}/projects/{{project_id}}/agreement/runs", LEADS, given=make_rubric, gives=404),
    Route("GET", f"{API}/projects/{{project_id}}/adjudication", LEADS, given=make_rubric),
    Route("GET", f"{API}/projects/{{project_id}}/adjudication/{{pair_id}}", LEADS),
    Route("POST", f"{API}/projects/{{project_id}}/adjudication/{{pair_id}}/blind", LEADS, gives=201, send=BLIND),
    Route("POST", f"{API}/projects/{{project_id}}/adjudication/{{pair_id}}/decision", LEADS, gives=409, send=DECISION),
    Route(
        "DELETE",
        f"{API}/projects/{{project_id}}/adjudication/{{pair_id}}/decision",
        LEADS,
        gives=409,
        query="revision=0",
    ),
    # Releases
    Route("GET", "/projects/{project_id}/releases", READERS),
    Route("POST", "/projects/{project_id}/releases", LEADS),
    Route("GET", "/projects/{project_id}/releases/{release_id}", READERS),
    Route("GET", "/projects/{project_id}/releases/{release_id}/qrels", READERS),
    Route("GET", "/projects/{project_id}/releases/{release_id}/manifest", READERS),
    Route("GET", f"{API}/projects/{{project_id}}/releases", READERS),
    Route("GET", f"{API}/projects/{{project_id}}/releases/conditions", READERS),
    Route("POST", f"{API}/projects/{{project_id}}/releases", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/releases/{{release_id}}", READERS),
    Route("GET", f"{API}/projects/{{project_id}}/releases/{{release_id}}/qrels", READERS),
    Route("GET", f"{API}/projects/{{project_id}}/releases/{{release_id}}/manifest", READERS),
    Route("GET", f"{API}/projects/{{project_id}}/qrels", READERS, gives=409),
    # Scoring
    Route("GET", "/projects/{project_id}/scores", READERS, given=make_release),
    Route("GET", "/projects/{project_id}/scores/{run_id}", READERS, given=make_release),
    Route("GET", f"{API}/projects/{{project_id}}/scores", READERS, given=make_release),
    # History
    Route("GET", "/projects/{project_id}/history", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/history", LEADS),
    Route("GET", "/projects/{project_id}/history/record", LEADS),
    Route("GET", f"{API}/projects/{{project_id}}/history/record", LEADS),
)
