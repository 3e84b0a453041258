"""Judging that has happened: rubric, queries, documents, pool, round and grades, as the product stores them."""

import csv
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select, text
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query, shown_hash
from app.db import MANY_ROWS, Base, new_id, now
from app.judging.models import Assignment, Deal, Grade, Round
from app.pools.models import Pair, Pool, PoolPair
from app.projects.models import Member, Project
from app.rubrics.models import Level, Rubric

LEVELS = ("off topic", "context", "a step", "the answer")
Said = tuple[str, str, str, int | str | None]
"""qid, docno, labeller's name, and a level, a reason why not, or None for a pair that was asked and not answered."""


def publish_rubric(
    session: Session, project_id: str, *, levels: Sequence[str] = LEVELS, family: int | None = None
) -> Rubric:
    """The project's next version; `family` where it joins an older one."""
    number = len(session.scalars(select(Rubric.id).where(Rubric.project_id == project_id)).all()) + 1
    rubric = Rubric(project_id=project_id, number=number, family=family or number)
    session.add(rubric)
    session.flush()
    for place, name in enumerate(levels):
        question = f"Does it let the user do {name}?"
        session.add(Level(project_id=project_id, rubric_id=rubric.id, number=place, name=name, question=question))
    session.flush()
    rubric.text_hash, rubric.published_at = "0" * 64, now()
    session.flush()
    return rubric


def judge(
    session: Session,
    project_id: str,
    said: Sequence[Said],
    *,
    rubric: Rubric | None = None,
    kind: str = "agreement",
    is_open: bool = False,
    rationales: Mapping[tuple[str, str, str], str] | None = None,
) -> Round:
    """A round in which all this was said. What it names and the project lacks is made first: queries, documents, and
    labellers as outsiders without an account.
    """
    rubric = rubric or newest_rubric(session, project_id) or publish_rubric(session, project_id)
    queries = known(session, project_id, Query, "qid", [row[0] for row in said], lambda qid: {"text": f"what is {qid}"})
    documents = known(session, project_id, Document, "docno", [row[1] for row in said], document)
    members = known(session, project_id, Member, "name", [row[2] for row in said], lambda _: {"role": "labeller"})
    pairs = known_pairs(session, project_id, [(queries[row[0]], documents[row[1]]) for row in said])
    round_ = opened(session, project_id, rubric, kind)
    deals: dict[tuple[str, str], str] = {}
    stops: dict[tuple[str, str], int] = {}
    seats: Counter[str] = Counter()
    places: Counter[str] = Counter()
    rows: dict[type[Base], list[dict[str, Any]]] = {PoolPair: [], Deal: [], Assignment: [], Grade: []}
    of_round = {"project_id": project_id, "round_id": round_.id}
    for pair_id in dict.fromkeys(pairs[queries[qid], documents[docno]] for qid, docno, _, _ in said):
        rows[PoolPair].append({"project_id": project_id, "pool_id": round_.pool_id, "pair_id": pair_id})
    for qid, docno, name, answer in said:
        asked = {**of_round, "labeller_id": members[name]}
        if (qid, name) not in deals:
            deals[qid, name] = new_id()
            seats[qid] += 1
            deal = {"id": deals[qid, name], "query_id": queries[qid], "seat": seats[qid], "place": len(deals)}
            rows[Deal].append(asked | deal)
        pair_id, assignment_id = pairs[queries[qid], documents[docno]], new_id()
        stop = stops.setdefault((qid, name), places[name])
        place = {"pair_id": pair_id, "deal_id": deals[qid, name], "place": places[name], "stop": stop}
        places[name] += 1
        rows[Assignment].append(asked | place | {"id": assignment_id, "revision": int(answer is not None)})
        if answer is not None:
            rationale = (rationales or {}).get((qid, docno, name), "")
            rows[Grade].append(graded(project_id, assignment_id, rubric, answer, docno=docno, rationale=rationale))
    for table, all_rows in rows.items():
        if all_rows:
            session.execute(insert(table), all_rows)
    if len(said) >= MANY_ROWS and session.get_bind().dialect.name == "postgresql":
        # PostgreSQL has long taken stock where people gave so many grades: that takes them more than a minute.
        session.execute(text("ANALYZE pair, pool_pair, deal, assignment, grade"))
    round_.closed_at = None if is_open else now()
    session.flush()
    return round_


