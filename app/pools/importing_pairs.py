"""A list of pairs as a pool of its own."""

from sqlalchemy.orm import Session

from app.corpora.choices import DELIMITER, HAS_HEADER, Choice
from app.corpora.kinds import Findings, Incoming, Kind
from app.corpora.placeholders import find_documents, find_queries
from app.formats.pairs import read_pairs
from app.pools.drawing import make_pool
from app.pools.queries import count_pairs

PLACEHOLDERS = Choice(
    "placeholders",
    "Documents that the corpus does not have",
    "A placeholder can't be judged until its text is brought in.",
    options=(("refuse", "refuse the file"), ("make", "make placeholders")),
)
PAIRS = Kind(
    name="pairs",
    one="pair",
    many="pairs",
    about="What is to be judged, one query and one document a line, instead of a pool drawn from runs. Bringing it in "
    "makes a pool of exactly these pairs.",
    example="q1\td17\nq1\td4\nq2\td17",
    choices=lambda _session, _project: (PLACEHOLDERS, HAS_HEADER, DELIMITER),
    bring_in=lambda session, incoming, *, writes: bring_in_pairs(session, incoming, writes=writes),
    count=count_pairs,
    then=(("/pool", "See the pool"), ("/rounds", "Open a round")),
)


def bring_in_pairs(session: Session, incoming: Incoming, *, writes: bool) -> Findings:
    """Every line a pair; a repeated line counts as the same."""
    findings = Findings()
    pooled: dict[str, dict[str, int]] = {}

    def count_repeat(_line: int, _first: int) -> None:
        findings.same += 1

    with incoming.opened() as file:
        for line in read_pairs(file, incoming.name, on_repeat=count_repeat, **incoming.reading):
            pooled.setdefault(line.qid, {})[line.docno] = line.line
    findings.new = sum(len(docnos) for docnos in pooled.values())
    report_unknown_queries(session, incoming, findings, pooled)
    report_unknown_documents(session, incoming, findings, pooled)
    if writes and not findings.problems:
        pairs = {qid: list(docnos) for qid, docnos in pooled.items()}
        pool = make_pool(session, incoming.project, incoming.person.id, pairs, source="pairs")
        findings.notes.append(f"They are pool {pool.number}.")
        findings.see = "/pool"
    return findings


def report_unknown_queries(
    session: Session, incoming: Incoming, findings: Findings, pooled: dict[str, dict[str, int]]
) -> None:
    known = find_queries(session, incoming.project, pooled)
    for qid, docnos in pooled.items():
        if qid not in known:
            way_out = "Bring in the queries first, or correct the id."
            findings.report(incoming.problem(min(docnos.values()), f'there is no query "{qid}"', qid, way_out))


def report_unknown_documents(
    session: Session, incoming: Incoming, findings: Findings, pooled: dict[str, dict[str, int]]
) -> None:
    first_lines: dict[str, int] = {}
    for docnos in pooled.values():
        for docno, line in docnos.items():
            first_lines[docno] = min(line, first_lines.get(docno, line))
    known = find_documents(session, incoming.project, first_lines)
    unknown = {docno: line for docno, line in first_lines.items() if docno not in known}
    findings.more["placeholders"] = len(unknown)
    if incoming.chosen.get("placeholders") == "make":
        return
    for docno, line in sorted(unknown.items(), key=lambda each: each[1]):
        way_out = "Bring in the documents first, or choose to make placeholders."
        findings.report(incoming.problem(line, f'there is no document "{docno}"', docno, way_out))
