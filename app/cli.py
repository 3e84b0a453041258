"""The command `adjudge`."""

from typing import Annotated

import typer

from app.settings import Settings

app = typer.Typer(
    name="adjudge",
    help="Relevance judgments that can be trusted: blind double judging, a kappa gate, releases, qrels and scores.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def adjudge() -> None:
    """Makes a group of it: with a single command typer would leave out its name."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
) -> None:
    """Migrate the database and serve the web application.

    Example: DATABASE_URL=postgresql://localhost/adjudge adjudge serve --port 8080
    """
    import uvicorn

    settings = Settings()
    prepare(settings, host or settings.host, port if port is not None else settings.port)
    uvicorn.run(
        "app.main:serve_from_environment",
        factory=True,
        host=host or settings.host,
        port=port if port is not None else settings.port,
        server_header=False,
        access_log=False,
        log_level="warning",
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_graceful_shutdown=10,
    )


def prepare(settings: Settings, host: str, port: int) -> None:
    """Migrates, and while nobody has an account prints the address that makes the first one."""
    from app.db import Database
    from app.migrating import migrate
    from app.people.signing_in import renew_set_up_code

    database = Database(settings.database_url)
    migrate(database)
    with database.session(writes=True) as session:
        code = renew_set_up_code(session)
    database.close()
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    print(f"Adjudge serves {address}", flush=True)
    if code is not None:
        print(f"Make the first account here, once: {address}/set-up/{code}", flush=True)


def main() -> None:
    app()
