"""Routes whose guards, handler and transaction share one trip to a worker thread.

FastAPI sends each sync guard, the handler, and both ends of the transaction to a thread one by one, which cost the desk
more than its work does: docs/decisions/one-thread.md.
"""

from collections.abc import Callable, Coroutine, Mapping
from contextlib import contextmanager
from functools import cache
from inspect import Parameter, Signature, iscoroutinefunction, isgeneratorfunction, signature
from typing import Any, get_args

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.params import Depends as Guard
from fastapi.responses import Response
from fastapi.routing import APIRoute

from app.db import SAFE_METHODS, Database, open_session
from app.reading import CheckedRoute, plain_fields, read_plainly

Call = Callable[..., Any]


class FoldedRoute(APIRoute):
    """For `APIRouter(route_class=...)`. Handlers are written as everywhere, with their guards in the signature: these
    are asked in the same order, each once, but in the handler's own thread. A guard may take the request, the session,
    other guards, and ids as they stand in the address.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        folded = fold(self.endpoint)
        answer = APIRoute(self.path, folded, methods=self.methods, response_model=None).get_route_handler()
        fields = plain_fields(list(signature(folded).parameters.values())[1:])

        async def answer_in_turn(request: Request) -> Response:
            database: Database = request.app.state.database
            read = None if fields is None else read_plainly(await request.form(), fields)
            async with database.turn(writes=request.method not in SAFE_METHODS):
                if read is None:
                    return await answer(request)
                return await run_in_threadpool(folded, request=request, **read)

        return answer_in_turn


class OneThreadRoute(CheckedRoute, FoldedRoute):
    """What is sent is looked through first, as on every route: a form is read before its turn comes."""


def fold(endpoint: Call) -> Call:
    """`endpoint` within the request's transaction. FastAPI is shown only what it must read: forms and queries."""
    guards = guards_of(endpoint)

    def answer(request: Request, **read: Any) -> Response:
        with contextmanager(chosen(open_session, request))(request) as session:
            solved: dict[Call, Any] = {take_request: request, open_session: session}
            given = {name: ask(guard, request, solved) for name, guard in guards.items()}
            response: Response = endpoint(**given, **read)
            return response

    read = [each for each in signature(endpoint, eval_str=True).parameters.values() if each.name not in guards]
    asked = Parameter("request", Parameter.KEYWORD_ONLY, annotation=Request)
    answer.__signature__ = Signature(  # type: ignore[attr-defined]  # It is for FastAPI, which reads it by inspect.
        [asked, *(each.replace(kind=Parameter.KEYWORD_ONLY) for each in read)]
    )
    return answer


def ask(guard: Call, request: Request, solved: dict[Call, Any]) -> Any:
    """What the guard gives in this request; what it raises is the answer."""
    if guard not in solved:
        asked = chosen(guard, request)
        given = {name: ask(each, request, solved) for name, each in guards_of(asked).items()}
        ids = {name: request.path_params[name] for name in ids_of(asked)}
        solved[guard] = asked(**given, **ids)
    return solved[guard]


def chosen(call: Call, request: Request) -> Call:
    """What stands in for `call` in this application, as FastAPI would choose."""
    overrides: Mapping[Call, Call] = request.app.dependency_overrides
    return overrides.get(call, call)


@cache
def guards_of(call: Call) -> Mapping[str, Call]:
    """The guards in a signature, by the parameter that they fill."""
    parameters = signature(call, eval_str=True).parameters.values()
    guards = {each.name: guard for each in parameters if (guard := guard_of(each.annotation)) is not None}
    for guard in guards.values():
        if guard is not open_session and (isgeneratorfunction(guard) or iscoroutinefunction(guard)):
            raise TypeError(f"{guard} can't be asked within a handler's thread")
    return guards


@cache
def ids_of(call: Call) -> tuple[str, ...]:
    return tuple(name for name in signature(call).parameters if name not in guards_of(call))


def guard_of(annotation: Any) -> Call | None:
    if annotation is Request:
        return take_request
    return next((each.dependency for each in get_args(annotation)[1:] if isinstance(each, Guard)), None)


def take_request(request: Request) -> Request:
    return request
