"""The command `adjudge`: on this machine's database (serve, people, token), and on a server by token (all the rest)."""

import sys
import traceback

from app.cli.command import app
from app.cli.refusal import OWN_FAULT, Refusal
from app.cli.terminal import report


def main() -> None:
    """A fault of our own ends with a status that no rule has: 1 is a gate's no."""
    try:
        refuse_without_output()
        app()
    except Refusal as refusal:
        report(refusal)
    except Exception:  # noqa: BLE001 - Whatever it is, it must not end with 1.
        traceback.print_exc()
        sys.exit(OWN_FAULT)


def refuse_without_output() -> None:
    if sys.stdout is None:
        raise Refusal("There is nowhere to write the answer.", "Leave standard output open.")


__all__ = ["app", "main"]
