"""Commands for whoever runs the installation: they work on the database that the settings name.

What they do is imported when they run: the commands on a server would wait a second for what they never use.
"""

import json
from pathlib import Path
from typing import Annotated

import typer


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
) -> None:
    """Migrate the database and serve the web application.

    Example: DATABASE_URL=postgresql://localhost/adjudge adjudge serve --port 8080
    """
    from app.cli import installation

    installation.serve(host, port)


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
    from app.cli import installation

    installation.make_account(email, name, password, is_admin=admin)


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
    from app.cli import installation

    secret = installation.make_token(email, name=name, right=right, project_id=project)
    print(json.dumps({"token": secret}) if as_json else secret)


def verify(
    record: Annotated[
        Path | None, typer.Argument(help="A record that was exported; without it, the database is checked.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="A release’s manifest: its act must be in the record as it was then.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Check that the record of who did what is whole, and that what it seals is as it was then.

    Sealed are grades, decisions, rulings, releases with every judgment, published rubrics, gold, rounds, pools and
    their pairs, who was dealt what in each round, runs and rankings, queries, documents, what the project settled
    (policy, gain) and members' roles. Not covered: names of members, accounts and tokens, drafts, questions.

    Of a record that left as a file, and of which there is no database here, only the chain of its acts is checked. Exit
    status 1 where any of that was changed behind the application's back: it names what, or the first act that is wrong.
    Whoever can write to the database and makes the whole chain anew is found only by a manifest or a record that left
    before.

    Example: DATABASE_URL=postgresql://localhost/adjudge adjudge verify

    Example: adjudge verify record.jsonl --manifest developer-help-release-1.manifest.json
    """
    if record is None and manifest is None:
        from app.cli import installation

        installation.check_record(as_json=as_json)
        return
    from app.cli import recorded

    recorded.check_record_file(record, manifest, as_json=as_json)
