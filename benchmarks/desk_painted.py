"""From a key to the next document on the screen, in Chromium: `.venv/bin/python benchmarks/desk_painted.py`.

A labeller grades a round of 400 pairs on a server in a process of its own (SQLite at synchronous=FULL). The clock runs
from the key's own time stamp to the first task after the frame that shows the next document: once on this machine as it
is, once with 40 ms of delay on every request. Also what the first load weighs, and how many requests a grade takes.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402
from sqlalchemy import func, select, update  # noqa: E402

from app.corpora.models import Document, shown_hash  # noqa: E402
from app.judging.models import Grade  # noqa: E402
from app.main import create_app  # noqa: E402
from app.settings import Settings  # noqa: E402
from benchmarks.servers import free_port, machine, running  # noqa: E402
from tests.conftest import CHROMIUM_OPTIONS  # noqa: E402
from tests.judging.windows import sit_at_desk  # noqa: E402
from tests.make import EVERYWHERE, Cast  # noqa: E402
from tests.migrating import migrate  # noqa: E402
from tests.serving import LiveServer  # noqa: E402
from tools.chromium import find_chromium  # noqa: E402

PRESSES = 100
DELAY_MS = 40
WORDS = "Every project starts with one live key; to rotate it, make a second, deploy it, and delete the first. " * 24
CLOCK = """() => {
  window.painted = []
  let start = 0
  addEventListener('keydown', (event) => (start = event.timeStamp), true)
  const channel = new MessageChannel()
  channel.port1.onmessage = () => painted.push(performance.now() - start)
  new MutationObserver((changes) => {
    if (changes.some((each) => [...each.addedNodes].some((node) => node.id === 'pair')))
      requestAnimationFrame(() => channel.port2.postMessage(''))
  }).observe(document.getElementById('desk'), { childList: true })
}"""


def main() -> None:
    print(f"{machine()}; {PRESSES} presses each, documents of {len(WORDS):,} characters")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        url = f"sqlite:///{folder}/desk.db"
        migrate(url)
        app = create_app(Settings(database_url=url, uploads_dir=Path(folder) / "uploads", host=EVERYWHERE))
        cast = Cast(app, app.state.database)
        project, labeller = set_out(cast)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_OPTIONS)
        with serving_apart(url, Path(folder)) as address:
            server = LiveServer(address, cast)
            weigh(browser, server, project, labeller)
            for delay in (0, DELAY_MS):
                measure(browser, server, project, labeller, delay=delay)
        browser.close()
        app.state.database.close()


def set_out(cast: Cast) -> tuple[str, str]:
    lead, ana, ben = (cast.person(name) for name in ("lead", "ana", "ben"))
    project = cast.project(lead)
    cast.rubric(project)
    members = [cast.member(project, person, "labeller") for person in (ana, ben)]
    pool = {f"q{query}": [f"d{query}-{number}" for number in range(31)] for query in range(13)}
    pool_id = cast.pool(project, pool)
    with cast.database.session(writes=True) as session:
        for document in session.scalars(select(Document)).all():
            text = f"{document.docno}. {WORDS}"
            values = {"text": text, "text_hash": shown_hash(document.title, text, document.url)}
            session.execute(update(Document).where(Document.id == document.id).values(**values))
    cast.round(project, pool_id, members)
    return project, ana


@contextmanager
def serving_apart(url: str, folder: Path) -> Iterator[str]:
    """The application as people run it, in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "--factory", "app.main:serve_from_environment", "--port", str(port)]
    with running(
        [*command, "--no-access-log", "--log-level", "warning"],
        {"DATABASE_URL": url, "PYTHONPATH": str(ROOT)},
        ready=f"http://127.0.0.1:{port}/readyz",
        log=folder / "server.log",
    ):
        yield f"http://localhost:{port}"


def weigh(browser: Browser, server: LiveServer, project: str, labeller: str) -> None:
    """The first load, with nothing in the browser's cache; the pairs ahead are fetched when it is there."""
    context = server.window(browser, labeller)
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    names: dict[str, str] = {}
    weights: dict[str, int] = {}
    devtools.on("Network.requestWillBeSent", lambda sent: names.update({sent["requestId"]: sent["request"]["url"]}))
    devtools.on("Network.loadingFinished", lambda done: weights.update({done["requestId"]: done["encodedDataLength"]}))
    page.goto(f"/projects/{project}/desk")
    page.wait_for_selector("main.desk[data-ahead]:not([data-ahead='0'])")
    loaded = {names[each]: weight for each, weight in weights.items()}
    ahead = {name for name in loaded if "/ahead" in name}
    for name, weight in loaded.items():
        print(f"  {weight:8,} bytes  {name.removeprefix(server.url).partition('?')[0]}")
    page_weight = sum(weight for name, weight in loaded.items() if name not in ahead)
    print(f"first load: {len(loaded) - len(ahead)} requests, {page_weight / 1000:.1f} kB; then the pairs ahead")
    context.close()


def measure(browser: Browser, server: LiveServer, project: str, labeller: str, *, delay: int) -> None:
    context = server.window(browser, labeller, viewport={"width": 1280, "height": 860})
    page = context.new_page()
    requests: list[str] = []
    sit_at_desk(page, f"/projects/{project}")
    page.wait_for_selector("main.desk[data-ahead]:not([data-ahead='0'])")
    if delay:
        shape = {"offline": False, "latency": delay, "downloadThroughput": -1, "uploadThroughput": -1}
        context.new_cdp_session(page).send("Network.emulateNetworkConditions", shape)
    page.on("request", lambda request: requests.append(request.url))
    before = count(server)
    page.evaluate(CLOCK)
    for press in range(PRESSES):
        grade(page, press)
    kept = count(server) - before
    times = sorted(page.evaluate("painted"))
    if kept != PRESSES or len(times) != PRESSES:
        raise SystemExit(f"{PRESSES} pressed, {kept} kept, {len(times)} painted: no figure from this run.")
    print(
        f"delay {delay:2} ms: median {statistics.median(times):.1f} ms,"
        f" 95th percentile {times[int(0.95 * PRESSES)]:.1f} ms,"
        f" most {times[-1]:.1f} ms; {len(requests) / PRESSES:.2f} requests a grade"
    )
    context.close()


def grade(page: Page, press: int) -> None:
    page.wait_for_selector("main.desk[data-ready=yes]")
    shown = page.locator("#pair").get_attribute("data-id")
    page.keyboard.press(str(press % 4))
    page.wait_for_selector(f"#pair:not([data-id='{shown}'])", state="attached")


def count(server: LiveServer) -> int:
    with server.cast.database.session(writes=False) as session:
        return session.scalar(select(func.count()).select_from(Grade)) or 0


if __name__ == "__main__":
    main()
