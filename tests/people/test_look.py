"""The pages of people and of projects' beginnings, as a browser shows them."""

import pytest
from playwright.sync_api import Browser, expect

from app.people.signing_in import renew_set_up_code
from tests.browser_axe import assert_accessible
from tests.make import PASSWORD
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]


def test_the_first_start_leads_from_the_printed_address_to_a_project(browser: Browser, live_server: LiveServer) -> None:
    with live_server.cast.database.session(writes=True) as session:
        code = renew_set_up_code(session)
    page = live_server.window(browser, None).new_page()
    page.goto(f"/set-up/{code}")
    assert_accessible(page)
    page.get_by_label("Name").fill("Ana")
    page.get_by_label("Email").fill("ana@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("heading", name="Start the first project")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Start a project").click()
    assert_accessible(page)
    page.get_by_label("Name").fill("Developer help")
    page.get_by_role("radio", name="table").check()
    page.get_by_label("Gain of level").fill("0, 1, nine")
    page.get_by_label("Why does this gain").fill("A half answer is worth nearly nothing.")
    page.get_by_role("button", name="Start the project").click()
    expect(page.get_by_role("alert")).to_contain_text("not a list of numbers")
    assert_accessible(page)
    page.get_by_label("Gain of level").fill("0, 0.1, 1, 3")
    page.get_by_role("button", name="Start the project").click()
    expect(page.get_by_role("heading", name="Developer help")).to_be_visible()
    page.context.close()


@pytest.mark.parametrize("width", [320, 1280])
def test_every_page_of_ones_own_fits_and_is_accessible(browser: Browser, live_server: LiveServer, width: int) -> None:
    cast = live_server.cast
    ana, ben = cast.person("ana", is_admin=True), cast.person("ben")
    project = cast.project(ana)
    cast.member(project, ben, "labeller")
    for person, addresses in (
        (None, ["/sign-in"]),
        (ana, ["/", "/projects/new", "/account", "/password", f"/projects/{project}", "/nothing"]),
        (ben, ["/"]),
    ):
        page = live_server.window(browser, person, viewport={"width": width, "height": 800}).new_page()
        for address in addresses:
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
            assert_accessible(page)
        page.context.close()