def grade_again(session: Session, project_id: str, qid: str, docno: str, name: str, answer: int | str) -> None:
    """The labeller goes back to the pair, in their newest round, and presses something else."""
    assignment = session.scalars(
        select(Assignment)
        .join(Round, Round.id == Assignment.round_id)
        .join(Pair, Pair.id == Assignment.pair_id)
        .join(Query, Query.id == Pair.query_id)
        .join(Document, Document.id == Pair.document_id)
        .join(Member, Member.id == Assignment.labeller_id)
        .where(Assignment.project_id == project_id, Query.qid == qid, Document.docno == docno, Member.name == name)
        .order_by(Round.number.desc())
    ).first()
    assert assignment is not None
    rubric = session.get_one(Rubric, (project_id, session.get_one(Round, (project_id, assignment.round_id)).rubric_id))
    assignment.revision += 1
    row = graded(project_id, assignment.id, rubric, answer, docno=docno, rationale="")
    session.execute(insert(Grade), [row | {"revision": assignment.revision}])


def newest_rubric(session: Session, project_id: str) -> Rubric | None:
    return session.scalar(select(Rubric).where(Rubric.project_id == project_id).order_by(Rubric.number.desc()).limit(1))


def opened(session: Session, project_id: str, rubric: Rubric, kind: str) -> Round:
    lead_id = session.get_one(Project, project_id).created_by_id
    number = len(session.scalars(select(Round.id).where(Round.project_id == project_id)).all()) + 1
    pools = len(session.scalars(select(Pool.id).where(Pool.project_id == project_id)).all())
    pool = Pool(
        project_id=project_id,
        id=new_id(),
        number=pools + 1,
        source="grades" if kind == "imported" else "pairs",
        run_names=[],
        drawn_by_id=lead_id,
    )
    round_ = Round(
        project_id=project_id,
        id=new_id(),
        number=number,
        kind=kind,
        rubric_id=rubric.id,
        pool_id=pool.id,
        seed=1,
        overlap=1.0,
        opened_by_id=lead_id,
    )
    session.add(pool)
    session.flush()
    session.add(round_)
    session.flush()
    return round_


def document(docno: str) -> dict[str, str]:
    title, text = f"About {docno}", f"All that {docno} has to say."
    return {"title": title, "text": text, "text_hash": shown_hash(title, text, "")}


def graded(
    project_id: str, assignment_id: str, rubric: Rubric, answer: int | str, *, docno: str, rationale: str
) -> dict[str, Any]:
    return {
        "project_id": project_id,
        "assignment_id": assignment_id,
        "revision": 1,
        "level": answer if isinstance(answer, int) else None,
        "reason": answer if isinstance(answer, str) else None,
        "rationale": rationale,
        "text_hash": document(docno)["text_hash"],
        "rubric_id": rubric.id,
        "key": secrets.token_hex(16),
        "origin": "api",
    }


def known(session: Session, project_id: str, table: Any, key: str, names: Sequence[str], more: Any) -> dict[str, str]:
    """Name → row id; what is not there yet is made."""
    rows = session.execute(select(getattr(table, key), table.id).where(table.project_id == project_id))
    ids: dict[str, str] = {name: id_ for name, id_ in rows}  # noqa: C416 - mypy does not take rows for tuples.
    fresh = [
        {"project_id": project_id, "id": new_id(), key: name, **more(name)}
        for name in dict.fromkeys(names)
        if name not in ids
    ]
    if fresh:
        session.execute(insert(table), fresh)
    return ids | {row[key]: row["id"] for row in fresh}


def known_pairs(session: Session, project_id: str, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    rows = session.execute(select(Pair.query_id, Pair.document_id, Pair.id).where(Pair.project_id == project_id))
    ids = {(query_id, document_id): id_ for query_id, document_id, id_ in rows}
    fresh = [
        {"project_id": project_id, "id": new_id(), "query_id": query_id, "document_id": document_id}
        for query_id, document_id in dict.fromkeys(pairs)
        if (query_id, document_id) not in ids
    ]
    if fresh:
        session.execute(insert(Pair), fresh)
    return ids | {(row["query_id"], row["document_id"]): row["id"] for row in fresh}


# Real judging, replayed


def chorus(data: Path, *, queries: int = 40, raters: Sequence[int] = (1, 2)) -> list[Said]:
    """What the raters gave for the first queries of chorus-products."""
    topics = [line.split("\t") for line in (data / "chorus-products" / "topics.tsv").read_text().splitlines()]
    qids = {text: qid for qid, text in topics[:queries]}
    with (data / "chorus-products" / "Broad_Query_Set_individual_ratings.csv").open(newline="") as file:
        return [
            (qids[row["query"]], row["docid"], f"rater {rater}", int(row[f"agent_{rater}_rating"]))
            for row in csv.DictReader(file)
            if row["query"] in qids
            for rater in raters
        ]


def fira(data: Path) -> list[Said]:
    """Two independent gradings of the same 2,003 pairs, which do not agree."""
    with (data / "fira-dl19" / "double-judged.tsv").open(newline="") as file:
        return [
            (row["query_id"], row["docid"], name, int(row[name]))
            for row in csv.DictReader(file, delimiter="\t")
            for name in ("fira", "nist")
        ]
