"""A list of pairs as a pool of its own."""

from sqlalchemy.orm import Session

from app.corpora.choices import DELIMITER, HAS_HEADER, Choice
from app.corpora.kinds import Findings, Incoming, Kind
from app.corpora.outside_ids import NamedQueries, first_lines, makes_placeholders, report_unknown
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
    findings, queries = Findings(), NamedQueries.of(session, incoming.project)
    pooled: dict[str, dict[str, int]] = {}

    def count_repeat(_line: int, _first: int) -> None:
        findings.same += 1

    with incoming.opened() as file:
        for line in read_pairs(file, incoming.name, on_repeat=count_repeat, **incoming.reading):
            qid = queries.qid_of(incoming, findings, line.qid, line.line)
            if qid is not None:
                findings.same += line.docno in pooled.get(qid, {})
                pooled.setdefault(qid, {}).setdefault(line.docno, line.line)
    findings.new = sum(len(docnos) for docnos in pooled.values())
    report_missing(session, incoming, findings, pooled)
    queries.tell(findings)
    if writes and not findings.problems:
        pairs = {qid: list(docnos) for qid, docnos in pooled.items()}
        pool = make_pool(session, incoming.project, incoming.person.id, pairs, source="pairs")
        findings.notes.append(f"They are pool {pool.number}.")
        findings.see = "/pool"
    return findings


def report_missing(session: Session, incoming: Incoming, findings: Findings, pooled: dict[str, dict[str, int]]) -> None:
    """Ids that the project does not have; placeholders stand for documents only."""
    qids = {qid: min(docnos.values()) for qid, docnos in pooled.items()}
    way_out = "Bring in the queries first, or correct the id."
    report_unknown(session, incoming, findings, "query", qids, way_out=way_out, makes=False)
    docnos = first_lines(pair for docnos in pooled.values() for pair in docnos.items())
    way_out, makes = "Bring in the documents first, or choose to make placeholders.", makes_placeholders(incoming)
    missing = report_unknown(session, incoming, findings, "document", docnos, way_out=way_out, makes=makes)
    findings.more["placeholders"] = missing
