"""Every page of the application as a browser shows it: accessible, narrow enough, calling nobody (S21, S23, S8).

The pages are those of tests/routes.py: a new route is looked at from the day it is listed there.
"""

import pytest
from playwright.sync_api import Browser, Page

from tests.access import World, address
from tests.browser_axe import assert_accessible
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


def listen(page: Page, url: str) -> list[str]:
    """What the browser complains of, the content security policy's refusals among it, and calls to anybody else."""
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(url) else complaints.append(asked.url))
    return complaints


def test_most_of_the_table_s_pages_are_looked_at() -> None:
    assert len(PAGES) > 20
