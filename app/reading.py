"""How what is sent is read, before any handler has it: text that can be kept, fields sent once, numbers in words."""

import json
import math
import re
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from inspect import Parameter
from typing import Any, NamedTuple, get_args, get_origin

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.params import Form, Query
from fastapi.routing import APIRoute
from starlette.datastructures import FormData, ImmutableMultiDict, QueryParams
from starlette.exceptions import HTTPException

from app.db import SAFE_METHODS
from app.errors import FieldError, InputError, NotThere, TooLong
from app.settings import Settings

FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")
UNKEPT_CHARACTERS = re.compile("[\x00\ud800-\udfff]")
UNKEPT = "This holds a NUL or half of a character, which can't be kept."
LARGEST_WHOLE = 2**31 - 1
IN_CODE = re.compile(r"_|^\s*\+")
"""What Python reads in a number, and files may not have: 1_0, +3."""
DECIMAL = re.compile(r"-?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")


class CheckedRoute(APIRoute):
    """A route whose address and form are looked through first, whatever its handler does with them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()
        known = list(fields_of(self.dependant))
        single = frozenset(field.alias for field in known if not holds_several(field.field_info.annotation))
        numbers = frozenset(field.alias for field in known if holds_number(field.field_info.annotation))
        asked = frozenset(field.alias for field in known if isinstance(field.field_info, Query))
        has_form = any(isinstance(field.field_info, Form) for field in known)

        async def check_and_answer(request: Request) -> Response:
            if not all(is_kept(str(value)) for value in request.path_params.values()):
                raise NotThere
            check_fields(request.query_params, single, numbers)
            if self.include_in_schema:
                changes = request.method not in SAFE_METHODS
                refuse_unknown(request.query_params, asked, changes=changes, has_form=has_form)
            sent = "" if request.method in SAFE_METHODS else request.headers.get("content-type", "")
            if sent.startswith("application/json"):
                check_json(await request.body())
            if not sent.startswith(FORMS):
                return await answer(request)
            form = await read_form(request)
            try:
                check_fields(form, single, numbers)
                return await answer(request)
            finally:
                await form.close()

        return check_and_answer


def check_json(body: bytes) -> None:
    """InputError where a name stands twice in one object: which of them was meant? And where what looks like JSON holds
    more than can be read. What is no JSON at all is told by whoever reads it.
    """
    try:
        json.loads(body, object_pairs_hook=refuse_repeats)
    except json.JSONDecodeError:
        return
    except (ValueError, RecursionError) as error:
        raise InputError(
            "The body can't be read: its numbers are too long, its objects too deep, or it is no UTF-8.",
            "Correct it and send it again; nothing was changed.",
        ) from error


def refuse_repeats(pairs: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in pairs]
    repeated = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if repeated is not None:
        raise InputError(f"“{repeated[:60]}” stands twice in one object.", "Say it once; nothing was changed.")


def fields_of(dependant: Dependant) -> Iterator[Any]:
    """The parameters out of address and body, those of guards included."""
    yield from (*dependant.query_params, *dependant.body_params)
    for each in dependant.dependencies:
        yield from fields_of(each)


def holds_several(annotation: Any) -> bool:
    kinds = [get_origin(each) for each in (annotation, *get_args(annotation))]
    return any(isinstance(kind, type) and issubclass(kind, Sequence) for kind in kinds)


def holds_number(annotation: Any) -> bool:
    return not {int, float}.isdisjoint((annotation, *get_args(annotation)))


def refuse_unknown(sent: QueryParams, asked: frozenset[str], *, changes: bool, has_form: bool) -> None:
    """InputError for a parameter of an API's address that nobody reads: what it asks for would be left undone."""
    unknown = next((name for name in sent if name not in asked), None)
    if unknown is not None and not changes:
        known = f"It reads {', '.join(sorted(asked))}" if asked else "It reads none"
        raise InputError(f"Nobody reads “{printable(unknown)}” in this address.", f"{known}.", field=printable(unknown))
    if unknown is not None:
        what = "a form field" if has_form else "a field of the JSON body, if anything,"
        raise InputError(
            f"“{printable(unknown)}” is {what} here, and stands in the address.",
            "Send it there; nothing was changed.",
            field=printable(unknown),
        )


def check_fields(fields: QueryParams | FormData, single: frozenset[str], numbers: frozenset[str]) -> None:
    """FieldError where a text can't be kept, where one of `single` comes twice (which of them was meant?), and where
    one of `numbers` is written as only programs write it.
    """
    for name, value in fields.multi_items():
        if not is_kept(name) or (isinstance(value, str) and not is_kept(value)):
            raise FieldError(printable(name), UNKEPT, "Take it out; nothing was changed.")
        if name in numbers and isinstance(value, str) and IN_CODE.search(value):
            raise FieldError(name, f"{name} (“{value[:60]}”) is not a plain number.", "Write digits only.")
    for name in single & fields.keys():
        take_one(fields, name)


