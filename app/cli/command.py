"""Which commands there are."""

import typer

from app.cli import local, remote

app = typer.Typer(
    name="adjudge",
    help="Relevance judgments that can be trusted: blind double judging, a kappa gate, releases, qrels and scores. "
    "Commands on a server read ADJUDGE_URL, ADJUDGE_TOKEN and ADJUDGE_PROJECT. "
    "Exit status: 0 done, 1 a rule says no, 2 bad input.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(local.serve)
app.command()(local.person)
app.command()(local.token)
app.add_typer(remote.project, name="project")
app.add_typer(remote.rubric, name="rubric")
app.command(name="import")(remote.bring_in)
app.add_typer(remote.pool, name="pool")
app.add_typer(remote.round_, name="round")
app.add_typer(remote.desk, name="desk")
app.command()(remote.agreement)
app.add_typer(remote.adjudication, name="adjudication")
app.add_typer(remote.release, name="release")
app.command()(remote.export)
app.command()(remote.score)
