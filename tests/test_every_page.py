"""Every page of the application as a browser shows it: accessible, narrow enough, calling nobody (S21, S23, S8).

The pages are those of tests/routes.py: a new route is looked at from the day it is listed there.
"""

import re
from itertools import groupby

import pytest
from playwright.sync_api import Browser, Page

from tests.access import World, address
from tests.browser_axe import assert_accessible
from tests.long_names import LongNames
from tests.routes import ADMINS, PUBLIC, ROUTES, Route
from tests.serving import LiveServer

PAGES = [route for route in ROUTES if route.method == "GET" and not route.is_api and route.path != "/readyz"]

TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth <= width) return []
  return [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > width)
    .map((each) => each.outerHTML.slice(0, 120))
}"""
"""What reaches over the right edge, where anything makes the page scroll sideways."""


@pytest.mark.browser
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("route", PAGES, ids=str)
def test_a_page_fits_is_accessible_and_keeps_to_this_server(
    browser: Browser, live_server: LiveServer, route: Route
) -> None:
    world = World.make(live_server.cast)
    if route.given:
        route.given(world.home)
    where = address(world, route, world.home)
    person = None if route.who is PUBLIC else world.people["admin" if route.who is ADMINS else "lead"]
    answer = live_server.cast.browser(person).get(where)
    assert answer.status_code == route.status
    if not answer.headers.get("content-type", "").startswith("text/html") or "<html" not in answer.text:
        return  # A file to download, the way to another page, or a part that is looked at in its page.
    page = live_server.window(browser, person).new_page()
    complaints = listen(page, live_server.url)
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(where)
        assert not page.evaluate(TOO_WIDE), f"wider than {width} pixels"
        assert_accessible(page)
    page.context.close()
    assert not complaints or route.status >= 400, complaints


LABELLERS_PAGES = ("", "/desk", "/desk/{assignment_id}", "/work", "/work/last", "/rulings", "/rubric")
READERS_PAGES = ("", "/releases", "/releases/{release_id}", "/scores", "/scores/{run_id}", "/rubric")
READ = (
    *(("labeller", f"/projects/{{project_id}}{page}") for page in LABELLERS_PAGES),
    *(("reader", f"/projects/{{project_id}}{page}") for page in READERS_PAGES),
    ("lead", "/projects/{project_id}/agreement/pairs?left_out=one"),
    ("lead", "/projects/{project_id}/agreement/pairs?apart=3"),
    ("lead", "/projects/{project_id}/imports/documents"),
    ("lead", "/projects/{project_id}/imports/grades"),
    ("lead", "/projects/{project_id}/settings?saved=1"),
    *(("lead", f"{route.path}{'?' if route.query else ''}{route.query}") for route in PAGES if route.who is not PUBLIC),
    (None, "/invitations/{secret}"),
)
"""Who looks at which page of a project with long names."""


@pytest.mark.browser
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_page_fits_though_no_name_has_a_blank_to_break_it_at(browser: Browser, live_server: LiveServer) -> None:
    world, faults, seen = LongNames.make(live_server.cast), list[str](), 0
    for person, pages in groupby(READ, key=lambda each: each[0]):
        page = live_server.window(browser, world.people[person] if person else None).new_page()
        for _, path in pages:
            where = re.sub(r":\w+(?=\})", "", path).format(**world.ids)
            answer = page.request.get(where)
            if not answer.headers.get("content-type", "").startswith("text/html") or "<html" not in answer.text():
                continue  # As above.
            seen += answer.ok
            for width in (320, 1280):
                page.set_viewport_size({"width": width, "height": 800})
                page.goto(where)
                wide = page.evaluate(TOO_WIDE)
                faults += [f"{path} for {person or 'nobody'} at {width}: {wide[:3]}"] if wide else []
        page.context.close()
    assert not faults, "\n".join(faults)
    assert seen > 60


def listen(page: Page, url: str) -> list[str]:
    """What the browser complains of, the content security policy's refusals among it, and calls to anybody else."""
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(url) else complaints.append(asked.url))
    return complaints


def test_most_of_the_table_s_pages_are_looked_at() -> None:
    assert len(PAGES) > 20