def take_one(fields: ImmutableMultiDict[str, Any], name: str) -> Any:
    """The field's one value, None where it was not sent; FieldError where it was sent twice."""
    values = fields.getlist(name)
    if len(values) > 1:
        raise FieldError(name, f"“{name}” was sent {len(values)} times.", "Send it once; nothing was changed.")
    return values[0] if values else None


async def read_form(request: Request) -> FormData:
    """The request's form, whose texts may together be as long as any form. What FastAPI reads afterwards is this."""
    settings: Settings = request.app.state.settings
    try:
        return await request.form(max_part_size=settings.max_form_bytes)
    except HTTPException as error:
        if "exceeded maximum size" not in error.detail:
            raise InputError(f"The form can't be read: {error.detail}", "Send it from the page itself.") from error
        raise TooLong(
            f"A text typed or pasted here may have {settings.max_form_bytes:,} bytes.",
            "Choose a file instead, or shorten the text.",
        ) from error


# Forms of texts and whole numbers, read as FastAPI would read them, and far faster


class PlainField(NamedTuple):
    """A field that holds a text or a whole number."""

    is_whole: bool
    least: int | None
    default: Any
    """`Parameter.empty`: it must be sent."""


WHOLE = re.compile("-?[0-9]{1,9}")


def plain_fields(parameters: Iterable[Parameter]) -> Mapping[str, PlainField] | None:
    """The fields of a form by name; None where a parameter is something else, which FastAPI has to read."""
    fields: dict[str, PlainField] = {}
    for each in parameters:
        kind, *about = get_args(each.annotation) or (None,)
        if kind not in PLAIN_KINDS or len(about) != 1 or not isinstance(about[0], Form) or about[0].alias is not None:
            return None
        bounds = [getattr(bound, "ge", None) for bound in about[0].metadata]
        if None in bounds or len(bounds) > 1:
            return None
        least = bounds[0] if bounds else None
        fields[each.name] = PlainField(PLAIN_KINDS[kind] is int, least, each.default)
    return fields


PLAIN_KINDS: Mapping[Any, type] = {str: str, str | None: str, int: int, int | None: int}


def read_plainly(form: FormData, fields: Mapping[str, PlainField]) -> dict[str, Any] | None:
    """What the form gives for each field; None where one of them is not plain: FastAPI knows what to say of it."""
    read: dict[str, Any] = {}
    for name, field in fields.items():
        value = form.get(name)
        if not value:  # A field that was left empty counts as not sent.
            if field.default is Parameter.empty:
                return None
            read[name] = field.default
        elif not isinstance(value, str):
            return None
        elif not field.is_whole:
            read[name] = value
        elif WHOLE.fullmatch(value) and (field.least is None or int(value) >= field.least):
            read[name] = int(value)
        else:
            return None
    return read


# Texts


def is_kept(text: str) -> bool:
    """Whether both databases, and UTF-8 itself, can hold the text."""
    return UNKEPT_CHARACTERS.search(text) is None


def printable(name: str) -> str:
    return "".join(character for character in name if character.isprintable())[:60]


def texts_in(given: Any) -> Iterator[str]:
    """Every string of a JSON value, keys included."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, Mapping):
        for key, value in given.items():
            yield str(key)
            yield from texts_in(value)
    elif isinstance(given, list):
        for value in given:
            yield from texts_in(value)


# Numbers, typed


def whole_number(text: str, field: str) -> int | None:
    """None where nothing was typed."""
    digits = text.strip()
    if not digits:
        return None
    if not (digits.isascii() and digits.isdecimal()):
        raise FieldError(field, f"“{text[:80]}” is not a whole number.", "Write digits only.")
    if len(digits) > len(str(LARGEST_WHOLE)) or int(digits) > LARGEST_WHOLE:
        raise FieldError(field, f"“{digits[:80]}” is too large.", f"Write a number up to {LARGEST_WHOLE:,}.")
    return int(digits)


def number(text: str, field: str) -> float | None:
    """None where nothing was typed; a comma may stand for the point."""
    typed = text.strip()
    if not typed:
        return None
    value = float(typed.replace(",", ".")) if DECIMAL.fullmatch(typed) else math.nan
    if not math.isfinite(value):
        raise FieldError(field, f"“{text[:80]}” is not a number.", "Write it with digits, like 25 or 2.5.")
    return value
