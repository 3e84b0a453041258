"""Servers that a benchmark starts, and the processor time that they use."""

import os
import platform
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 600
"""A peer on a busy machine makes its tables for minutes."""


def machine() -> str:
    """What figures need beside them."""
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, capture_output=True, text=True, cwd=Path(__file__).parent, check=False)
    about = f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    return f"Commit {commit.stdout.strip() or 'unknown'}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {about}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running(command: Sequence[str | Path], env: Mapping[str, str], *, ready: str, log: Path) -> Iterator[int]:
    """The id of a server's process, from the moment on when `ready` answers until the block ends."""
    with log.open("ab") as words:
        server = subprocess.Popen(
            [str(part) for part in command],
            env=os.environ | env,
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
        )
    try:
        wait_until_ready(server, ready, log)
        yield server.pid
    finally:
        stop(server)


def stop(server: subprocess.Popen[bytes]) -> None:
    """Ends the whole group of processes that `running` started."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGTERM)
    try:
        server.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def wait_until_ready(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=10):  # noqa: S310 - the address is this machine's
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise SystemExit(f"The server did not start. Its last words:\n{log.read_text(errors='replace')[-2000:]}")


def cpu_seconds(*servers: int) -> float:
    """User and system time of these processes and of all their children, those that have ended included."""
    parents = {
        int(each.name): stat for each in Path("/proc").iterdir() if each.name.isdigit() and (stat := fields(each))
    }
    family = set(servers)
    while more := {pid for pid, stat in parents.items() if int(stat[1]) in family} - family:
        family |= more
    return sum(sum(map(int, parents[pid][11:15])) for pid in family if pid in parents) / TICKS


def fields(process: Path) -> list[str] | None:
    """What /proc/PID/stat says after the name, which may hold spaces: the state first; None where it has just ended."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
