"""`verify` finds whatever was changed behind the application's back, and nothing where nothing was."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from time import process_time
from typing import Any

import pytest
from sqlalchemy import ColumnElement, Connection, Row, Table, delete, insert, select, text, update
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from app.db import Base, Database, UtcTime, now
from app.history.verifying import faults_of, verify
from app.judging.models import PURPOSES
from app.judging.sealing import OF_THE_GRADE
from app.record.checking import Fault, check_chains
from app.record.keeping import begin_chain, link, moment_of, record
from app.record.models import INSTALLATION, Act
from tests.history.lived import Lived
from tests.make import Cast

SEED = 20261130
EDITS = 1000


@pytest.fixture
def lived(cast: Cast) -> Lived:
    lived = Lived.make(cast)
    lived.set_gold()
    lived.finish()
    return lived


def sentences(database: Database) -> list[str]:
    with database.session(writes=False) as session:
        return [f"{fault.number}: {fault.sentence}" for fault in verify(session)]


def test_a_life_that_nobody_tampered_with_is_whole(lived: Lived) -> None:
    assert sentences(lived.cast.database) == []
    with lived.cast.database.session(writes=False) as session:
        verbs = set(session.scalars(select(Act.verb).where(Act.chain_id == lived.project)))
    assert {"grade given", "round imported", "pair decided", "waiver signed", "release frozen"} <= verbs


def test_every_column_of_a_grade_is_sealed() -> None:
    assert {*OF_THE_GRADE, "given_at", "project_id"} == set(GRADE.c.keys())


# A thousand edits


ACT, CHAIN, GRADE, DECISION = (Base.metadata.tables[name] for name in ("act", "chain", "grade", "decision"))
SEALED = [
    Base.metadata.tables[name]
    for name in (
        *("project", "member", "rubric", "level", "query", "document", "run", "ranking", "pair", "pool", "pool_pair"),
        *("round", "deal", "assignment", "gold", "release", "judgment", "ruling"),
    )
]
"""Beside grades and decisions: what acts hold seals of, or what has its hash in something sealed."""
OPEN = {"member.name", "level.id", "assignment.set_aside"}
"""Columns whose change is no fault: a name may be erased, nothing refers to a level's id, and how often a labeller put
a pair off moves it only in their own order.
"""
Edit = Callable[[Connection, random.Random], str]
"""Changes something, and says what."""


def change_a_field(connection: Connection, chance: random.Random) -> str:
    return change_one_of([ACT, GRADE, DECISION, CHAIN, *SEALED], connection, chance)


def change_one_of(tables: Sequence[Table], connection: Connection, chance: random.Random) -> str:
    table = chance.choice(tables)
    columns = [column for column in table.c if str(column) not in OPEN]
    row, column = any_row(connection, chance, table), chance.choice(columns)
    old = row._mapping[column]
    new = now() if old is None and isinstance(column.type, UtcTime) else other_than(old, chance)
    if column.name == "purpose":
        new = chance.choice([each for each in PURPOSES if each != old])
    connection.execute(update(table).where(*is_row(table, row)).values({column.name: new}))
    return f"{column}: {old!r} became {new!r}"


def delete_a_row(connection: Connection, chance: random.Random) -> str:
    return delete_one_of([ACT, GRADE, DECISION, CHAIN, *SEALED], connection, chance)


def delete_one_of(tables: Sequence[Table], connection: Connection, chance: random.Random) -> str:
    table = chance.choice(tables)
    row = any_row(connection, chance, table)
    connection.execute(delete(table).where(*is_row(table, row)))
    return f"{table} lost {row}"


def swap_two_acts(connection: Connection, chance: random.Random) -> str:
    """Each takes the place of the other, with all that it says."""
    one, other = chance.sample(acts_of_the_project(connection), 2)
    for at, content in ((one, other), (other, one)):
        said = {name: value for name, value in content._mapping.items() if name not in ("chain_id", "number")}
        connection.execute(update(ACT).where(*is_row(ACT, at)).values(said))
    return f"acts {one.number} and {other.number} changed places"


def swap_two_grades(connection: Connection, chance: random.Random) -> str:
    rows = connection.execute(select(GRADE).order_by(GRADE.c.assignment_id)).all()
    one, other = chance.sample(rows, 2)
    if one.level == other.level:
        return swap_two_grades(connection, chance)
    for at, content in ((one, other), (other, one)):
        connection.execute(update(GRADE).where(GRADE.c.id == at.id).values(level=content.level))
    return f"grades {one} and {other} changed their levels"


def put_in_an_act(connection: Connection, chance: random.Random) -> str:
    """With a hash that follows: only the head tells."""
    last = acts_of_the_project(connection)[-1]
    said = (last.chain_id, last.number + 1, moment_of(last.at), last.who, None, "round closed", '{"number":1}')
    columns = dict(zip(ACT.c.keys(), said, strict=False)) | {"at": last.at, "hash": link(last.hash, *said)}
    connection.execute(insert(ACT).values(columns))
    return f"an act more, {chance.random()}"


def put_in_a_grade(connection: Connection, chance: random.Random) -> str:
    row = any_row(connection, chance, GRADE)
    more = {"id": other_than(row.id, chance), "key": other_than(row.key, chance), "revision": row.revision + 1}
    connection.execute(insert(GRADE).values(dict(row._mapping) | more))
    return f"a grade more, {more}"


def cut_the_tail_off(connection: Connection, chance: random.Random) -> str:
    """The head is left, or moved to fit: then only the release and the grades tell."""
    rows = acts_of_the_project(connection)
    last = chance.choice(rows[:-1])
    connection.execute(delete(ACT).where(ACT.c.chain_id == last.chain_id, ACT.c.number > last.number))
    is_fitted = chance.random() < 0.5
    if is_fitted:
        fit = update(CHAIN).where(CHAIN.c.id == last.chain_id).values(acts=last.number, head=last.hash)
        connection.execute(fit)
    return f"the tail after act {last.number} is gone, {is_fitted=}"


KNOWN = (
    change_a_field,
    change_a_field,
    delete_a_row,
    swap_two_acts,
    swap_two_grades,
    put_in_an_act,
    put_in_a_grade,
    cut_the_tail_off,
)


def any_row(connection: Connection, chance: random.Random, table: Table) -> Row[*tuple[Any, ...]]:
    rows = connection.execute(select(table).order_by(*(column for column in table.primary_key))).all()
    return chance.choice(rows)


def is_row(table: Table, row: Row[*tuple[Any, ...]]) -> list[ColumnElement[bool]]:
    return [column == row._mapping[column] for column in table.primary_key]


def acts_of_the_project(connection: Connection) -> Sequence[Row[*tuple[Any, ...]]]:
    return connection.execute(select(ACT).where(ACT.c.chain_id != INSTALLATION).order_by(ACT.c.number)).all()


def other_than(value: Any, chance: random.Random) -> Any:
    """Another value that the column can hold: close to it, as a forger's would be, and sometimes nothing like it."""
    match value:
        case bool():
            other: Any = not value
        case None:
            other = chance.choice(["", "x", "other"])
        case int():
            other = value + chance.choice([-1, 1, 2, 7])
        case float():
            other = value + chance.choice([-0.125, 0.125])
        case datetime():
            other = value + timedelta(microseconds=chance.choice([-1, 1, 1_000_000]))
        case bytes() | memoryview():
            other = bytes(value)[:-1] + bytes([bytes(value)[-1] ^ 1])
        case dict():
            other = {**value, "more": "x"}
        case list():
            other = [*value, "x"]
        case _:
            at = chance.randrange(len(value)) if value else 0
            letter = chance.choice([each for each in "abc012" if each != value[at : at + 1]])
            other = chance.choice([value[:at] + letter + value[at + 1 :], value[:at] + letter + value[at:]])
    return other


