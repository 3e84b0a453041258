"""What the commands on a server have in common."""

from collections import Counter
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

AsJson = Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")]
OPTIONS: dict[str, Any] = {"no_args_is_help": True, "pretty_exceptions_enable": False, "add_completion": False}


def tell_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        typer.echo(f"adjudge {version('adjudge')}")
        raise typer.Exit


def about(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=tell_version, is_eager=True)
    ] = False,
) -> None:
    """What stands before every command."""


class Once(TyperCommand):
    """An option that holds one value is given once: of two values the last would win, and the other be lost unsaid. And
    a number is none with the underscores that Python would pass over, reading 1_0 as 10.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for one in self.params:
            value, kind = str(given.get(one.name or "")), getattr(one, "type_descriptor", None)
            if "_" in value and kind is not None and kind.annotation in (int, float):
                ctx.fail(f"{one.opts[0]} takes a number, and {value!r} is none: write its digits without underscores.")
        for option, times in Counter(order).items():
            is_of_many = option.param_type_name != "option" or option.multiple or getattr(option, "is_flag", False)
            if times > 1 and not is_of_many:
                ctx.fail(f"{option.opts[0]} is given {times} times; it holds one value.")
        return super().parse_args(ctx, args)


class Commands(typer.Typer):
    def command(self, name: str | None = None, **more: Any) -> Any:
        return super().command(name, **{"cls": Once, **more})


def group(purpose: str, *, example: str, **more: Any) -> typer.Typer:
    """Commands under one name, which has an example as each of them has."""
    return Commands(help=f"{purpose}\n\nExample: {example}", **more, **OPTIONS)
