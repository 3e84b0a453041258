"""The check of accessibility itself: what it must find it finds."""

import pytest
from playwright.sync_api import Browser

from tests.browser_axe import assert_accessible

PAGE = '<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>{}</main></html>'


@pytest.mark.browser
def test_a_field_without_a_label_is_found(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(PAGE.format('<label>Name <input name="name"></label>'))
    assert_accessible(page)
    page.set_content(PAGE.format('<input name="name">'))
    with pytest.raises(AssertionError, match="Form elements must have labels"):
        assert_accessible(page)
    page.close()


@pytest.mark.browser
def test_a_fault_of_the_dark_theme_alone_is_found(browser: Browser) -> None:
    page = browser.new_page()
    style = "<style>@media (prefers-color-scheme: dark) { body { background: #222 } p { color: #444 } }</style>"
    page.set_content(PAGE.format(f"{style}<p>Hardly to be read</p>"))
    with pytest.raises(AssertionError, match=r"dark theme:\s+color-contrast"):
        assert_accessible(page)
    page.close()
