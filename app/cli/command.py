"""Which commands there are."""

from app.cli import (
    adjudicating,
    agreeing,
    comparing,
    judging,
    local,
    measuring,
    options,
    pooling,
    preparing,
    releasing,
    rounds,
    rubrics,
)
from app.cli.options import Commands

app = Commands(
    name="adjudge",
    help="Relevance judgments that can be trusted: blind double judging, a kappa gate, releases, qrels and scores. "
    "Commands on a server read ADJUDGE_URL, ADJUDGE_TOKEN and ADJUDGE_PROJECT. "
    "Exit status: 0 done, 1 a rule says no, 2 bad input."
    "\n\nExample: adjudge measure judged.qrels bm25.run --gain exponential",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.callback(help=app.info.help)(options.about)
app.command()(local.serve)
app.command()(local.person)
app.command()(local.token)
app.command()(local.verify)
app.add_typer(preparing.project, name="project")
app.add_typer(rubrics.rubric, name="rubric")
app.command(name="import")(preparing.bring_in)
app.add_typer(preparing.pool, name="pool")
app.add_typer(rounds.round_, name="round")
app.add_typer(judging.gold, name="gold")
app.add_typer(judging.desk, name="desk")
app.command()(adjudicating.agreement)
app.command()(adjudicating.labellers)
app.add_typer(adjudicating.adjudication, name="adjudication")
app.add_typer(releasing.release, name="release")
app.command()(releasing.export)
app.command()(releasing.score)
app.command()(measuring.measure)
app.command()(agreeing.kappa)
app.command()(comparing.compare)
app.command()(comparing.plan)
preparing.pool.command("runs")(pooling.pool)
