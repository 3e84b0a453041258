"""axe-core on whatever a browser shows: `assert_accessible(page)` after the page has loaded.

It goes in through the debugger's protocol, which the page's content security policy does not bind: pages are looked at
with the policy that people get.
"""

import json
from importlib.resources import files
from typing import Any, Literal

from playwright.sync_api import CDPSession, Page

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
OPTIONS = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
"""Every rule of axe, the best practices included, and touch targets, which it leaves out by default."""


def assert_accessible(page: Page) -> None:
    """Fails with each violation, its place and its way out, in the light and in the dark theme."""
    found = {theme: violations(page, theme) for theme in THEMES}
    page.emulate_media(color_scheme=None)
    assert not any(found.values()), "\n".join(
        f"{page.url} in the {theme} theme:\n{said(each)}" for theme, all_ in found.items() for each in all_
    )


def violations(page: Page, theme: Theme) -> list[dict[str, Any]]:
    page.emulate_media(color_scheme=theme)
    session = page.context.new_cdp_session(page)
    evaluate(session, files("axe_playwright_python").joinpath("axe.min.js").read_text() + "; 0")
    result = evaluate(session, f"axe.run(document, {json.dumps(OPTIONS)}).then(JSON.stringify)")
    session.detach()
    found: list[dict[str, Any]] = json.loads(result)["violations"]
    return found


def evaluate(session: CDPSession, script: str) -> Any:
    answer = session.send("Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True})
    assert "exceptionDetails" not in answer, answer["exceptionDetails"]
    return answer["result"].get("value")


def said(violation: dict[str, Any]) -> str:
    nodes = "\n".join(f"    {node['html']}\n      {node['failureSummary']}" for node in violation["nodes"])
    return f"  {violation['id']}: {violation['help']}\n{nodes}"
