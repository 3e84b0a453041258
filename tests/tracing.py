"""What a server does between a request and its answer, as the kernel saw it: strace's log, read."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

CALLS = "trace=fsync,fdatasync,read,recvfrom,recvmsg,write,writev,sendto,sendmsg"
OPTIONS = ("-f", "-ttt", "-T", "-y", "-s", "24", "-e")
BEGUN = re.compile(r"^(?P<thread>\d+) +(?P<at>\d+\.\d+) (?P<call>\w+)\((?P<given>.*)")
RESUMED = re.compile(r"^(?P<thread>\d+) +(?P<at>\d+\.\d+) <\.\.\. (?P<call>\w+) resumed>(?P<given>.*)")
TOOK = re.compile(r"<(\d+\.\d+)>$")


class Call(NamedTuple):
    """A system call: when it began and ended, by the machine's clock."""

    name: str
    given: str
    began: float
    ended: float


def strace() -> str:
    program = shutil.which("strace")
    if program is None:
        pytest.skip("strace is not installed here: `apt install strace`.")
    return program


def traced(log: Path) -> tuple[str, ...]:
    """What stands before a command to have its calls, and those of its children, written to `log`."""
    return strace(), *OPTIONS, CALLS, "-o", str(log)


@contextmanager
def watching(processes: Sequence[int], log: Path) -> Iterator[None]:
    """Writes down the calls of running processes, and of children that they start from now on."""
    which = [part for process in processes for part in ("-p", str(process))]
    tracer = subprocess.Popen([*traced(log), *which], stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    for _ in processes:
        said = tracer.stderr.readline()
        if "not permitted" in said:  # One that has ended meanwhile is not missed.
            tracer.terminate()
            tracer.communicate(timeout=60)
            pytest.skip(f"strace may not watch the database here: {said.strip()}")
    try:
        yield
    finally:
        tracer.terminate()
        tracer.communicate(timeout=60)


def calls_in(log: Path) -> Iterator[Call]:
    """In the order in which they ended. A call whose end is not there had none."""
    unfinished: dict[tuple[str, str], tuple[float, str]] = {}
    for line in log.read_text("utf-8", errors="replace").splitlines():
        if found := RESUMED.match(line):
            began, given = unfinished.pop((found["thread"], found["call"]), (float(found["at"]), ""))
            yield Call(found["call"], given + found["given"], began, began + took(line))
        elif found := BEGUN.match(line):
            if line.endswith("<unfinished ...>"):
                unfinished[found["thread"], found["call"]] = float(found["at"]), found["given"]
            else:
                yield Call(found["call"], found["given"], float(found["at"]), float(found["at"]) + took(line))


def took(line: str) -> float:
    found = TOOK.search(line)
    return float(found[1]) if found else 0.0


class Exchange(NamedTuple):
    """A grade's way through the server: when the request was read, and when the answer was begun to be written."""

    asked: float
    answered: float


def exchanges_in(calls: Sequence[Call]) -> list[Exchange]:
    """Of a client that sends its grades one after the other."""
    asked = [call.ended for call in calls if call.name.startswith(("read", "recv")) and '"POST ' in call.given]
    answered = sorted(call.began for call in calls if is_answer(call))
    return [Exchange(at, next(each for each in answered if each > at)) for at in sorted(asked)]


def is_answer(call: Call) -> bool:
    return call.name.startswith(("write", "send")) and '"HTTP/1.1 2' in call.given


def syncs_in(calls: Sequence[Call], log: str) -> list[Call]:
    """Those of the database's log: of a file whose name holds `log`."""
    return [call for call in calls if call.name in ("fsync", "fdatasync") and log in call.given]


def acknowledged_too_early(exchanges: Sequence[Exchange], syncs: Sequence[Call]) -> list[Exchange]:
    """Those in which no sync of the log both began after the request and ended before the answer."""
    return [
        each
        for each in exchanges
        if not any(each.asked <= sync.began and sync.ended <= each.answered for sync in syncs)
    ]