@contextmanager
def unlocked(database: Database) -> Iterator[Connection]:
    """As whoever holds the file or the server can have it: without triggers and foreign keys. Nothing is kept."""
    with database.engine.connect() as connection:
        if database.is_sqlite:
            for name in connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
                connection.execute(text(f"DROP TRIGGER {name}"))
            connection.commit()
            driver: Any = connection.connection.driver_connection
            driver.execute("PRAGMA foreign_keys = OFF")
        else:
            connection.execute(text("SET session_replication_role = 'replica'"))
            connection.commit()
        yield connection
        connection.rollback()
        connection.invalidate()  # The next one to use it must find keys and triggers in force.


def tried(connection: Connection, chance: random.Random, edits: Sequence[Edit] = KNOWN) -> str:
    """An edit that the database takes; what it refuses, a level of no grade for one, is none."""
    while True:
        try:
            return chance.choice(edits)(connection, chance)
        except (IntegrityError, DataError):
            connection.rollback()


@pytest.mark.timeout(900)
def test_it_finds_a_thousand_of_a_thousand_edits(lived: Lived) -> None:
    """On the record and all that it seals: a field changed, a row deleted, two swapped, one put in, a tail cut off."""
    chance, missed = random.Random(SEED), []
    with unlocked(lived.cast.database) as connection:
        for _ in range(EDITS):
            done = tried(connection, chance)
            if not has_faults(connection):
                missed.append(done)
            connection.rollback()
        assert faults(connection) == []
    assert missed == [], f"seed {SEED}"


