"""What the commands on a server have in common."""

from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")]
OPTIONS: dict[str, Any] = {"no_args_is_help": True, "pretty_exceptions_enable": False, "add_completion": False}


def group(purpose: str, *, example: str, **more: Any) -> typer.Typer:
    """Commands under one name, which has an example as each of them has."""
    return typer.Typer(help=f"{purpose}\n\nExample: {example}", **more, **OPTIONS)
