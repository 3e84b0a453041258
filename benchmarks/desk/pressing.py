"""Labellers at the desk, as the script in a browser plays them: each holds the next pairs in memory, posts a grade and
gets, with the acknowledgement, the pair that the memory lacks now.
"""

import queue
import random
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from app.web import COOKIE

LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
PAIR = re.compile(
    rb'<div id="pair" data-id="(?P<id>\w+)" data-at="(?P<address>[^"]+)".*?'
    rb'name="key" value="(?P<key>[^"]+)".*?name="revision" value="(?P<revision>\d+)"',
    re.DOTALL,
)
NEXT = re.compile(rb'<div id="answer" data-next="(\w+)"')


@dataclass
class Pressed:
    """What a trial did: grades that were acknowledged, by key, and how long each took."""

    seconds: float = 0
    levels: dict[str, int] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Connection:
    """One browser's connection that is kept open. Bare, since the client shares the processor with the server."""

    def __init__(self, port: int, secret: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.headers = (
            f"Host: 127.0.0.1:{port}\r\nCookie: {COOKIE}={secret}\r\nSec-Fetch-Site: same-origin\r\n"
            "Accept: */*\r\nAccept-Encoding: gzip, deflate\r\nUser-Agent: benchmark\r\nHX-Request: true\r\n"
        )

    def get(self, path: str) -> bytes:
        return self.ask(f"GET {path} HTTP/1.1\r\n{self.headers}\r\n".encode())

    def post(self, path: str, body: str) -> bytes:
        form = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        return self.ask(f"POST {path} HTTP/1.1\r\n{self.headers}{form}\r\n{body}".encode())

    def ask(self, request: bytes) -> bytes:
        """The whole answer, its head included."""
        self.socket.sendall(request)
        answer = b""
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self.read()
        if answer.startswith(b"HTTP/1.1 204 "):
            return answer
        length = LENGTH.search(answer, 0, end + 2)
        if length is None:
            raise ValueError(f"an answer without a length: {answer[:200]!r}")
        while len(answer) < end + 4 + int(length[1]):
            answer += self.read()
        return answer

    def read(self) -> bytes:
        part = self.socket.recv(1 << 18)
        if not part:
            raise ConnectionError("the server hung up")
        return part


def press(port: int, desk: str, labellers: Sequence[str], *, clients: int, grades: int, pause: float = 0) -> Pressed:
    """`clients` at once give `grades` in all, each `pause` seconds after the answer to the one before. Each takes the
    next of `labellers` (their sessions' secrets) whenever one has nothing left to grade.
    """
    done, waiting = Pressed(), queue.SimpleQueue[str]()
    for secret in labellers:
        waiting.put(secret)
    tickets = iter(range(grades))

    def work(seed: int) -> None:
        try:
            levels = random.Random(seed)
            while sit_down(port, desk, waiting.get_nowait(), levels, tickets, done, pause):
                pass
        except Exception as error:  # noqa: BLE001 - a thread's error must not vanish with it
            done.faults.append(repr(error))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done.seconds = time.perf_counter() - started
    return done


def sit_down(
    port: int,
    desk: str,
    secret: str,
    levels: random.Random,
    tickets: Iterator[int],
    done: Pressed,
    pause: float,
) -> bool:
    """One labeller's turn at the desk; whether there is more to grade when it ends."""
    connection = Connection(port, secret)
    held = pairs_in(connection.get(desk))
    if held:
        held += pairs_in(connection.get(f"{desk}/ahead?skip=1"))
    while held:
        if next(tickets, None) is None:
            return False
        pair, level = held.pop(0), levels.randrange(4)
        fields = {"key": pair["key"], "revision": pair["revision"], "level": level, "active_ms": 1000}
        if held:
            fields |= {"next_id": held[0]["id"], "next_key": held[0]["key"], "holds": len(held)}
        asked = time.perf_counter()
        answer = connection.post(f"{pair['address']}/grade", urlencode(fields))
        done.waits.append(time.perf_counter() - asked)
        done.levels[pair["key"]] = level
        if not has_next(answer, held):
            raise ValueError(f"not what a browser could go on with: {answer[:300]!r}")
        held += pairs_in(answer)
        time.sleep(pause)
    return True


def pairs_in(answer: bytes) -> list[dict[str, str]]:
    return [{name: value.decode() for name, value in pair.groupdict().items()} for pair in PAIR.finditer(answer)]


def has_next(answer: bytes, held: Sequence[Mapping[str, str]]) -> bool:
    """Whether it acknowledges, and goes on with the pair that is held; a labeller who is done is sent on."""
    if not answer.startswith(b"HTTP/1.1 200 "):
        return False
    named = NEXT.search(answer)
    return named[1].decode() == held[0]["id"] if named and held else b"\r\nhx-redirect: " in answer.lower()