def has_faults(connection: Connection) -> bool:
    with Session(connection, join_transaction_mode="rollback_only") as session, closing(faults_of(session)) as found:
        return next(found, None) is not None


def faults(connection: Connection) -> list[Fault]:
    with Session(connection, join_transaction_mode="rollback_only") as session:
        return list(faults_of(session))


# What it says


FORGED = {
    "UPDATE act SET who = 'nobody' WHERE number = 5 AND chain_id <> 'installation'": "5: it is not what it was",
    "UPDATE act SET at = '2000-01-01 00:00:00' WHERE number = 6 AND chain_id <> 'installation'": "6: it is not what",
    "DELETE FROM act WHERE number = 5 AND chain_id <> 'installation'": "5: it is missing",
    "DELETE FROM chain WHERE id <> 'installation'": "None: the chain has acts and no head",
    "UPDATE chain SET acts = acts + 1": "it is missing, and so is all after it",
    "UPDATE chain SET acts = acts - 1": "it stands behind the chain's head",
    "UPDATE chain SET head = '0'": "the chain's head is not its hash",
    "UPDATE grade SET level = 3 WHERE origin = 'import' AND level = 0": ": at least one grade of round 2 is not",
    "UPDATE grade SET level = 3 WHERE origin = 'api' AND level = 0": ": grade ",
    "UPDATE assignment SET labeller_id = (SELECT id FROM member WHERE role = 'lead')"
    " WHERE id = (SELECT min(assignment_id) FROM grade WHERE origin = 'api')": ": grade ",
    "UPDATE decision SET level = 0 WHERE step = 'blind'": ": decision ",
    "DELETE FROM decision": ": decision ",
    "UPDATE release SET manifest = '{}'": ": the manifest of release 1 is not",
    "UPDATE release SET is_gated = true, waiver_reason = NULL": ": release 1 is not",
    "UPDATE release SET sha256 = '0'": ": release 1 is not",
    "DELETE FROM release": ": release 1 is not there any more",
    "UPDATE judgment SET grade = 3 - grade": ": the judgments of release 1 are not what was frozen",
    "DELETE FROM judgment WHERE docno = 'd1'": ": the judgments of release 1 are not what was frozen",
    "UPDATE judgment SET docno = 'd 1' WHERE docno = 'd1'": ": the judgments of release 1 are not what was frozen",
    "UPDATE level SET question = 'Is it good?' WHERE number = 1": ": the text of rubric version 1 is not",
    "DELETE FROM level WHERE number = 3": ": the text of rubric version 1 is not",
    "UPDATE rubric SET instructions = 'Be kind.'": ": rubric version 1 is not",
    "UPDATE rubric SET threshold = 2": ": rubric version 1 is not",
    "UPDATE rubric SET text_hash = '0'": ": rubric version 1 is not",
    "UPDATE rubric SET published_at = NULL, text_hash = NULL": ": rubric version 1 is not there any more",
    "UPDATE pair SET document_id = (SELECT id FROM document WHERE docno = 'd7')"
    " WHERE query_id = (SELECT id FROM query WHERE qid = 'x1')"
    " AND document_id = (SELECT id FROM document WHERE docno = 'd1')": ": at least one pair of pool 2 is not",
    "UPDATE document SET docno = 'd99' WHERE docno = 'd1'": ": at least one pair of pool 1 is not",
    "UPDATE query SET qid = 'q99' WHERE qid = 'q1'": ": at least one pair of pool 1 is not",
    "DELETE FROM pool_pair WHERE pair_id = (SELECT min(pair_id) FROM pool_pair)": ": at least one pair of pool ",
    "UPDATE pool SET depth = 1 WHERE source = 'runs'": ": pool 1 is not",
    "UPDATE project SET policy = 'exploratory'": ": what is settled about the project is not",
    "UPDATE project SET is_small_set = true": ": what is settled about the project is not",
    "UPDATE project SET primary_stands = true": ": what is settled about the project is not",
    "UPDATE project SET gain = 'linear'": ": what is settled about the project is not",
    "UPDATE project SET policy_frozen_at = NULL": ": what is settled about the project is not",
    "UPDATE gold SET level = 3": ": gold ",
    "DELETE FROM gold": ": gold ",
    "UPDATE document SET text = 'Other.' WHERE docno = 'd1'": "the text of document d1 is not what its hash says",
    "UPDATE document SET text_hash = '0' WHERE docno = 'd1'": "at least one document is not",
    "DELETE FROM document WHERE docno = 'd1'": "at least one document is not",
    "UPDATE query SET text = 'Other' WHERE qid = 'q1'": "at least one query is not",
    "DELETE FROM query": "at least one query is not there any more",
    "DELETE FROM ranking WHERE qid = 'q1'": ": at least one ranking of run left is not",
    "UPDATE run SET sha256 = '0' WHERE name = 'left'": ": run left is not",
    "DELETE FROM run": ": run ",
    "UPDATE round SET seed = 8 WHERE number = 1": ": round 1 is not",
    "UPDATE round SET closed_at = NULL WHERE number = 1": ": round 1 is not",
    "DELETE FROM round WHERE number = 1": ": round 1 is not there any more",
    "UPDATE member SET role = 'lead' WHERE name = 'ben'": ": the part in the project of ben is not",
    "UPDATE member SET is_machine = true WHERE name = 'nist'": ": the part in the project of nist is not",
    "UPDATE ruling SET text = 'Yes.'": ": ruling ",
    "UPDATE assignment SET purpose = 'gold' WHERE id = (SELECT min(id) FROM assignment)": ": who was dealt what in",
    "UPDATE deal SET seat = 3 - seat WHERE round_id = (SELECT id FROM round WHERE number = 1)": "dealt what in round 1",
    "UPDATE deal SET seat = 3 - seat WHERE round_id = (SELECT id FROM round WHERE number = 2)": "dealt what in round 2",
    "UPDATE deal SET query_id = (SELECT id FROM query WHERE qid = 'x1') WHERE id ="
    " (SELECT min(deal.id) FROM deal JOIN round ON round.id = round_id WHERE number = 1)": "dealt what in round 1 is",
    "DELETE FROM deal": ": who was dealt what in round 1 is not",
    "INSERT INTO deal (project_id, id, round_id, query_id, seat, place, purpose)"
    " SELECT project_id, '0', round_id, query_id, 3, 0, purpose FROM deal LIMIT 1": ": who was dealt what in round",
    "UPDATE assignment SET revision = 0 WHERE id = (SELECT min(assignment_id) FROM grade)": "counts another grade than",
    "UPDATE release SET record_number = 3": "3: release 1 left when the record ended with another act",
    "DELETE FROM project": "or its record, is not there any more",
}


