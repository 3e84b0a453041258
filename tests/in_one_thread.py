"""The application asked from the test's own thread, for trials of many thousand requests, one after another.

`TestClient` serves each of them in a loop of another thread, and FastAPI each step in one more: handing them on takes a
good part of their time. Every layer of the application is the same here; only nothing is handed on.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio.to_thread
import httpx2
import pytest
from fastapi import FastAPI

Ask = Callable[..., httpx2.Response]


@contextmanager
def asking_in_one_thread(app: FastAPI) -> Iterator[Ask]:
    """Gives `ask(method, path, headers=…, json=…, params=…, files=…)`, with options as those of httpx."""
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        patch.setattr(anyio.to_thread, "run_sync", run_here)

        def ask(method: str, path: str, **more: Any) -> httpx2.Response:
            request = httpx2.Request(method, f"http://testserver{path}", **more)
            return runner.run(answer(app, request, request.read()))

        yield ask


async def run_here(call: Callable[..., Any], *arguments: Any, **_threads: object) -> Any:
    return call(*arguments)


async def answer(app: FastAPI, request: httpx2.Request, body: bytes) -> httpx2.Response:
    started: dict[str, Any] = {}
    parts: list[bytes] = []

    waiting = [{"type": "http.request", "body": body}]

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Event().wait()  # Whoever asked stays on the line.
        return waiting.pop()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            started.update(message)
        else:
            parts.append(message.get("body", b""))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.url.path,
        "raw_path": request.url.raw_path.partition(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("testclient", 50000),
        "server": ("testserver", 80),
        "state": {},
    }
    await app(scope, receive, send)
    return httpx2.Response(started["status"], headers=started["headers"], content=b"".join(parts))
