"""Calls to a server's API, and what a refusal looks like on a terminal."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from app.cli.refusal import Json, Refusal
from app.cli.terminal import answering
from app.errors import DomainError

TIMEOUT_SECONDS = 600
DATABASE_WAY_OUT = "Check DATABASE_URL, and that the database runs and lets this account write."


@contextmanager
def refusals_told() -> Iterator[None]:
    """For commands on the database itself: its refusals end the command like a server's."""
    from pydantic import ValidationError
    from sqlalchemy.exc import ArgumentError, DBAPIError

    try:
        yield
    except DomainError as error:
        raise Refusal(error.sentence, error.way_out, status=error.status) from error
    except ArgumentError as error:
        raise Refusal("DATABASE_URL is no address of a database.", DATABASE_WAY_OUT) from error
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise Refusal(f"The database did not answer as it should: {reason}.", DATABASE_WAY_OUT) from error
    except OSError as error:
        raise Refusal(f"{error.filename}: {error.strerror}.", "Give this account leave to write there.") from error
    except ValidationError as error:
        names = ", ".join(str(fault["loc"][0]).upper() for fault in error.errors())
        raise Refusal(f"These settings can't be read: {names}.", "docs/settings.md says what each may be.") from error


def setting(name: str, way_out: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise Refusal(f"{name} is not set.", way_out)
    return value


def token_of_environment() -> str:
    token = setting("ADJUDGE_TOKEN", "Make a token on the page Tokens of your account, or with adjudge token.")
    if not (token.isascii() and token.isprintable()):
        raise Refusal("ADJUDGE_TOKEN is no token: it holds a sign that no token has.", "Copy the token again, whole.")
    return token


def project_path(tail: str = "") -> str:
    project = setting("ADJUDGE_PROJECT", "Set it to the project's id, which stands in the address of its pages.")
    return f"/projects/{project}{tail}"


def call(
    method: str,
    path: str,
    *,
    body: Json | None = None,
    params: Mapping[str, Any] | None = None,
    file: Path | None = None,
    fields: Sequence[tuple[str, str]] = (),
) -> Any:
    """The answer's JSON. Refusal where the server says no or can't be reached."""
    with opened(method, path, body=body, params=params, file=file, fields=fields) as response:
        response.read()
        return response.json() if response.content else None


def download(path: str, out: Path | None, *, params: Mapping[str, Any] | None = None) -> None:
    """Streams an export to `out`, or to standard output; a broken one leaves no half file behind."""
    with opened("GET", path, params=params) as response:
        if out is None:
            with answering():
                for chunk in response.iter_bytes():
                    sys.stdout.buffer.write(chunk)
            return
        part = out.with_name(f"{out.name}.part")
        with part.open("wb") as target:
            for chunk in response.iter_bytes():
                target.write(chunk)
        part.replace(out)


@contextmanager
def opened(
    method: str,
    path: str,
    *,
    body: Json | None = None,
    params: Mapping[str, Any] | None = None,
    file: Path | None = None,
    fields: Sequence[tuple[str, str]] = (),
) -> Iterator[Any]:
    import httpx2

    base = setting("ADJUDGE_URL", "Set it to the server's address, such as http://127.0.0.1:8000.").rstrip("/")
    token = token_of_environment()
    more: dict[str, Any] = {}
    handle = None
    try:
        if file is not None:
            handle = readable(file).open("rb")
            more = {"files": {"file": (file.name, handle)}, "data": grouped(fields)}
        elif body is not None:
            more = {"json": body}
        with (
            httpx2.Client(timeout=TIMEOUT_SECONDS, headers={"Authorization": f"Bearer {token}"}) as client,
            client.stream(method, f"{base}/api/v1{path}", params=dict(params or {}), **more) as response,
        ):
            if response.is_error:
                response.read()
                raise refusal_of(response.status_code, response.text)
            yield response
    except httpx2.TransportError as error:
        raise Refusal(f"{base} can't be reached: {error}.", "Check ADJUDGE_URL, and that the server runs.") from error
    except httpx2.InvalidURL as error:
        raise Refusal(f"ADJUDGE_URL is no address: {error}.", "Write it like http://127.0.0.1:8000.") from error
    finally:
        if handle is not None:
            handle.close()


def readable(file: Path) -> Path:
    if not file.is_file():
        raise Refusal(f"There is no file {file}.", "Check its name.")
    return file


def grouped(fields: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    answers: dict[str, list[str]] = {}
    for name, value in fields:
        answers.setdefault(name, []).append(value)
    return answers


def refusal_of(status: int, text: str) -> Refusal:
    try:
        error = json.loads(text)["error"]
        return Refusal(error["sentence"], error["way_out"], status=status, details=error["details"])
    except (ValueError, KeyError, TypeError):
        return Refusal(f"The server answered {status} and not as Adjudge does.", "Check ADJUDGE_URL.", status=status)


def parted(pairs: Sequence[str], option: str) -> list[tuple[str, str]]:
    """`name=value` as typed behind an option, as often as it was."""
    found = [pair.partition("=") for pair in pairs]
    if any(not equals or not name for name, equals, _ in found):
        raise typer.BadParameter(f"write {option} name=value")
    return [(name, value) for name, _, value in found]