def test_it_says_from_which_act_on_what_is_wrong(lived: Lived) -> None:
    with unlocked(lived.cast.database) as connection:
        missed = {}
        for forged, said in FORGED.items():
            connection.execute(text(forged))
            found = [f"{fault.number}: {fault.sentence}" for fault in faults(connection)]
            if not any(said in each for each in found):
                missed[forged] = found
            connection.rollback()
        assert missed == {}


def test_a_time_that_is_none_is_a_fault_and_no_failure(lived: Lived) -> None:
    if not lived.cast.database.is_sqlite:
        return  # PostgreSQL takes no such thing.
    with unlocked(lived.cast.database) as connection:
        connection.execute(text("UPDATE grade SET given_at = 'yesterday' WHERE origin = 'api'"))
        connection.execute(text("UPDATE act SET at = '' WHERE chain_id = 'installation' AND number = 1"))
        assert ("installation", 1, "it is not what it was when it was written") in faults(connection)


def test_ten_thousand_acts_are_checked_well_within_a_second(database: Database) -> None:
    with database.session(writes=True) as session:
        begin_chain(session, "long")
        for number in range(10_000):
            record(session, "long", "grade given", grade=f"g{number}", pair="p", level=number % 4, seal="0" * 64)
    with database.session(writes=False) as session:
        began = process_time()
        assert list(check_chains(session)) == []
        assert process_time() - began < 1
