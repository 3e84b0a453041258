"""Commands for whoever runs the installation: they work on the database that the settings name."""

import json
from typing import Annotated

import typer

from app.cli.calls import refusals_told
from app.db import Database
from app.migrating import migrate
from app.settings import Settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
) -> None:
    """Migrate the database and serve the web application.

    Example: DATABASE_URL=postgresql://localhost/adjudge adjudge serve --port 8080
    """
    from app.cli.serving import serve_until_stopped

    settings = Settings()
    with refusals_told():
        code = make_ready(settings)
        serve_until_stopped(settings, host or settings.host, settings.port if port is None else port, code)


def make_ready(settings: Settings) -> str | None:
    """Migrates the database; while nobody has an account, gives the code that makes the first one."""
    from app.people.signing_in import renew_set_up_code

    database = Database(settings.database_url)
    migrate(database)
    with database.session(writes=True) as session:
        code = renew_set_up_code(session)
    database.close()
    return code


def person(
    email: Annotated[str, typer.Argument(help="The email address to sign in with.")],
    name: Annotated[str, typer.Option(help="The name that colleagues know.")],
    password: Annotated[
        str, typer.Option(envvar="ADJUDGE_PASSWORD", prompt=True, hide_input=True, confirmation_prompt=True)
    ],
    admin: Annotated[bool, typer.Option(help="May look after people and start projects.")] = False,
) -> None:
    """Make an account on this machine's database.

    Example: ADJUDGE_PASSWORD='four quiet words together' adjudge person ana@example.org --name Ana --admin
    """
    from app.people.signing_in import make_person

    database = Database(Settings().database_url)
    migrate(database)
    with refusals_told(), database.session(writes=True) as session:
        made = make_person(session, email=email, name=name, password=password, is_admin=admin)
    database.close()
    print(f"{made.name} can sign in as {made.email}.")


def token(
    email: Annotated[str, typer.Argument(help="Whose token it is.")],
    right: Annotated[str, typer.Option(help="read, write, or start (only to start a project).")] = "write",
    project: Annotated[str | None, typer.Option(help="The project's id; not for start.")] = None,
    name: Annotated[str, typer.Option(help="What it is for.")] = "command line",
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Make an API token for somebody on this machine's database; it is shown this once.

    Example: adjudge token ana@example.org --right start
    """
    from app.people.queries import find_person
    from app.people.signing_in import normal_email
    from app.projects.issuing import issue_token

    settings = Settings()
    database = Database(settings.database_url)
    with refusals_told(), database.session(writes=True) as session:
        owner = find_person(session, normal_email(email))
        if owner is None:
            raise typer.BadParameter(f"nobody has an account with {email}")
        _, secret = issue_token(session, owner, name=name, right=right, project_id=project, days=settings.token_days)
    database.close()
    print(json.dumps({"token": secret}) if as_json else secret)
