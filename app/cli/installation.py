"""What the commands for whoever runs the installation do, on the database that the settings name."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import inspect, make_url, select

from app.cli.calls import refusals_told
from app.cli.refusal import Refusal
from app.cli.serving import serve_until_stopped
from app.cli.terminal import say, tell
from app.db import Database
from app.history.verifying import verify
from app.migrating import migrate
from app.people.queries import find_person
from app.people.signing_in import make_person, normal_email, renew_set_up_code
from app.projects.issuing import issue_token
from app.projects.queries import projects_of
from app.record.checking import Fault
from app.record.models import Chain
from app.settings import Settings
from app.words import plural


def serve(host: str | None, port: int | None) -> None:
    with refusals_told():
        asked = {"host": host or None, "port": port}
        settings = Settings().model_copy(update={name: value for name, value in asked.items() if value is not None})
        serve_until_stopped(settings, make_ready(settings))


def make_ready(settings: Settings) -> str | None:
    """Migrates the database; while nobody has an account, gives the code that makes the first one."""
    with migrated(settings) as database, database.session(writes=True) as session:
        return renew_set_up_code(session)


def make_account(email: str, name: str, password: str, *, is_admin: bool) -> None:
    with refusals_told(), migrated(Settings()) as database, database.session(writes=True) as session:
        made = make_person(session, email=email, name=name, password=password, is_admin=is_admin)
    say(f"{made.name} can sign in as {made.email}.")


def make_token(email: str, *, name: str, right: str, project_id: str | None) -> str:
    if project_id is None and right != "start":
        raise Refusal("A token to read or write is for one project.", "Say which: --project with its id.")
    with refusals_told():
        settings = Settings()
        with migrated(settings) as database, database.session(writes=True) as session:
            owner = find_person(session, normal_email(email))
            if owner is None:
                raise Refusal(f"Nobody has an account with {email}.", "Make one: adjudge person.")
            if right != "start" and project_id not in {project.id for project, _ in projects_of(session, owner)}:
                raise Refusal(
                    f"{owner.name} is in no project {project_id}.", "Its id stands in the address of its pages."
                )
            _, secret = issue_token(
                session, owner, name=name, right=right, project_id=project_id, days=settings.token_days
            )
    return secret


def check_record(*, as_json: bool) -> None:
    """Writes nothing, so it migrates nothing either. Refusal where anything is wrong, or there is no record."""
    with refusals_told():
        url = make_url(Settings().database_url)
        way_out = "Set DATABASE_URL to the database that serves, or start there: adjudge serve."
        if url.drivername.startswith("sqlite") and not Path(url.database or "").exists():
            raise Refusal(f"There is no database {url.database}.", way_out)
        database = Database(Settings().database_url)
        try:
            if not inspect(database.engine).has_table(Chain.__tablename__):
                raise Refusal("The database holds no record.", way_out)
            with database.session(writes=False) as session:
                faults = verify(session)
                chains = session.execute(select(Chain.id, Chain.acts, Chain.head).order_by(Chain.id)).all()
        finally:
            database.close()
    answer = {
        "is_whole": not faults,
        "faults": [fault._asdict() for fault in faults],
        "chains": [{"chain_id": chain_id, "acts": acts, "head": head} for chain_id, acts, head in chains],
    }
    acts = plural(sum(chain.acts for chain in chains), "act")
    whole = f"The record is whole: {acts} in {plural(len(chains), 'chain')}."
    tell(answer, as_json=as_json, lines=[in_words(fault) for fault in faults] or [whole])
    if faults:
        raise Refusal(
            f"The record is broken, first at {in_words(faults[0])}.", "Compare with a backup from before.", status=409
        )


def in_words(fault: Fault) -> str:
    act = "" if fault.number is None else f", act {fault.number}"
    return f"{fault.chain_id}{act}: {fault.sentence}"


@contextmanager
def migrated(settings: Settings) -> Iterator[Database]:
    database = Database(settings.database_url)
    try:
        migrate(database)
        yield database
    finally:
        database.close()
