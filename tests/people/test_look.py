"""The pages of people and of projects' beginnings, as a browser shows them."""

import re

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
    home, seat = f"/projects/{project}", cast.member(project, ben, "labeller")
    cast.token(ana, project, "read")
    invitation = f"/invitations/{cast.invitation(project)[1]}"
    leads = ["/members", f"/members/{seat}", "/settings"]
    for person, addresses in (
        (None, ["/sign-in", invitation, "/invitations/unknown"]),
        (ana, ["/", "/projects/new", "/account", "/account/tokens", "/people", "/password", "/nothing", invitation]),
        (ana, [home, *(home + each for each in leads)]),
        (ben, ["/", invitation]),
    ):
        page = live_server.window(browser, person, viewport={"width": width, "height": 800}).new_page()
        for address in addresses:
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
            assert_accessible(page)
        page.context.close()


@pytest.mark.parametrize("width", [320, 1280])
def test_what_is_sent_signed_out_waits_in_its_page(browser: Browser, live_server: LiveServer, width: int) -> None:
    ana = live_server.cast.person("ana", is_admin=True)
    context = live_server.window(browser, ana, viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto("/projects/new")
    page.get_by_label("Name").fill("Shoes, & “more”")
    page.get_by_role("radio", name="linear").check()
    page.get_by_label("Why does this gain").fill("Half an answer is worth half.\nAsk Ben.")
    cookies = context.cookies()
    context.clear_cookies()
    page.get_by_role("button", name="Start the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out, and this is not saved yet.")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)
    context.add_cookies(cookies)  # type: ignore[arg-type]  # As signing in in another window does.
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_role("heading", name="Shoes, & “more”")).to_be_visible()
    context.close()


def test_a_lead_invites_and_the_invited_takes_part(browser: Browser, live_server: LiveServer) -> None:
    cast = live_server.cast
    project = cast.project(ana := cast.person("ana"))
    lead = live_server.window(browser, ana).new_page()
    lead.goto(f"/projects/{project}/members")
    lead.get_by_role("radio", name="labeller").check()
    lead.get_by_label("For whom").fill("Ben, support")
    lead.get_by_role("button", name="Make the link").click()
    assert_accessible(lead)
    link = lead.get_by_label("The link").input_value()
    invited = live_server.window(browser, None).new_page()
    invited.goto(link)
    invited.get_by_label("Name").fill("ana")
    invited.get_by_label("Email").fill("ben@example.org")
    invited.get_by_label("Password").fill(PASSWORD)
    invited.get_by_role("button", name="Make an account").click()
    expect(invited.get_by_role("alert")).to_contain_text("is called ana already")
    assert_accessible(invited)
    invited.get_by_label("Your name in this project").fill("Ana B.")
    invited.get_by_label("Password").fill(PASSWORD)
    invited.get_by_role("button", name="Make an account").click()
    expect(invited).to_have_url(f"{live_server.url}/projects/{project}")
    lead.goto(f"/projects/{project}/members")
    expect(lead.get_by_role("link", name="Change Ana B.")).to_be_visible()
    lead.context.close()
    invited.context.close()


def test_a_token_is_made_shown_and_revoked(browser: Browser, live_server: LiveServer) -> None:
    cast = live_server.cast
    cast.project(ana := cast.person("ana"))
    page = live_server.window(browser, ana).new_page()
    page.goto("/account/tokens")
    page.get_by_label("What is it for?").fill("nightly scores")
    page.get_by_role("radio", name="read").check()
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_label("The token")).to_have_value(re.compile(r"adjudge_[\w-]{43}"))
    assert_accessible(page)
    page.get_by_role("button", name="Revoke nightly scores").click()
    expect(page.get_by_text("None yet.")).to_be_visible()
    page.context.close()
