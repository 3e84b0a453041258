"""Takes the README's pictures anew: `.venv/bin/python tools/pictures.py`. Their texts and grades are invented here."""

import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Page, sync_playwright  # noqa: E402
from sqlalchemy import update  # noqa: E402

from app.corpora.models import Document, Query, shown_hash  # noqa: E402
from app.main import create_app  # noqa: E402
from app.settings import Settings  # noqa: E402
from tests.conftest import CHROMIUM_OPTIONS  # noqa: E402
from tests.judging.windows import bring_in_documents, sit_at_desk  # noqa: E402
from tests.make import EVERYWHERE, Cast  # noqa: E402
from tests.migrating import migrate  # noqa: E402
from tests.serving import LiveServer, serving  # noqa: E402
from tools.chromium import find_chromium  # noqa: E402

Window = Callable[..., Page]
PICTURES = ROOT / "docs" / "pictures"
SEED = 5
SIZES = ((320, 640), (768, 1024), (1440, 900))
NEED = (
    "The person runs a service in production and must replace its key today; requests must keep succeeding while they "
    "do it."
)
DOCUMENT = """\
Every project starts with one live key. You can have two at a time: create the second, deploy it everywhere, \
and delete the first once its “last used” date stops moving. Both stay valid until you delete one, so requests \
signed with either are accepted.

To rotate a key, open Settings, then Keys, and choose Add key. Copy the secret at once; it is shown a single \
time. Roll the new secret out to your services, then watch the usage chart. When the old key has been idle for \
an hour, delete it.

Deleting a key takes effect within sixty seconds. Requests that are signed with it after that are answered \
with 401 key_revoked. There is no way to restore a deleted key.

Keys never expire on their own. Your organisation can set a maximum age under Policies; an administrator is \
reminded two weeks ahead."""

PRODUCT = {
    "id": "s-1042",
    "title": "Moss walking shoe, women",
    "brand": "Fernhill",
    "price": "89 EUR",
    "sizes": [36, 37, 38, 40, 41],
    "url": "https://shop.example/s-1042",
    "html": "<p>A low shoe for <b>long days</b> on paths and pavement.</p><ul><li>Upper: waxed leather, waterproof to "
    "the ankle</li><li>Sole: rubber, can be replaced</li><li>Weight: 410 g each</li></ul><table><tr><th>Wear</th><th>"
    "Suits</th></tr><tr><td>Rain</td><td>yes, for hours</td></tr><tr><td>Snow</td><td>no: the shaft is low</td></tr>"
    "</table><p>Brush them dry; wax them twice a year.</p>",
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/pictures.db"
        migrate(url)
        app = create_app(Settings(database_url=url, uploads_dir=Path(folder) / "uploads", host=EVERYWHERE))
        cast = Cast(app, app.state.database)
        with serving(cast) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_OPTIONS)

            def window(person_id: str, width: int = 1280, height: int = 860, scheme: str = "light") -> Page:
                size = {"width": width, "height": height}
                return server.window(browser, person_id, viewport=size, color_scheme=scheme).new_page()

            take_desk(server, window)
            take_page(server, window)
            take_agreement(server, window, Path(folder))
            browser.close()


def take_desk(server: LiveServer, window: Window) -> None:
    cast = server.cast
    lead, ana, ben = cast.person("lead"), cast.person("ana"), cast.person("ben")
    project = cast.project(lead, name="Developer help")
    cast.rubric(project)
    members = [cast.member(project, person, "labeller") for person in (ana, ben)]
    pool = cast.pool(project, {"rotate": [f"keys-{number:02}" for number in range(31)]})
    show_need(cast, project)
    cast.round(project, pool, members)
    page = window(ana)
    sit_at_desk(page, f"/projects/{project}")
    page.screenshot(path=PICTURES / "desk.png")
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            take_size(window(ana, width, height, scheme), f"/projects/{project}", f"desk-{width}-{scheme}.png")


def take_page(server: LiveServer, window: Window) -> None:
    """The desk before a product that came as HTML, with fields that the lead chose."""
    cast = server.cast
    lead, eve = cast.person("dora"), cast.person("eve")
    project = cast.project(lead, name="Shop search")
    cast.rubric(project)
    labeller = cast.member(project, eve, "labeller")
    pool = cast.pool(project, {"shoes": ["s-1042"]})
    bring_in_documents(cast, lead, project, [PRODUCT], {"fields": ["brand", "price", "sizes"]})
    with cast.database.session(writes=True) as session:
        values = {"text": "waterproof walking shoes", "description": "Shoes to walk in all day, that keep rain out."}
        session.execute(update(Query).where(Query.project_id == project).values(**values))
    cast.round(project, pool, [labeller], kind="main", overlap=0.0, is_warned=True)
    page = window(eve)
    sit_at_desk(page, f"/projects/{project}")
    page.frame_locator(".as-page").locator("table").wait_for()
    page.screenshot(path=PICTURES / "desk-page.png")


def take_size(page: Page, home: str, name: str) -> None:
    """The desk with a search in it, on one kind of screen."""
    sit_at_desk(page, home)
    page.keyboard.press("/")
    page.keyboard.type("key")
    page.locator(".found", has_text="of").wait_for()
    page.keyboard.press("Escape")
    page.screenshot(path=PICTURES / name)
    page.context.close()


def show_need(cast: Cast, project: str) -> None:
    title, address = "Managing API keys", "https://docs.example/security/keys"
    with cast.database.session(writes=True) as session:
        session.execute(
            update(Query)
            .where(Query.project_id == project)
            .values(text="rotate api key without downtime", description=NEED)
        )
        shown = {"title": title, "text": DOCUMENT, "url": address, "text_hash": shown_hash(title, DOCUMENT, address)}
        session.execute(update(Document).where(Document.project_id == project).values(**shown))


def take_agreement(server: LiveServer, window: Window, folder: Path) -> None:
    cast = server.cast
    lead = cast.person("chloe")
    project = cast.project(lead, name="Developer help, round 1")
    cast.rubric(project)
    grades = folder / "grades.csv"
    grades.write_text(simulated(), "utf-8")
    with grades.open("rb") as file:
        answer = cast.script(lead, project).post(
            f"/api/v1/projects/{project}/imports/grades", files={"file": file}, data={"placeholders": "make"}
        )
    answer.raise_for_status()
    page = window(lead)
    page.goto(f"/projects/{project}/agreement")
    page.screenshot(path=PICTURES / "agreement.png")


def simulated() -> str:
    """33 queries of 30 documents, graded by two who mostly follow the same rubric."""
    chance = random.Random(SEED)
    lines = ["labeller,qid,docno,grade"]
    for query in range(33):
        for document in range(30):
            level = chance.choices((0, 1, 2, 3), (55, 22, 14, 9))[0]
            other = level if chance.random() < 0.78 else min(3, max(0, level + chance.choice((-1, 1, 1))))
            lines += [f"Ana,q{query:02},d{document:02},{level}", f"Ben,q{query:02},d{document:02},{other}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
