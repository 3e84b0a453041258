"""The command `adjudge`: on this machine's database (serve, people, token), and on a server by token (all the rest)."""

from app.cli.command import app
from app.cli.refusal import Refusal
from app.cli.terminal import report


def main() -> None:
    try:
        app()
    except Refusal as refusal:
        report(refusal)


__all__ = ["app", "main"]
