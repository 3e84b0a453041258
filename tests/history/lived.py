"""A project that people worked in, all of it by the API: what its history has to tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app.projects.models import Member
from app.web import API
from tests.make import LEVELS, PASSWORD, Cast

GRADES_FROM_ELSEWHERE = "labeller,qid,docno,grade\nnist,x1,d1,2\nfira,x1,d1,3\nnist,x1,d2,0\nfira,x1,d2,0\n"


@dataclass(frozen=True)
class Lived:
    """Ana leads, Ben and Cleo judge everything twice, Ana adjudicates and releases."""

    cast: Cast
    lead: str
    project: str

    @classmethod
    def make(cls, cast: Cast, *, queries: int = 3, documents: int = 8) -> "Lived":
        """A round that Ben and Cleo have graded, and grades from elsewhere; nothing decided or released yet."""
        lead = cast.person("ana")
        lived = cls(cast, lead, cast.project(lead))
        labellers = [cast.member(lived.project, cast.person(name), "labeller") for name in ("ben", "cleo")]
        lived.sent("ana", "PUT", "/rubric", {"levels": LEVELS, "threshold": 1})
        lived.sent("ana", "POST", "/rubric/publication", {})
        qids, docnos = [f"q{at}" for at in range(queries)], [f"d{at}" for at in range(documents)]
        lived.bring_in("queries", [f"{qid}\thow to do {qid}" for qid in qids])
        lived.bring_in("documents", [f'{{"id": "{docno}", "text": "All of {docno}."}}' for docno in docnos])
        for name, order in (("left", docnos), ("right", docnos[::-1])):
            ranked = [f"{qid} Q0 {docno} {at} {-at} {name}" for qid in qids for at, docno in enumerate(order, start=1)]
            lived.bring_in("runs", ranked)
        lived.sent("ana", "POST", "/pools", {"depth": documents})
        opened = lived.sent(
            "ana", "POST", "/rounds", {"kind": "agreement", "queries": queries, "labellers": labellers, "seed": 7}
        )
        asked = lived.sent("ben", "GET", "/assignments")[0]
        lived.sent("ben", "POST", f"/assignments/{asked['id']}/questions", {"text": "Does a link count?"})
        (question,) = lived.sent("ana", "GET", "/questions")
        lived.sent("ana", "POST", f"/questions/{question['id']}/answer", {"ruling": "No."})
        for name, shift in (("ben", 0), ("cleo", 1)):
            lived.grade_all(name, shift)
        lived.sent("ana", "POST", f"/rounds/{opened['id']}/closure", {})
        lived.bring_in("grades", [GRADES_FROM_ELSEWHERE.strip()], placeholders="make")
        return lived

    def finish(self) -> None:
        """A pair is decided, its decision undone and taken again, and a release leaves by a waiver."""
        pair = self.sent("ana", "GET", "/adjudication")["pairs"][0]["pair_id"]
        case = f"/adjudication/{pair}"
        self.sent("ana", "POST", f"{case}/blind", {"level": 1, "revision": 0})
        self.sent("ana", "POST", f"{case}/decision", {"level": 1, "reason": "It helps.", "revision": 1})
        self.sent("ana", "DELETE", f"{case}/decision?revision=2")
        self.sent("ana", "POST", f"{case}/decision", {"level": 2, "reason": "It helps.", "revision": 3})
        waiver = {"name": "Trial", "waiver_reason": "The trial ends today.", "password": PASSWORD}
        self.sent("ana", "POST", "/releases", waiver)

    def set_gold(self) -> None:
        """Two pairs, one of which is withdrawn again."""
        for docno, level in (("d1", 1), ("d2", 2)):
            self.sent("ana", "POST", "/gold", {"qid": "q1", "docno": docno, "level": level, "why": "It is plain."})
        gold = self.sent("ana", "GET", "/gold")
        self.sent("ana", "DELETE", f"/gold/{gold[0]['id']}")

    def grade_all(self, name: str, shift: int) -> None:
        for at, asked in enumerate(self.sent(name, "GET", "/assignments?limit=500")):
            self.grade(name, asked, (at + shift) % 4 if at % 3 else 1)

    def grade(self, name: str, asked: dict[str, Any], level: int) -> None:
        given = {"level": level, "rationale": f"Because of {level}.", "text_hash": asked["text_hash"]}
        path = f"/assignments/{asked['id']}/grades"
        self.sent(name, "POST", path, given | {"key": asked["key"], "revision": asked["revision"]})

    def bring_in(self, kind: str, lines: Sequence[str], **choices: str) -> None:
        script = self.cast.script(self.lead, self.project)
        files = {"file": (kind, "\n".join(lines).encode())}
        answer = script.post(f"{API}/projects/{self.project}/imports/{kind}", files=files, data=choices)
        assert answer.status_code == 200, answer.text

    def sent(self, name: str, method: str, path: str, content: Any = None) -> Any:
        with self.cast.database.session(writes=False) as session:
            theirs = select(Member.person_id).where(Member.project_id == self.project, Member.name == name)
            person = session.scalars(theirs).one()
        assert person is not None
        script = self.cast.script(person, self.project)
        answer = script.request(method, f"{API}/projects/{self.project}{path}", json=content)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None
