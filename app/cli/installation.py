"""What the commands for whoever runs the installation do, on the database that the settings name."""

import typer

from app.cli.calls import refusals_told
from app.cli.serving import serve_until_stopped
from app.db import Database
from app.migrating import migrate
from app.people.queries import find_person
from app.people.signing_in import make_person, normal_email, renew_set_up_code
from app.projects.issuing import issue_token
from app.settings import Settings


def serve(host: str | None, port: int | None) -> None:
    settings = Settings()
    with refusals_told():
        serve_until_stopped(
            settings, host or settings.host, settings.port if port is None else port, make_ready(settings)
        )


def make_ready(settings: Settings) -> str | None:
    """Migrates the database; while nobody has an account, gives the code that makes the first one."""
    database = Database(settings.database_url)
    migrate(database)
    with database.session(writes=True) as session:
        code = renew_set_up_code(session)
    database.close()
    return code


def make_account(email: str, name: str, password: str, *, is_admin: bool) -> None:
    database = Database(Settings().database_url)
    migrate(database)
    with refusals_told(), database.session(writes=True) as session:
        made = make_person(session, email=email, name=name, password=password, is_admin=is_admin)
    database.close()
    print(f"{made.name} can sign in as {made.email}.")


def make_token(email: str, *, name: str, right: str, project_id: str | None) -> str:
    settings = Settings()
    database = Database(settings.database_url)
    with refusals_told(), database.session(writes=True) as session:
        owner = find_person(session, normal_email(email))
        if owner is None:
            raise typer.BadParameter(f"nobody has an account with {email}")
        _, secret = issue_token(session, owner, name=name, right=right, project_id=project_id, days=settings.token_days)
    database.close()
    return secret
